"""What the bytes of one file tell before anybody parses it: the two gates, and its imports."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.gate import ROLES_BESIDE, mentions_ours, plays_role
from npu_migrate.project.graph import Survey, survey
from npu_migrate.sources.tree import SourceTree


class Sketch(NamedTuple):
    """What decides which program a file belongs to, and whether that program is one of ours.

    `ours`: it mentions a name of ours, or it cannot be read, which has to be said. `reasons` are the
    indices of those `ROLES_BESIDE` for which it is a reason.
    """

    ours: bool
    reasons: tuple[int, ...]
    survey: Survey


class Roles(NamedTuple):
    """What a file does for the programs it belongs to.

    `plain`: it plays a role in any program of ours; `beside` are the indices of the `ROLES_BESIDE` that
    it plays where there is a reason.
    """

    plain: bool
    beside: tuple[int, ...]


class TreeSketches:
    """The sketches and roles of the files of one tree. Each question reads the file."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        self._root = tree.root.as_posix()

    def sketch(self, key: str) -> Sketch:
        """The sketch of the file `key`."""
        data = _data(self._tree, key)
        surveyed = survey(key, data or b"", self._root)
        if data is None:
            return Sketch(True, (), surveyed)
        if not mentions_ours(data):
            return Sketch(False, (), surveyed)
        reasons = tuple(i for i, beside in enumerate(ROLES_BESIDE) if beside.is_reason(data))
        return Sketch(True, reasons, surveyed)

    def roles(self, key: str) -> Roles:
        """The roles of the file `key`; one that cannot be read plays none."""
        data = _data(self._tree, key) or b""
        if plays_role(data):
            return Roles(True, ())
        return Roles(False, tuple(i for i, beside in enumerate(ROLES_BESIDE) if beside.plays_role(data)))

    def concerns_us(self, key: str) -> bool:
        """Whether there can be anything to find in the file `key`."""
        data = _data(self._tree, key)
        return data is None or mentions_ours(data) or plays_role(data)


def _data(tree: SourceTree, key: str) -> bytes | None:
    """The bytes of a file; ``None`` if it cannot be read."""
    try:
        return tree.data(key)
    except OSError:
        return None
