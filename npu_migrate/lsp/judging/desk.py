"""What is found in the open documents, and who asks for it when."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from npu_migrate.engine.diagnosing import Diagnosed
from npu_migrate.engine.fixes.fixing import assume_fixes, plan_fixes
from npu_migrate.engine.job import Outcome, Progress, make_anew
from npu_migrate.engine.live import LiveProject
from npu_migrate.engine.selection import selection_of
from npu_migrate.findings import Finding
from npu_migrate.index.gate import mentions_ours
from npu_migrate.index.indexing import NotIndexed
from npu_migrate.lsp.judging.change import Change
from npu_migrate.lsp.judging.judged import Judged
from npu_migrate.lsp.judging.listener import Listener
from npu_migrate.lsp.judging.memory import collect_garbage, remembered
from npu_migrate.lsp.judging.projects import Projects
from npu_migrate.lsp.judging.roots import Override, is_left_out
from npu_migrate.rules.failures import failure_finding
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.engine.job import PlanFixes

_BREATH = 400
"""After how many answers it is tidied up even though somebody may wait."""
_CRASHED = "a fault of npu-migrate itself, which its log shows"


class ObsoleteError(Exception):
    """Nobody waits for the answer any more."""


class Desk:
    """What is found in the open files. It is used by one thread."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._projects = Projects(listener)
        self._stale: set[str] = set()
        self._unplanned: dict[str, None] = {}
        self._judgements = 0

    def configure(self, folders: Collection[str], override: Override) -> None:
        """Take over the keys of the workspace folders, and what the user of the editor wants otherwise."""
        self._projects.configure(folders, override)
        self._stale |= self._projects.open.keys()

    def judge(self, change: Change, obsolete: threading.Event) -> tuple[Judged, ...]:
        """Take over a change; what is found in the open files whose findings may be others now.

        Whether the fixes can be carried out is not looked at. Raises `ObsoleteError` when `obsolete` is set;
        the change is taken over all the same, and the next answer has these files too.
        """
        self._judgements += 1
        if self._judgements % _BREATH == 0:
            self.rest()
        self._take(change)
        found: list[Judged] = []
        for root, keys in self._projects.by_root(self._stale).items():
            found += self._quickly(root, keys, _until(obsolete))
        _until(obsolete)(0, 0)
        self._stale.clear()
        self._unplanned |= {one.key: None for one in found if not one.planned or self._is_cold(one.key)}
        return tuple(found)

    def plan(self, key: str | None, obsolete: threading.Event) -> Judged | None:
        """What is found in an open file, with the edits of the fixes: in `key`, or in the next one of which
        this is not known; None when it is known of all. Raises `ObsoleteError` when `obsolete` is set.
        """
        if key is None:
            key = next((one for one in self._unplanned if one in self._projects.open), None)
        if key is None or key not in self._projects.open:
            return None
        found = self._completely(self._projects.root(key), key, _until(obsolete))
        self._unplanned.pop(key, None)
        return found

    def rest(self) -> None:
        """Tidy up while nobody waits."""
        self._projects.rest()
        collect_garbage()

    def _take(self, change: Change) -> None:
        for key in change.contents:
            self._unplanned.pop(key, None)
        self._stale |= self._projects.take(change)
        self._stale &= self._projects.open.keys()

    # -- answers ---------------------------------------------------------------------------------------

    def _quickly(self, root: str, keys: Collection[str], progress: Progress) -> tuple[Judged, ...]:
        left_out = [key for key in keys if is_left_out(key, root, self._projects.job(root).settings)]
        asked = [key for key in keys if key not in left_out]
        found = self._remembered(root, asked) if self._projects.is_new(root) else None
        if found is None:
            found = self._found(root, asked, assume_fixes, progress)
        return (*found, *(self._nothing(root, key) for key in left_out))

    def _completely(self, root: str, key: str, progress: Progress) -> Judged:
        if is_left_out(key, root, self._projects.job(root).settings):
            return self._nothing(root, key)
        if self._is_cold(key):
            # The plan that is remembered says nothing of what a keystroke will need.
            self._found(root, self._projects.own(root), assume_fixes, progress)
        (found,) = self._found(root, [key], plan_fixes, progress)
        return found

    def _found(
        self, root: str, keys: Collection[str], planning: PlanFixes, progress: Progress
    ) -> tuple[Judged, ...]:
        """What is found in files of one project; where the analysis fails, that it does."""
        if not keys:
            return ()
        try:
            project = self._projects.project(root)
            memory = self._projects.memory(root) if self._may_remember(root, planning) else None
            outcome = project.outcome(keys, planning, progress, memory or make_anew)
            return tuple(
                self._failed(root, key)
                if self._projects.is_failing(key)
                else self._judged(project, key, outcome, planning is plan_fixes)
                for key in keys
            )
        except ObsoleteError:
            raise
        except Exception as error:  # whatever it is, it must not end the server nor go unseen
            self._listener.report(error)
        if planning is plan_fixes:
            found = self._found(root, keys, assume_fixes, progress)
            return tuple(_without_fixes(one) for one in found)
        if len(keys) > 1:
            return tuple(one for key in keys for one in self._found(root, [key], planning, progress))
        return tuple(self._failed(root, key) for key in keys)

    def _judged(self, project: LiveProject, key: str, outcome: Outcome, planned: bool) -> Judged:
        problem = None
        error = project.broken.get(key)
        if error is not None:
            problem = self._problem(project, key, error)
        return Judged(
            key,
            self._projects.open[key],
            _of(outcome, key),
            outcome.tree,
            problem,
            planned,
            self._language(key),
        )

    def _problem(self, project: LiveProject, key: str, error: Exception) -> Finding | None:
        """What is wrong with a text that cannot be parsed, if it concerns us at all."""
        now = self._projects.open[key]
        tree = project.tree.with_contents({key: now})
        finding = failure_finding(tree, key, error)
        if not project.takes_part(key) and not mentions_ours(tree.python(key)):
            return None
        selection = selection_of(self._projects.job(self._projects.root(key)).settings, tree.root.as_posix())
        return finding if selection.wants(finding.code, key) else None

    def _failed(self, root: str, key: str) -> Judged:
        nothing = self._nothing(root, key)
        return replace(nothing, problem=failure_finding(nothing.tree, key, NotIndexed(_CRASHED)))

    def _nothing(self, root: str, key: str) -> Judged:
        tree = SourceTree(Path(root), (key,), ()).with_contents({key: self._projects.open[key]})
        return Judged(key, self._projects.open[key], (), tree, planned=True)

    def _language(self, key: str) -> str | None:
        return self._projects.job(self._projects.root(key)).settings.language

    # -- memory ----------------------------------------------------------------------------------------

    def _is_cold(self, key: str) -> bool:
        return not self._projects.is_live(self._projects.root(key))

    def _may_remember(self, root: str, planning: PlanFixes) -> bool:
        return planning is plan_fixes and self._projects.is_saved(root)

    def _remembered(self, root: str, keys: Collection[str]) -> tuple[Judged, ...] | None:
        """What an earlier run has found in the files, if all is as it was then."""
        if not keys or not self._projects.is_saved(root):
            return None
        job, memory = self._projects.job(root), self._projects.memory(root)
        if memory is None:
            return None
        own = {key: self._projects.open[key] for key in self._projects.own(root)}
        try:
            outcomes = remembered(memory, job, own, keys)
        except Exception as error:  # the files are looked at instead
            self._listener.report(error)
            return None
        if outcomes is None:
            return None
        return tuple(
            Judged(
                key,
                self._projects.open[key],
                _of(outcome, key),
                outcome.tree,
                planned=True,
                language=self._language(key),
            )
            for key, outcome in outcomes.items()
        )


def _of(outcome: Outcome, key: str) -> tuple[Diagnosed, ...]:
    return tuple(one for one in outcome.diagnosed if one.diagnostic.path == key)


def _until(obsolete: threading.Event) -> Progress:
    """Has a search given up as soon as nobody waits for it."""

    def progress(done: int, steps: int) -> None:
        if obsolete.is_set():
            raise ObsoleteError

    return progress


def _without_fixes(judged: Judged) -> Judged:
    found = tuple(
        one._replace(diagnostic=replace(one.diagnostic, fix=None), fix=None) for one in judged.diagnosed
    )
    return replace(judged, diagnosed=found, planned=True)
