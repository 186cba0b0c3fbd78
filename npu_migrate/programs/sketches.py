"""What the bytes of one file tell before anybody parses it: the two gates, and its imports."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from npu_migrate.index.gate import ROLES_BESIDE, makes_one_shot, mentions_ours, plays_role, reads_graphs
from npu_migrate.programs.graph import Survey, survey
from npu_migrate.programs.search_path import NO_ADDITIONS
from npu_migrate.sources.source import is_notebook
from npu_migrate.sources.tree import SourceTree

_ESCAPED_ASCII = b"\\u00"
"""How JSON begins to write a letter of a name as a number, which hardly any program does."""


class Sketch(NamedTuple):
    """What decides which program a file belongs to, and whether that program is one of ours.

    `ours`: it mentions a name of ours, or it cannot be read, which has to be said. `reasons` are the
    indices of those `ROLES_BESIDE` for which it is a reason. `one_shot`: it mentions one-shot iterators,
    `reads_graphs`: it imports graphs from files.
    """

    ours: bool
    reasons: tuple[int, ...]
    survey: Survey
    one_shot: bool = False
    reads_graphs: bool = False


class Roles(NamedTuple):
    """What a file does for the programs it belongs to.

    `plain`: it plays a role in any program of ours; `beside` are the indices of the `ROLES_BESIDE` that
    it plays where there is a reason.
    """

    plain: bool
    beside: tuple[int, ...]


class KnownFile(NamedTuple):
    """What is known of a file: its sketch, and all its roles if somebody has asked for them."""

    sketch: Sketch
    roles: Roles | None = None


class TreeSketches:
    """The sketches and roles of the files of one tree. Each question reads the file.

    A file that mentions one of `more` is one of ours, too, and a reason for everything.
    """

    def __init__(self, tree: SourceTree, more: tuple[bytes, ...] = ()) -> None:
        self._tree = tree
        self._more = more
        self._root = tree.root.as_posix()

    def sketch(self, key: str) -> Sketch:
        """The sketch of the file `key`."""
        data = _data(self._tree, key)
        surveyed = survey(key, data or b"", self._root)
        if data is None:
            return Sketch(True, (), surveyed)
        reads = reads_graphs(data)
        if not mentions_ours(data, self._more):
            return Sketch(False, (), surveyed, reads_graphs=reads)
        reasons = tuple(i for i, beside in enumerate(ROLES_BESIDE) if self._more or beside.is_reason(data))
        return Sketch(True, reasons, surveyed, makes_one_shot(data), reads)

    def roles(self, key: str, beside: Sequence[int]) -> Roles:
        """The roles of the file `key`, of those that need a reason only `beside`; without text none."""
        data = _data(self._tree, key) or b""
        if plays_role(data):
            return Roles(True, ())
        return Roles(False, tuple(index for index in beside if ROLES_BESIDE[index].plays_role(data)))

    def concerns_us(self, key: str) -> bool:
        """Whether there can be anything to find in the file `key`."""
        if is_notebook(key) and not _may_concern_us(self._tree, key, self._more):
            return False
        data = _data(self._tree, key)
        return data is None or mentions_ours(data, self._more) or plays_role(data)


_ALL_BESIDE = range(len(ROLES_BESIDE))


class KeptSketches:
    """The sketches of files, made once. `more` is as in `TreeSketches`; `known` is what is known before."""

    def __init__(
        self,
        tree: SourceTree,
        more: tuple[bytes, ...] = (),
        known: Mapping[str, KnownFile] = MappingProxyType({}),
    ) -> None:
        self._more = more
        self._made = TreeSketches(tree, more)
        self._sketches = {key: file.sketch for key, file in known.items()}
        self._roles = {key: file.roles for key, file in known.items() if file.roles is not None}
        self._known = len(self._sketches) + len(self._roles)

    @property
    def has_new(self) -> bool:
        """Whether something has been found out that was not known before."""
        return len(self._sketches) + len(self._roles) > self._known

    def of_any_place(self) -> Mapping[str, KnownFile]:
        """What is known of the files that would say the same anywhere else, by their keys."""
        return {
            key: KnownFile(sketch, self._roles.get(key))
            for key, sketch in self._sketches.items()
            if sketch.survey.additions == NO_ADDITIONS
        }

    def sketch(self, key: str) -> Sketch:
        """The sketch of the file `key`."""
        known = self._sketches.get(key)
        if known is None:
            known = self._sketches[key] = self._made.sketch(key)
        return known

    def roles(self, key: str, _: Sequence[int] = _ALL_BESIDE) -> Roles:
        """All roles of the file `key`."""
        known = self._roles.get(key)
        if known is None:
            known = self._roles[key] = self._made.roles(key, _ALL_BESIDE)
        return known

    def concerns_us(self, key: str) -> bool:
        """Whether there can be anything to find in the file `key`."""
        return self.sketch(key).ours or self.roles(key).plain

    def inherit(self, earlier: KeptSketches, keys: Collection[str]) -> None:
        """Take over what `earlier` has found out about the files `keys`."""
        self._sketches |= {key: known for key, known in earlier._sketches.items() if key in keys}
        self._roles |= {key: known for key, known in earlier._roles.items() if key in keys}

    def moved_on(self, tree: SourceTree, changed: Iterable[str]) -> bool:
        """Go over to `tree`, in which the files `changed` are others; whether a sketch or role differs."""
        self._made = TreeSketches(tree, self._more)
        differs = False
        for key in changed:
            before = self._sketches.pop(key, None), self._roles.pop(key, None)
            if before != (self.sketch(key), self.roles(key)):
                differs = True
        return differs


def _data(tree: SourceTree, key: str) -> bytes | None:
    """The Python text of a file; ``None`` if it cannot be read."""
    try:
        return tree.python(key)
    except OSError:
        return None


def _may_concern_us(tree: SourceTree, key: str, more: tuple[bytes, ...]) -> bool:
    """Whether anything in the JSON text of a notebook looks like one that concerns us.

    Most notebooks are large and do not, and this costs far less than looking for their cells.
    """
    try:
        data = tree.data(key)
    except OSError:
        return True
    plain = data.replace(b"\\", b"")
    return _ESCAPED_ASCII in data or mentions_ours(plain, more) or plays_role(plain)
