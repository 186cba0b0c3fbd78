"""Reading a review as GitHub does: which findings it tells, and what a click on each suggestion gives."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from fidelity import Tree

_MARK = re.compile(r"<!-- npu-migrate:([0-9a-f]{32}) -->")
_BLOCK = re.compile(r"^(`{3,})suggestion\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


class Suggestion(NamedTuple):
    """New lines for the lines `first` to `last` (1-based, both included) of a file."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...]


def marks(text: str) -> list[str]:
    """The fingerprints that a text carries."""
    return _MARK.findall(text)


def suggestion(comment: dict[str, Any]) -> Suggestion | None:
    """What a comment offers to accept."""
    blocks = _BLOCK.findall(comment["body"])
    assert len(blocks) <= 1
    if not blocks:
        return None
    first = comment.get("start_line", comment["line"])
    return Suggestion(comment["path"], first, comment["line"], tuple(blocks[0][1].split("\n")[:-1]))


def accepted(tree: Tree, document: dict[str, Any]) -> Tree:
    """The files after a click on every suggestion of a review."""
    offers = [one for one in map(suggestion, document["comments"]) if one is not None]
    result = dict(tree)
    for path, first, last, new in sorted(offers, reverse=True):
        lines = result[path].split(b"\n")
        ending = b"\r" if lines[first - 1].endswith(b"\r") else b""
        lines[first - 1 : last] = [line.encode() + ending for line in new]
        result[path] = b"\n".join(lines)
    for one, other in zip(sorted(offers), sorted(offers)[1:], strict=False):
        assert one.path != other.path or one.last < other.first, "two suggestions share a line"
    return result
