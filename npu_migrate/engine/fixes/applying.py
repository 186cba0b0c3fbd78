"""Applying planned fixes, in memory or in place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from npu_migrate.engine.diagnosing import CompiledFix, Diagnosed
from npu_migrate.findings import Applicability
from npu_migrate.rewrite.edits import by_path
from npu_migrate.sources.source import UneditableText, UnencodableText
from npu_migrate.sources.tree import SourceTree

Stamp = tuple[int, int, int]
"""Inode, size and time of change: differs when a file was written since."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What applying came to.

    `contents` are the new bytes by key; `fixes` those that are in them, complete; `refused` tells for each
    file that could not be changed why. A fix that needs an edit in a refused file is applied nowhere.
    """

    contents: Mapping[str, bytes]
    fixes: tuple[CompiledFix, ...]
    refused: Mapping[str, str] = field(default_factory=dict)

    def count(self, applicability: Applicability) -> int:
        """How many fixes of one applicability were applied."""
        return sum(fix.applicability is applicability for fix in self.fixes)


def chosen_fixes(diagnosed: Iterable[Diagnosed], applicability: Applicability) -> tuple[CompiledFix, ...]:
    """The fixes up to `applicability`: the safe ones, or all."""
    return tuple(
        one.fix
        for one in diagnosed
        if one.fix is not None and applicability in (Applicability.UNSAFE, one.fix.applicability)
    )


def without_new_files(tree: SourceTree, fixes: Iterable[CompiledFix]) -> tuple[CompiledFix, ...]:
    """The fixes that add no file, for who can hand out no other file than the one that was given."""
    return tuple(fix for fix in fixes if not any(tree.is_new(edit.path) for edit in fix.edits))


def apply_in_memory(tree: SourceTree, fixes: Sequence[CompiledFix]) -> Applied:
    """The new contents of the files that `fixes` change; `tree` holds these files in memory."""
    refused: dict[str, str] = {}
    while True:
        remaining = _without(fixes, refused)
        contents, refusals = _spliced(tree, remaining)
        if not refusals:
            return Applied(contents, remaining, refused)
        refused |= refusals


def apply_in_place(
    tree: SourceTree, fixes: Sequence[CompiledFix], stamps: Mapping[str, Stamp | None]
) -> Applied:
    """Write the files that `fixes` change.

    Each file is replaced as a whole, and only if it is what it was when `stamps` were taken and the fixes
    were planned; a new one is made only if there is still none. All files are prepared before the first is
    replaced, so an interruption before that changes nothing.
    """
    from npu_migrate.sources.writing import CHANGED, Replacement, replace_files

    edited = {edit.path for fix in fixes for edit in fix.edits}
    refused = {key: CHANGED for key in edited if stamps.get(key) != _stamp(key)}
    while True:
        applied = apply_in_memory(tree, _without(fixes, refused))
        refused |= applied.refused
        written, refusals = replace_files(
            Replacement(key, data, None if tree.is_new(key) else tree.data(key))
            for key, data in applied.contents.items()
        )
        refused |= refusals
        if written or not refusals:
            contents = {key: applied.contents[key] for key in written}
            return Applied(contents, _without(applied.fixes, refused), refused)


def take_stamps(keys: Iterable[str]) -> dict[str, Stamp | None]:
    """The stamps of files; ``None`` for one that cannot be asked."""
    return {key: _stamp(key) for key in keys}


def _stamp(key: str) -> Stamp | None:
    try:
        status = os.stat(key)  # noqa: PTH116 - called for every file; `Path` doubles its cost
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _without(fixes: Iterable[CompiledFix], refused: Mapping[str, str]) -> tuple[CompiledFix, ...]:
    return tuple(fix for fix in fixes if refused.keys().isdisjoint(edit.path for edit in fix.edits))


def _spliced(tree: SourceTree, fixes: Iterable[CompiledFix]) -> tuple[dict[str, bytes], dict[str, str]]:
    """The new bytes by file, and the files that cannot take them."""
    contents: dict[str, bytes] = {}
    refusals: dict[str, str] = {}
    for key, edits in by_path(edit for fix in fixes for edit in fix.edits).items():
        try:
            contents[key] = tree.source(key).spliced(edit[1:] for edit in edits)
        except (UnencodableText, UneditableText) as error:
            refusals[key] = error.reason
    return contents, refusals
