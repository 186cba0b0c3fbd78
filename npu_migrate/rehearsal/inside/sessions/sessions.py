"""What is known of a session: its options, and what its runs have done so far."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..events import Refusal, Verdict
from ..graphs.pruning import Pruned
from ..places import Place
from ..sessions.options import Options


class Dataset(NamedTuple):
    """What an iterator reads from: the operations of its dataset, and the tables and variables they use."""

    operations: tuple[Any, ...]
    tables: tuple[Any, ...]
    variables: tuple[Any, ...]


class State:
    """What the runs of a session have initialized so far, and where; names of operations.

    `version` grows with each change, so that what depends on it is judged again only then.
    """

    def __init__(self) -> None:
        self.on_host: set[str] = set()
        self.on_device: set[str] = set()
        self.datasets: dict[str, Dataset] = {}
        self.version = 0

    def initialized(self, names: frozenset[str], host: bool) -> None:
        """The variables or tables `names` were written to by a run on the host, or on the device."""
        known = self.on_host if host else self.on_device
        if not names <= known:
            known |= names
            self.version += 1

    def only_on_device(self, name: str) -> bool:
        """Whether the host would find the variable or table `name` uninitialized."""
        return name in self.on_device and name not in self.on_host

    def reads_from(self, iterator: str, dataset: Dataset) -> None:
        """`iterator` was initialized."""
        if self.datasets.get(iterator) is not dataset:
            self.datasets[iterator] = dataset
            self.version += 1


class KnownRun:
    """What is known of a run: its operations, what it does, and what the runtime refuses about it.

    `host` tells whether it is left to the host; `assigned` has variables, each with the operation that writes
    to it; `written` are the names of variables and tables; `makers` are the iterators that it initializes,
    `iterators` those that it reads from. `changes_model` tells that global variables get new values.
    `judged_at` is the state's version at which it was judged last. `is_told` is True once its graph was told.
    """

    def __init__(
        self,
        pruned: Pruned,
        host: bool,
        assigned: dict[Any, Any],
        written: frozenset[str],
        makers: tuple[tuple[str, Dataset], ...],
        iterators: tuple[str, ...],
        changes_model: bool,
        trains: bool,
        looped: bool,
    ) -> None:
        self.pruned = pruned
        self.host = host
        self.assigned = assigned
        self.written = written
        self.makers = makers
        self.iterators = iterators
        self.changes_model = changes_model
        self.trains = trains
        self.looped = looped
        self.refusal: Refusal | None = None
        self.judged_at: int | None = None
        self.has_run = False
        self.is_told = False


class Session:
    """A session of the script, which was made at `place`.

    `loop` is the N that the loop on the device was given, at `loop_place`. `refusal` is what the runtime
    refuses as soon as anything runs. `told_progress` is True once the runtime has asked how far training has
    come. `lost_on_restore` has verdicts on iterators, by their names; `explained` are those iterators whose
    verdict has been given.
    """

    def __init__(self, number: int, place: Place | None, options: Options, graph: Any) -> None:
        self.number = number
        self.place = place
        self.options = options
        self.graph = graph
        self.state = State()
        self.loop: int | None = None
        self.loop_place: Place | None = None
        self.refusal: Refusal | None = None
        self.told_progress = False
        self.lost_on_restore: dict[str, Verdict] = {}
        self.explained: set[str] = set()
        self.kept: dict[Any, KnownRun] = {}

    @property
    def steps_per_run(self) -> int:
        """How often one run of a looped operation does it."""
        return self.options.iterations if self.loop is not None and self.options.iterations > 1 else 1


def session_of(session: Any) -> Session | None:
    """What is known of a TensorFlow session, wrapped or not."""
    for _ in range(20):
        known = getattr(session, "_npu_rehearsal", None)
        if isinstance(known, Session):
            return known
        inner = getattr(session, "_sess", None) or getattr(session, "tf_sess", None)
        if inner is None or inner is session:
            return None
        session = inner
    return None


def tensorflow_session(session: Any) -> Any:
    """The session of TensorFlow inside a wrapped one."""
    for _ in range(20):
        if isinstance(getattr(session, "_npu_rehearsal", None), Session):
            return session
        session = getattr(session, "_sess", None) or getattr(session, "tf_sess", None)
        if session is None:
            break
    return session
