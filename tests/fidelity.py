"""What a faithful rewrite must keep, checked on bytes: used by the fixtures and by the corpus check."""

from __future__ import annotations

import ast
import difflib
import io
import json
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Tree = dict[str, bytes]
"""The files of a folder: path below it, with ``/``, to content."""

Finding = dict[str, Any]
"""A finding of the JSON report."""

Edit = tuple[str, int, int, int, int, str]
"""Path, first line and column, last line and column (1-based, code points, end exclusive), new text."""


def read_tree(folder: Path, pattern: str = "*") -> Tree:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob(pattern))
        if path.is_file()
    }


def write_tree(folder: Path, tree: Tree) -> None:
    for name, content in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def changed_paths(before: Tree, after: Tree) -> list[str]:
    """The files that are others in `after`; those that are not in `before` were empty there."""
    return [path for path in after if after[path] != before.get(path, b"")]


def assert_same_tree(actual: Tree, expected: Tree) -> None:
    """Compares bytes; a failure shows a readable difference."""
    assert actual.keys() == expected.keys()
    for path in changed_paths(expected, actual):
        old, new = (
            content.decode("utf-8", "backslashreplace").splitlines(keepends=True)
            for content in (expected[path], actual[path])
        )
        raise AssertionError(
            "".join(difflib.unified_diff(old, new, f"expected/{path}", f"actual/{path}", n=2))
            or f"{path} differs in its bytes: {expected[path]!r} {actual[path]!r}"
        )


def edits_of(findings: Iterable[Finding], unsafe: bool) -> set[Edit]:
    """The union of the edits of all safe fixes, and of the unsafe ones if asked for."""
    return {
        (
            edit["path"],
            edit["range"]["start"]["line"],
            edit["range"]["start"]["column"],
            edit["range"]["end"]["line"],
            edit["range"]["end"]["column"],
            edit["text"],
        )
        for finding in findings
        if finding["fix"] and (unsafe or finding["fix"]["applicability"] == "safe")
        for edit in finding["fix"]["edits"]
    }


def apply_edits(tree: Tree, edits: set[Edit]) -> Tree:
    """The tree with the edits made, and every byte outside them as it was; edits of no file make one."""
    result = dict(tree)
    for path, first, left, last, right, new in sorted(edits, reverse=True):
        bom, text, encoding = decoded(result.get(path, b""))
        starts = line_starts(text)
        start, end = starts[first - 1] + left - 1, starts[last - 1] + right - 1
        result[path] = bom + (text[:start] + new + text[end:]).encode(encoding)
    return result


def lost_comments(before: bytes, after: bytes) -> Counter[str]:
    return comments(before) - comments(after)


def comments(content: bytes) -> Counter[str]:
    return Counter(text for _, text in _comments(content))


def comment_on(content: bytes, cell: int | None, line: int) -> str:
    """The comment on a line that has one, in a script or in a cell of a notebook."""
    return dict(_comments(content))[cell, line]


def _comments(content: bytes) -> Iterator[tuple[tuple[int | None, int], str]]:
    """Place and text of each comment."""
    for cell, text in python_in(content).items():
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield (cell, token.start[0]), token.string.rstrip()


def python_in(content: bytes) -> dict[int | None, str]:
    """The text of a script, or those of the code cells of a notebook by number, as IPython would run them."""
    _, text, _ = decoded(content)
    if not text.startswith("{"):
        return {None: text}
    from IPython.core.inputtransformer2 import TransformerManager

    return {
        number: TransformerManager().transform_cell("".join(cell["source"]))
        for number, cell in enumerate(json.loads(text)["cells"], 1)
        if cell["cell_type"] == "code"
    }


def compile_python(content: bytes, path: str) -> None:
    """Raises `SyntaxError` for a script, or a cell of a notebook, that does not compile."""
    cells = python_in(content)
    if cells.keys() == {None}:
        compile(content, path, "exec", dont_inherit=True)
        return
    for number, text in cells.items():
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        compile(text, f"{path}, cell {number}", "exec", flags=flags, dont_inherit=True)


def decoded(content: bytes) -> tuple[bytes, str, str]:
    """BOM, text and encoding of a Python file or notebook."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    if encoding == "utf-8-sig":
        return content[:3], content[3:].decode("utf-8"), "utf-8"
    return b"", content.decode(encoding), encoding


def line_starts(text: str) -> list[int]:
    r"""The offset of each line's first character; lines end at \n, \r\n and \r, as in Python."""
    starts = [0]
    for line in io.StringIO(text, newline="").readlines():
        starts.append(starts[-1] + len(line))
    return starts
