"""The edits of the JSON report: 1-based lines as Python's, columns in code points, ends exclusive."""

from __future__ import annotations

from collections.abc import Iterable

from fidelity import Finding, Tree, apply_edits, edits_of


def applied(tree: Tree, findings: Iterable[Finding], unsafe: bool) -> Tree:
    """The tree after the fixes of `findings`, up to that level."""
    return apply_edits(tree, edits_of(findings, unsafe))
