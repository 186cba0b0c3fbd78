"""The suggestions of a GitHub review, accepted by a reviewer who accepts them all.

A comment stands on the lines ``start_line`` (or ``line``) to ``line`` of the file as it is in the change. The
block in its text that is marked ``suggestion`` is their new text. A file that ends its lines in CRLF keeps
them so.
"""

from __future__ import annotations

import re
from typing import Any

from fidelity import Tree

from forms.rdjson import Lines, accepted

_MARK = re.compile(r"<!-- npu-migrate:([0-9a-f]{32}) -->")
_BLOCK = re.compile(r"^(```+)suggestion\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


def applied(tree: Tree, review: dict[str, Any]) -> Tree:
    return accepted(
        tree, (as_lines(tree, comment) for comment in review["comments"] if suggestion(comment) is not None)
    )


def as_lines(tree: Tree, comment: dict[str, Any]) -> Lines:
    """The suggestion of a comment as the lines that become of it."""
    path, last = comment["path"], comment["line"]
    first = comment.get("start_line", last)
    end = b"\r\n" if tree[path].split(b"\n")[first - 1].endswith(b"\r") else b"\n"
    lines = (suggestion(comment) or "").removesuffix("\n").encode().split(b"\n")
    tail = b"\r" if tree[path].split(b"\n")[last - 1].endswith(b"\r") else b""
    return Lines(path, first, last, end.join(lines) + tail)


def suggestion(comment: dict[str, Any]) -> str | None:
    """What a comment offers to accept; a comment has one suggestion at most."""
    blocks = [block for _, block in _BLOCK.findall(comment["body"])]
    assert len(blocks) <= 1
    return blocks[0] if blocks else None


def marks(text: str) -> list[str]:
    """The fingerprints that a text carries."""
    return _MARK.findall(text)


def patch_that_adds(tree: Tree) -> bytes:
    """A change after which the files of `tree` are there, and before which none was."""
    return b"".join(_added(path, content) for path, content in tree.items() if content)


def _added(path: str, content: bytes) -> bytes:
    *lines, rest = content.split(b"\n")
    added = [b"+" + line + b"\n" for line in lines]
    if rest:
        added.append(b"+" + rest + b"\n\\ No newline at end of file\n")
    tab = "\t" if " " in path else ""
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}{tab}\n"
    return head.encode() + b"@@ -0,0 +1,%d @@\n" % len(added) + b"".join(added)
