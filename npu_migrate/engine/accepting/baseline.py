"""Findings that a team has accepted in a file: which of a result they are, and which are gone.

A finding is known by its fingerprint, which does not change when its line moves. Of equal lines the first
ones are accepted, as many as the file has. A line that was changed, or a file that was renamed, is looked at
anew. That a file as a whole could not be analysed can be accepted too: an old project has files that are no
Python 3, and a run still counts them. What says that a part was not analysed (NPU903) is never accepted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from npu_migrate.engine.accepting.baseline_file import BaselineError, Entry, read_baseline
from npu_migrate.engine.diagnosing import Diagnosed
from npu_migrate.engine.fingerprint import normalised
from npu_migrate.engine.job import Outcome, Refine
from npu_migrate.engine.selection import Selection, selection_of
from npu_migrate.findings import (
    IDLE_COMMENT,
    NOT_ANALYSED,
    PARTLY_ANALYSED,
    REFUSED_FIX,
    BaselineCounts,
    Diagnostic,
)
from npu_migrate.settings import Settings, SettingsError
from npu_migrate.sources.discovery import Discovery, key_of


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted findings that a run knows of; called with its result, it marks them.

    `file` is the absolute path, `name` how reports show it. `named` are the keys of the files and folders
    that were asked about.
    """

    file: str
    name: str
    entries: tuple[Entry, ...]
    discovery: Discovery
    named: tuple[str, ...]
    selection: Selection

    def __call__(self, outcome: Outcome) -> Outcome:
        """`outcome` with the accepted findings marked. Like suppressed ones they get no fix."""
        accepted = {entry.fingerprint for entry in self.entries}
        marked = _marked(outcome, lambda diagnostic: diagnostic.fingerprint in accepted)
        gone = len(self.gone(outcome))
        counts = BaselineCounts(self.name, len(accepted), gone, gone > 0 and not self.has_files_here())
        return replace(marked, report=replace(marked.report, baseline=counts))

    def gone(self, outcome: Outcome) -> frozenset[str]:
        """The fingerprints of the entries that `outcome` would have, but has not.

        A finding that a comment suppresses needs no entry. Entries outside of what was asked for stay, and so
        do those for files that could not be analysed.
        """
        found = {one.diagnostic.fingerprint for one in outcome.diagnosed if not one.diagnostic.suppressed}
        unknown = [one.place.path for one in outcome.diagnosed if one.diagnostic.code in NOT_ANALYSED]
        unknown += (unread.key for unread in self.discovery.unread)
        targets = frozenset(self.discovery.tree.targets)
        return frozenset(
            entry.fingerprint
            for entry in self.entries
            if entry.fingerprint not in found and self._would_be_found(entry, targets, unknown)
        )

    def has_files_here(self) -> bool:
        """Whether any of the files that the entries name exists; if not, they may be of another root."""
        return any(os.path.lexists(self._key(entry)) for entry in self.entries)

    def _would_be_found(self, entry: Entry, targets: frozenset[str], unknown: list[str]) -> bool:
        key = self._key(entry)
        if not _is_inside(key, self.named) or _is_inside(key, unknown):
            return False
        if key not in targets and os.path.lexists(key):
            return False
        # Whether a comment is needed depends on all rules that may find something.
        comments_judged = entry.code != IDLE_COMMENT or self.selection.unrestricted
        return comments_judged and self.selection.wants(entry.code, key)

    def _key(self, entry: Entry) -> str:
        return _below(self.discovery.tree.root, entry.path)


def baseline_of(settings: Settings, discovery: Discovery, named: tuple[str, ...], name: str) -> Baseline:
    """The baseline that `settings` name, for what was asked for. Raises `SettingsError`.

    `name` is how reports and messages show the file.
    """
    root = discovery.tree.root
    file = root / (settings.baseline or "")
    try:
        entries = read_baseline(file)
    except BaselineError as error:
        raise SettingsError(f"{name}: {error}") from None
    return Baseline(str(file), name, entries, discovery, named, selection_of(settings, key_of(root)))


def baseline_in(refinements: Iterable[Refine]) -> Baseline | None:
    """The baseline among the refinements of a job, if there is one."""
    return next((one for one in refinements if isinstance(one, Baseline)), None)


def all_accepted(outcome: Outcome, name: str) -> Outcome:
    """`outcome` with all findings marked that can be accepted, as for a baseline that has them all."""
    marked = _marked(outcome, lambda diagnostic: True)
    counts = BaselineCounts(name, len(entries_of(marked)), 0)
    return replace(marked, report=replace(marked.report, baseline=counts))


def entries_of(outcome: Outcome) -> tuple[Entry, ...]:
    """The entries for the accepted findings of a result."""
    prefix = _below(outcome.tree.root, "")
    return tuple(
        Entry(
            one.place.path.removeprefix(prefix),
            one.diagnostic.code,
            normalised(one.diagnostic.code, one.diagnostic.source_line),
            one.diagnostic.fingerprint,
            one.diagnostic.message,
        )
        for one in outcome.diagnosed
        if one.diagnostic.baselined
    )


def _marked(outcome: Outcome, accepts: Callable[[Diagnostic], bool]) -> Outcome:
    """`outcome` with those findings marked that are accepted, and nothing more said about their fixes."""

    def is_accepted(one: Diagnosed) -> bool:
        code = one.diagnostic.code
        return (
            one.diagnostic.counts and code not in (REFUSED_FIX, PARTLY_ANALYSED) and accepts(one.diagnostic)
        )

    marked = [_accepted(one) if is_accepted(one) else one for one in outcome.diagnosed]
    counting = {one.place for one in marked if one.diagnostic.counts and one.diagnostic.code != REFUSED_FIX}
    diagnosed = tuple(one for one in marked if one.diagnostic.code != REFUSED_FIX or one.place in counting)
    report = replace(outcome.report, diagnostics=tuple(one.diagnostic for one in diagnosed))
    return replace(outcome, report=report, diagnosed=diagnosed)


def _accepted(one: Diagnosed) -> Diagnosed:
    return one._replace(diagnostic=replace(one.diagnostic, baselined=True, fix=None), fix=None)


def _is_inside(key: str, folders: tuple[str, ...] | list[str]) -> bool:
    return any(key == one or key.startswith(one.rstrip("/") + "/") for one in folders)


def _below(root: Path, path: str) -> str:
    return f"{root.as_posix().rstrip('/')}/{path}"
