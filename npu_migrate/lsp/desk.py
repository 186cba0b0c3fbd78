"""What lies on the desk: the projects of the open documents, judged together with what is on disk."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from npu_migrate.engine.applying import Stamp, take_stamps
from npu_migrate.engine.diagnosing import Diagnosed
from npu_migrate.engine.fixing import assume_fixes, plan_fixes
from npu_migrate.engine.live import LiveProject
from npu_migrate.engine.run import Job, Outcome, Progress, make_anew
from npu_migrate.engine.selection import selection_of
from npu_migrate.findings import Finding
from npu_migrate.index.gate import mentions_ours
from npu_migrate.index.indexing import NotIndexed
from npu_migrate.lsp.documents import Content
from npu_migrate.lsp.judged import Judged
from npu_migrate.lsp.memory import collect_garbage, memory_of, remembered
from npu_migrate.lsp.roots import Override, is_left_out, job_alone, job_at, root_of
from npu_migrate.rules.failures import failure_finding
from npu_migrate.sources.discovery import PathError
from npu_migrate.sources.source import Source
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.engine.run import PlanFixes

_DECISIVE = ("pyproject.toml", ".gitignore")
"""Files that decide which files a project has, and how they are judged."""
_IDLE_PROJECTS = 2
_BREATH = 400
"""After how many answers it is tidied up even though somebody may wait."""
_CRASHED = "a fault of npu-migrate itself, which its log shows"


class ObsoleteError(Exception):
    """Nobody waits for the answer any more."""


@dataclass(frozen=True, slots=True)
class Change:
    """What has happened since the desk was asked last.

    `contents` are what editors hold by now, None for a file that is not open any more; `on_disk` are files
    that have changed there, and with `look` the desk has to find these by itself. `again` are open files
    whose last answer nobody could use.
    """

    contents: Mapping[str, Content | None]
    on_disk: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()
    look: bool = False


class Desk:
    """All projects with open files. It is used by one thread.

    `complain` is told what is wrong with settings, `report` which exception the analysis has raised.
    """

    def __init__(self, complain: Callable[[str], None], report: Callable[[Exception], None]) -> None:
        self._complain = complain
        self._report = report
        self._folders: Collection[str] = ()
        self._override: Override = lambda found: found
        self._open: dict[str, Content] = {}
        self._jobs: dict[str, Job] = {}
        self._projects: dict[str, LiveProject] = {}
        self._earlier: dict[str, LiveProject] = {}
        self._stamps: dict[str, dict[str, Stamp | None]] = {}
        self._stale: set[str] = set()
        self._unplanned: dict[str, None] = {}
        self._failing: set[str] = set()
        self._judgements = 0
        self._complaints: dict[str, str] = {}

    def configure(self, folders: Collection[str], override: Override) -> None:
        """Take over the keys of the workspace folders, and what the user of the editor wants otherwise."""
        self._folders = tuple(folders)
        self._override = override
        self._begin_anew()

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
        for root, keys in self._by_root(self._stale).items():
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
            key = next((one for one in self._unplanned if one in self._open), None)
        if key is None or key not in self._open:
            return None
        found = self._completely(self._root(key), key, _until(obsolete))
        self._unplanned.pop(key, None)
        return found

    def rest(self) -> None:
        """Tidy up while nobody waits."""
        for project in self._projects.values():
            project.rest()
        collect_garbage()

    # -- changes ---------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        for key, content in change.contents.items():
            self._unplanned.pop(key, None)
            self._failing.discard(key)
            if content is None:
                self._open.pop(key, None)
                self._stale.discard(key)
            else:
                self._open[key] = content
        on_disk = change.on_disk | (self._changed_on_disk() if change.look else frozenset())
        self._stale |= change.again & self._open.keys()
        if any(key.rpartition("/")[2] in _DECISIVE for key in on_disk):
            self._begin_anew()
            return
        for root, keys in self._by_root({*change.contents, *on_disk}).items():
            contents = {key: change.contents[key] for key in keys if key in change.contents}
            try:
                touched = self._change_one(root, keys, contents, on_disk)
            except Exception as error:  # the next question builds the project anew
                self._report(error)
                self._projects.pop(root, None)
                touched = frozenset(self._own(root))
            self._stale |= (touched | contents.keys()) & self._open.keys()
        for root in [one for one in self._projects if not self._own(one)][:-_IDLE_PROJECTS]:
            del self._projects[root]
            self._stamps.pop(root, None)

    def _change_one(
        self,
        root: str,
        keys: Collection[str],
        contents: Mapping[str, Content | None],
        on_disk: Collection[str],
    ) -> frozenset[str]:
        """Whose findings may have changed in one project."""
        project = self._projects.get(root)
        if project is None:
            self._jobs.pop(root, None)
            return frozenset(self._own(root))
        listed = {*project.tree.targets, *project.tree.context}
        settings = self._job(root).settings
        if any((key in listed) != self._exists(key) for key in keys if not is_left_out(key, root, settings)):
            self._earlier[root] = self._projects.pop(root)
            self._jobs.pop(root, None)
            return frozenset(self._own(root))
        return project.change(contents, on_disk)

    def _exists(self, key: str) -> bool:
        return key in self._open or os.path.isfile(key)  # noqa: PTH113 - `Path` raises where it may not look

    def _begin_anew(self) -> None:
        self._earlier |= self._projects
        self._projects.clear()
        self._jobs.clear()
        self._stale |= self._open.keys()

    def _changed_on_disk(self) -> frozenset[str]:
        """The files of all projects that are not what they were when this was asked last."""
        changed: set[str] = set()
        for root, known in list(self._stamps.items()):
            try:
                now = _stamps_below(root, job_at(root, self._override, lambda message: None))
            except (PathError, OSError):
                now = {}
            changed |= {key for key in known.keys() | now.keys() if known.get(key) != now.get(key)}
            self._stamps[root] = now
        return frozenset(changed)

    # -- answers ---------------------------------------------------------------------------------------

    def _quickly(self, root: str, keys: Collection[str], progress: Progress) -> tuple[Judged, ...]:
        left_out = [key for key in keys if is_left_out(key, root, self._job(root).settings)]
        asked = [key for key in keys if key not in left_out]
        found = self._remembered(root, asked) if self._is_new(root) else None
        if found is None:
            found = self._found(root, asked, assume_fixes, progress)
        return (*found, *(self._nothing(root, key) for key in left_out))

    def _completely(self, root: str, key: str, progress: Progress) -> Judged:
        if is_left_out(key, root, self._job(root).settings):
            return self._nothing(root, key)
        if self._is_cold(key):
            # The plan that is remembered says nothing of what a keystroke will need.
            self._found(root, self._own(root), assume_fixes, progress)
        (found,) = self._found(root, [key], plan_fixes, progress)
        return found

    def _found(
        self, root: str, keys: Collection[str], planning: PlanFixes, progress: Progress
    ) -> tuple[Judged, ...]:
        """What is found in files of one project; where the analysis fails, that it does."""
        if not keys:
            return ()
        try:
            project = self._project(root)
            memory = memory_of(self._job(root)) if self._may_remember(root, planning) else None
            outcome = project.outcome(keys, planning, progress, memory or make_anew)
            return tuple(
                self._failed(root, key)
                if key in self._failing
                else self._judged(project, key, outcome, planning is plan_fixes)
                for key in keys
            )
        except ObsoleteError:
            raise
        except Exception as error:  # whatever it is, it must not end the server nor go unseen
            self._report(error)
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
        return Judged(key, self._open[key], _of(outcome, key), outcome.tree, problem, planned)

    def _problem(self, project: LiveProject, key: str, error: Exception) -> Finding | None:
        """What is wrong with a text that cannot be parsed, if it concerns us at all."""
        now = self._open[key]
        tree = project.tree.with_contents({key: now})
        finding = failure_finding(tree, key, error)
        if not project.takes_part(key) and not mentions_ours(tree.python(key)):
            return None
        selection = selection_of(self._job(self._root(key)).settings, tree.root.as_posix())
        return finding if selection.wants(finding.code, key) else None

    def _failed(self, root: str, key: str) -> Judged:
        nothing = self._nothing(root, key)
        return replace(nothing, problem=failure_finding(nothing.tree, key, NotIndexed(_CRASHED)))

    def _nothing(self, root: str, key: str) -> Judged:
        tree = SourceTree(Path(root), (key,), ()).with_contents({key: self._open[key]})
        return Judged(key, self._open[key], (), tree, planned=True)

    # -- memory ----------------------------------------------------------------------------------------

    def _is_new(self, root: str) -> bool:
        return root not in self._projects and root not in self._earlier

    def _is_cold(self, key: str) -> bool:
        return self._root(key) not in self._projects

    def _may_remember(self, root: str, planning: PlanFixes) -> bool:
        return planning is plan_fixes and self._is_saved(root)

    def _is_saved(self, root: str) -> bool:
        """Whether the open files of a project are the same on disk."""
        return root not in self._open and all(map(self._is_file, self._own(root)))

    def _is_file(self, key: str) -> bool:
        content = self._open[key]
        try:
            return (content.data if isinstance(content, Source) else content) == Path(key).read_bytes()
        except OSError:
            return False

    def _remembered(self, root: str, keys: Collection[str]) -> tuple[Judged, ...] | None:
        """What an earlier run has found in the files, if all is as it was then."""
        if not keys or not self._is_saved(root):
            return None
        job = self._job(root)
        own = {key: self._open[key] for key in self._own(root)}
        try:
            outcomes = remembered(job, own, keys)
        except Exception as error:  # the files are looked at instead
            self._report(error)
            return None
        if outcomes is None:
            return None
        return tuple(
            Judged(key, self._open[key], _of(outcome, key), outcome.tree, planned=True)
            for key, outcome in outcomes.items()
        )

    # -- projects --------------------------------------------------------------------------------------

    def _project(self, root: str) -> LiveProject:
        project = self._projects.get(root)
        if project is None:
            earlier = self._earlier.pop(root, None)
            project = LiveProject(self._job(root), earlier)
            if earlier is not None:
                # While a text is broken, the one that was judged before is not to be forgotten.
                held = earlier.tree.replaced
                project.change({key: held[key] for key in earlier.broken if key in held})
            self._hand_over(project, self._own(root))
            self._projects[root] = project
        return project

    def _hand_over(self, project: LiveProject, keys: Iterable[str]) -> None:
        """Give a new project the open texts. One that it fails at is judged as it is on disk."""
        for key in keys:
            try:
                project.change({key: self._open[key]})
            except Exception as error:  # the other texts are judged all the same
                self._report(error)
                self._failing.add(key)

    def _job(self, root: str) -> Job:
        """What is to be done for a project, in which all its open files are, whether on disk or not."""
        job = self._jobs.get(root)
        if job is None:
            job = self._jobs[root] = self._new_job(root)
        return job

    def _new_job(self, root: str) -> Job:
        if root in self._open:
            return job_alone(root, self._open[root], self._override)
        wrong: list[str] = []
        try:
            job = job_at(root, self._override, wrong.append)
        except (PathError, OSError):
            return self._job_of_unreadable(root)
        self._complain_once(root, wrong)
        self._stamps[root] = _stamps_below(root, job)
        tree = job.discovery.tree
        own = [key for key in self._own(root) if not is_left_out(key, root, job.settings)]
        targets = tuple(sorted({*tree.targets, *own}))
        tree = replace(tree, targets=targets, context=tuple(key for key in tree.context if key not in own))
        return replace(job, discovery=replace(job.discovery, tree=tree))

    def _job_of_unreadable(self, root: str) -> Job:
        """What is to be done for the open files below a folder that cannot be looked into."""
        own = self._own(root) or [f"{root}/text.py"]
        job = job_alone(own[0], self._open.get(own[0], b""), self._override)
        tree = replace(job.discovery.tree, root=Path(root), targets=tuple(own))
        return replace(job, discovery=replace(job.discovery, tree=tree))

    def _complain_once(self, root: str, wrong: Sequence[str]) -> None:
        """Tell what is wrong with a project's settings, unless that was the same before."""
        message = "".join(wrong[:1])
        if message and message != self._complaints.get(root):
            self._complain(message)
        self._complaints[root] = message

    def _own(self, root: str) -> list[str]:
        return [key for key in self._open if self._root(key) == root]

    def _root(self, key: str) -> str:
        return root_of(key, self._folders)

    def _by_root(self, keys: Iterable[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for key in sorted(keys):
            found.setdefault(self._root(key), []).append(key)
        return found


def _of(outcome: Outcome, key: str) -> tuple[Diagnosed, ...]:
    return tuple(one for one in outcome.diagnosed if one.diagnostic.path == key)


def _until(obsolete: threading.Event) -> Progress:
    """Has a search given up as soon as nobody waits for it."""

    def progress(done: int, steps: int) -> None:
        if obsolete.is_set():
            raise ObsoleteError

    return progress


def _stamps_below(root: str, job: Job) -> dict[str, Stamp | None]:
    """By what a later look at the files of a project shows which are others."""
    tree = job.discovery.tree
    return take_stamps((*tree.targets, *tree.context, *(f"{root}/{name}" for name in _DECISIVE)))


def _without_fixes(judged: Judged) -> Judged:
    found = tuple(
        one._replace(diagnostic=replace(one.diagnostic, fix=None), fix=None) for one in judged.diagnosed
    )
    return replace(judged, diagnosed=found, planned=True)
