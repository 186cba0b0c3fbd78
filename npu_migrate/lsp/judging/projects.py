"""The projects of the open documents, as they are now: in editors, and on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from npu_migrate.engine.analysis import names_of_ours
from npu_migrate.engine.fixes.applying import Stamp, take_stamps
from npu_migrate.engine.job import Job
from npu_migrate.engine.live import LiveProject
from npu_migrate.engine.remembering.kept_sketches import SketchesOnDisk
from npu_migrate.engine.remembering.plans import PlanMemory
from npu_migrate.engine.request import rule_options
from npu_migrate.lsp.judging.change import Change
from npu_migrate.lsp.judging.listener import Listener
from npu_migrate.lsp.judging.memory import memory_of
from npu_migrate.lsp.judging.roots import Override, is_left_out, is_passed_over, job_alone, job_at, root_of
from npu_migrate.lsp.texts.documents import Content
from npu_migrate.settings import Settings
from npu_migrate.sources.discovery import PathError, key_of
from npu_migrate.sources.source import Source

_DECISIVE = frozenset({"pyproject.toml", "setup.py", ".gitignore"})
"""Files that decide what a project is, which files it has, and how they are judged."""
_IDLE_PROJECTS = 2

Stamps = Mapping[str, Stamp | None]


class _Earlier(NamedTuple):
    """A project that another one takes the place of, and the stamps that its files had when it was made."""

    project: LiveProject
    stamps: Stamps


class Projects:
    """All projects with open files. Used by one thread."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._folders: Collection[str] = ()
        self._override: Override = lambda found: found
        self._open: dict[str, Content] = {}
        self._jobs: dict[str, Job] = {}
        self._memories: dict[str, PlanMemory | None] = {}
        self._unkept: list[Callable[[], None]] = []
        self._live: dict[str, LiveProject] = {}
        self._earlier: dict[str, _Earlier] = {}
        self._stamps_when_made: dict[str, Stamps] = {}
        self._stamps_when_seen: dict[str, Stamps] = {}
        self._failing: set[str] = set()
        self._complaints: dict[str, str] = {}

    def configure(self, folders: Collection[str], override: Override) -> None:
        """Take over the keys of the workspace folders, and what the user of the editor wants otherwise."""
        self._folders = tuple(folders)
        self._override = override
        self._begin_anew()

    # -- questions -------------------------------------------------------------------------------------

    @property
    def open(self) -> Mapping[str, Content]:
        """What editors hold, by the keys of the files."""
        return self._open

    def root(self, key: str) -> str:
        """The folder of the project that a file belongs to."""
        return root_of(key, self._folders)

    def own(self, root: str) -> list[str]:
        """The open files that belong to the project at `root`."""
        return [key for key in self._open if self.root(key) == root]

    def by_root(self, keys: Iterable[str]) -> dict[str, list[str]]:
        """Files by the project that they belong to."""
        found: dict[str, list[str]] = {}
        for key in sorted(keys):
            found.setdefault(self.root(key), []).append(key)
        return found

    def is_live(self, root: str) -> bool:
        """Whether a project is there, and need not be made to answer."""
        return root in self._live

    def is_new(self, root: str) -> bool:
        """Whether nothing is known of a project."""
        return root not in self._live and root not in self._earlier

    def is_failing(self, key: str) -> bool:
        """Whether the text of an open file could not be taken over."""
        return key in self._failing

    def is_saved(self, root: str) -> bool:
        """Whether the open files of a project are the same on disk."""
        return root not in self._open and all(map(self._is_on_disk, self._held(root)))

    def job(self, root: str) -> Job:
        """What is to be done for a project, in which all its open files are, whether on disk or not."""
        job = self._jobs.get(root)
        if job is None:
            job = self._jobs[root] = self._new_job(root)
        return job

    def project(self, root: str) -> LiveProject:
        """The project at `root` as it is now."""
        project = self._live.get(root)
        if project is None:
            job = self.job(root)
            earlier = self._earlier.pop(root, None)
            if earlier is None:
                project = self._new_project(root, job)
            else:
                project = LiveProject(
                    job, earlier.project, _differing(earlier.stamps, self._stamps_when_made[root])
                )
                # While a text is broken, the one that was judged before is not to be forgotten.
                judged = earlier.project.tree.replaced
                project.change({key: judged[key] for key in earlier.project.broken if key in judged})
            self._hand_over(project, self._held(root))
            self._live[root] = project
        return project

    def memory(self, root: str) -> PlanMemory | None:
        """What earlier runs know of a project; None where they could leave nothing."""
        if root not in self._memories:
            self._memories[root] = memory_of(self.job(root))
        return self._memories[root]

    def rest(self) -> None:
        """Tidy up while nobody waits."""
        while self._unkept:
            self._unkept.pop()()
        for project in self._live.values():
            project.rest()

    # -- changes ---------------------------------------------------------------------------------------

    def take(self, change: Change) -> frozenset[str]:
        """Take over a change; the open files whose findings may be others now."""
        for key, content in change.contents.items():
            self._failing.discard(key)
            if content is None:
                self._open.pop(key, None)
            else:
                self._open[key] = content
        on_disk = change.on_disk | (self._changed_on_disk() if change.look else frozenset())
        if any(map(self._is_decisive, on_disk)):
            self._begin_anew()
            return frozenset(self._open)
        keys = {*change.contents, *on_disk}
        stale = change.contents.keys() | change.again
        for root in {*map(self.root, keys), *self._live}:
            own = sorted(key for key in keys if _is_within(key, root))
            if own:
                stale |= self._change_one(root, own, change.contents, on_disk)
        self._forget_idle()
        return frozenset(stale & self._open.keys())

    def _change_one(
        self, root: str, keys: Sequence[str], contents: Mapping[str, Content | None], on_disk: Collection[str]
    ) -> frozenset[str]:
        """Whose findings may have changed in one project with those of `keys`."""
        project = self._live.get(root)
        if project is None:
            self._jobs.pop(root, None)
            return frozenset(self.own(root))
        try:
            if not self._has_other_files(root, project, keys):
                return project.change({key: contents[key] for key in keys if key in contents}, on_disk)
            self._set_aside(root)
        except Exception as error:  # the next question builds the project anew
            self._listener.report(error)
            del self._live[root]
        return frozenset(self.own(root))

    def _has_other_files(self, root: str, project: LiveProject, keys: Iterable[str]) -> bool:
        """Whether some of `keys` are files that a project does not have yet, or does not have any more."""
        job = self.job(root)
        listed = {*project.tree.targets, *project.tree.context}
        for key in keys:
            if key in listed:
                if not self._exists(key):
                    return True
            elif key in job.discovery.folders or (self._exists(key) and not is_passed_over(key, root, job)):
                return True
        return False

    def _exists(self, key: str) -> bool:
        return key in self._open or os.path.isfile(key)  # noqa: PTH113 - `Path` raises where it may not look

    def _is_decisive(self, key: str) -> bool:
        return key.rpartition("/")[2] in _DECISIVE or any(
            key == _baseline(root, job.settings) for root, job in self._jobs.items()
        )

    def _begin_anew(self) -> None:
        for root in list(self._live):
            self._set_aside(root)
        self._jobs.clear()
        self._memories.clear()

    def _set_aside(self, root: str) -> None:
        self._earlier[root] = _Earlier(self._live.pop(root), self._stamps_when_made[root])
        self._jobs.pop(root, None)

    def _forget_idle(self) -> None:
        """Forget the projects without open files, but for the last few."""
        busy = set(map(self.root, self._open))
        for root in [one for one in self._live if one not in busy][:-_IDLE_PROJECTS]:
            del self._live[root]
            self._stamps_when_made.pop(root, None)
            self._stamps_when_seen.pop(root, None)
        for root in self._earlier.keys() - busy:
            del self._earlier[root]

    def _changed_on_disk(self) -> frozenset[str]:
        """The files of all projects that are not what they were when this was asked last."""
        changed: set[str] = set()
        for root, known in list(self._stamps_when_seen.items()):
            try:
                now = _stamps_below(root, job_at(root, self._override, lambda message: None))
            except (PathError, OSError):
                now = {}
            changed |= _differing(known, now)
            self._stamps_when_seen[root] = now
        return frozenset(changed)

    def _hand_over(self, project: LiveProject, keys: Iterable[str]) -> None:
        """Give a new project the open texts. One that it fails at is judged as it is on disk."""
        for key in keys:
            try:
                project.change({key: self._open[key]})
            except Exception as error:  # the other texts are judged all the same
                self._listener.report(error)
                self._failing.add(key)

    def _new_project(self, root: str, job: Job) -> LiveProject:
        """A project of which nothing is known here, with what earlier runs have seen of its files."""
        memory = self.memory(root) if root not in self._open else None
        if memory is None:
            return LiveProject(job)
        tree = job.discovery.tree
        names = names_of_ours(rule_options(job.settings))
        known = SketchesOnDisk.of(memory.seen(tree), tree, names)
        project = LiveProject(job, sketches=known.sketches)
        # Later the sketches are those of texts in editors.
        keeping = known.keeping()
        if keeping is not None:
            self._unkept.append(keeping)
        return project

    # -- jobs ------------------------------------------------------------------------------------------

    def _new_job(self, root: str) -> Job:
        self._stamps_when_made[root] = {}
        if root in self._open:
            return job_alone(root, self._open[root], self._override)
        wrong: list[str] = []
        try:
            job = job_at(root, self._override, wrong.append)
        except (PathError, OSError):
            return self._job_of_unreadable(root)
        self._complain_once(root, wrong)
        self._stamps_when_made[root] = self._stamps_when_seen[root] = _stamps_below(root, job)
        baseline = _baseline(root, job.settings)
        if baseline is not None:
            self._listener.watch(baseline)
        tree = job.discovery.tree
        own = {key for key in self.own(root) if not is_left_out(key, root, job.settings)}
        own |= {key for key in self._held(root) if not is_passed_over(key, root, job)}
        targets = tuple(sorted({*tree.targets, *own}))
        tree = replace(tree, targets=targets, context=tuple(key for key in tree.context if key not in own))
        return replace(job, discovery=replace(job.discovery, tree=tree))

    def _job_of_unreadable(self, root: str) -> Job:
        """What is to be done for the open files below a folder that cannot be looked into."""
        own = self.own(root) or [f"{root}/text.py"]
        job = job_alone(own[0], self._open.get(own[0], b""), self._override)
        tree = replace(job.discovery.tree, root=Path(root), targets=tuple(own))
        return replace(job, discovery=replace(job.discovery, tree=tree))

    def _complain_once(self, root: str, wrong: Sequence[str]) -> None:
        """Tell what is wrong with a project's settings, unless that was the same before."""
        message = "".join(wrong[:1])
        if message and message != self._complaints.get(root):
            self._listener.complain(message)
        self._complaints[root] = message

    def _held(self, root: str) -> list[str]:
        """The open files at or below `root`: its own, and those of projects within it."""
        return [key for key in self._open if _is_within(key, root)]

    def _is_on_disk(self, key: str) -> bool:
        content = self._open[key]
        try:
            return (content.data if isinstance(content, Source) else content) == Path(key).read_bytes()
        except OSError:
            return False


def _is_within(key: str, root: str) -> bool:
    return key == root or key.startswith(f"{root}/")


def _baseline(root: str, settings: Settings) -> str | None:
    """The file of accepted findings that the settings of a project name."""
    return None if settings.baseline is None else key_of(f"{root}/{settings.baseline}")


def _stamps_below(root: str, job: Job) -> Stamps:
    """By what a later look at the files of a project shows which are others."""
    tree = job.discovery.tree
    baseline = _baseline(root, job.settings)
    deciding = [f"{root}/{name}" for name in sorted(_DECISIVE)]
    return take_stamps((*tree.targets, *tree.context, *deciding, *([baseline] if baseline else [])))


def _differing(known: Stamps, now: Stamps) -> frozenset[str]:
    """The files that were changed, made or removed between two looks."""
    return frozenset(key for key in known.keys() | now.keys() if known.get(key) != now.get(key))
