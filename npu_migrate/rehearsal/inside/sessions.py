"""What is known of a session: its options, and what its runs have done so far."""

from __future__ import annotations

from typing import Any, NamedTuple

from .options import Options
from .places import Place
from .pruning import Pruned


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
        self.updates = 0
        self.version = 0
        self.last_total: int | None = None

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


class Session:
    """A session of the script."""

    def __init__(self, number: int, place: Place | None, options: Options, graph: Any) -> None:
        self.number = number
        self.place = place
        self.options = options
        self.graph = graph
        self.state = State()
        self.loop: int | None = None
        self.loop_place: Place | None = None
        self.steps_wanted: list[int] = []
        self.kept: dict[Any, Judged] = {}

    @property
    def steps_per_run(self) -> int:
        """How often one run of a looped operation does it."""
        return self.options.iterations if self.loop is not None and self.options.iterations > 1 else 1


class Judged:
    """A pruned graph that has been judged, with what its runs need to know of it.

    `host` tells whether a run of it is left to the host; `judged_at` is the state's version at which it was
    judged last.
    """

    def __init__(self, pruned: Pruned, host: bool) -> None:
        self.pruned = pruned
        self.host = host
        self.judged_at = -1
        self.assigned: dict[Any, Any] = {}
        self.tables: tuple[Any, ...] = ()
        self.written: frozenset[str] = frozenset()
        self.makers: tuple[tuple[str, Dataset], ...] = ()
        self.iterators: tuple[str, ...] = ()
        self.trains = False
        self.looped: tuple[Any, ...] = ()


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
