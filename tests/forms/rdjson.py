r"""The suggestions of an rdjson report, applied as reviewdog applies them.

Lines end at \n, columns count bytes from 1, ends are exclusive. A reviewer sees the lines of a suggestion and
accepts it as their new text; accepting the same text for the same lines twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from fidelity import Tree


class Lines(NamedTuple):
    """New bytes for whole lines, first and last."""

    path: str
    first: int
    last: int
    new: bytes


def applied(tree: Tree, report: dict[str, Any]) -> Tree:
    return accepted(
        tree,
        (
            as_lines(tree, diagnostic["location"]["path"], suggestion)
            for diagnostic in report["diagnostics"]
            for suggestion in diagnostic.get("suggestions", ())
        ),
    )


def as_lines(tree: Tree, path: str, suggestion: dict[str, Any]) -> Lines:
    """A suggestion as the lines that a reviewer sees."""
    start, end = suggestion["range"]["start"], suggestion["range"]["end"]
    lines = tree[path].split(b"\n")
    before = lines[start["line"] - 1][: start["column"] - 1]
    behind = lines[end["line"] - 1][end["column"] - 1 :]
    return Lines(path, start["line"], end["line"], before + suggestion["text"].encode() + behind)


def accepted(tree: Tree, suggestions: Iterable[Lines]) -> Tree:
    """The tree after all of `suggestions`; two different ones never share a line."""
    result = dict(tree)
    ordered = sorted(set(suggestions))
    for one, following in pairwise(ordered):
        assert one.path != following.path or one.last < following.first, (one, following)
    for path, first, last, new in reversed(ordered):
        lines = result[path].split(b"\n")
        lines[first - 1 : last] = [new]
        result[path] = b"\n".join(lines)
    return result
