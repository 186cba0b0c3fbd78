"""What lies on the desk: the projects of the open documents, judged together with what is on disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from npu_migrate.engine.diagnosing import Diagnosed
from npu_migrate.engine.fixing import assume_fixes, plan_fixes
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.live import LiveProject
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import Job
from npu_migrate.settings import Settings, SettingsError
from npu_migrate.sources.discovery import ROOT_MARKERS, key_of
from npu_migrate.sources.source import Source
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.engine.run import PlanFixes

Content = Source | bytes

_SETTINGS = "/pyproject.toml"


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found in one file: `content` is the text that was judged, `now` the text at present.

    They differ while the present text cannot be parsed; `error` then says why.
    """

    key: str
    content: Content
    now: Content
    diagnosed: tuple[Diagnosed, ...]
    tree: SourceTree
    error: Exception | None = None


class Desk:
    """All projects with open files. It is used by one thread.

    `folders` are the keys of the editor's workspace folders. `complain` is told what is wrong with a
    project's settings.
    """

    def __init__(self, folders: Collection[str], complain: Callable[[str], None]) -> None:
        self._folders = frozenset(folders)
        self._complain = complain
        self._open: dict[str, Content] = {}
        self._projects: dict[str, LiveProject] = {}

    def set_folders(self, folders: Collection[str]) -> None:
        """Take over the workspace folders; all projects are looked at anew."""
        self._folders = frozenset(folders)
        self._projects.clear()

    def change(self, contents: Mapping[str, Content | None], on_disk: Collection[str] = ()) -> frozenset[str]:
        """Take over what is open now and what has changed on disk; whose findings may have changed.

        A file with None is not open any more. Only open files are named in the answer.
        """
        for key, content in contents.items():
            if content is None:
                self._open.pop(key, None)
            else:
                self._open[key] = content
        if any(key.endswith(_SETTINGS) for key in on_disk):
            self._projects.clear()
            return frozenset(self._open)
        touched: set[str] = set()
        for root, keys in self._by_root({*contents, *on_disk}).items():
            touched |= self._change_one(root, keys, {k: contents[k] for k in keys if k in contents}, on_disk)
        return frozenset(touched & self._open.keys())

    def judge(self, keys: Iterable[str]) -> tuple[Judged, ...]:
        """What is found in open files; whether their fixes can be carried out is not looked at."""
        return self._judge(keys, assume_fixes)

    def plan(self, keys: Iterable[str]) -> tuple[Judged, ...]:
        """What is found in open files, with the edits of their fixes."""
        return self._judge(keys, plan_fixes)

    def _judge(self, keys: Iterable[str], planning: PlanFixes) -> tuple[Judged, ...]:
        found: list[Judged] = []
        for root, asked in self._by_root(keys).items():
            project = self._project(root)
            known = [key for key in asked if key in self._open]
            outcome = project.outcome(known, planning)
            for key in known:
                found.append(
                    Judged(
                        key,
                        project.tree.replaced.get(key, self._open[key]),
                        self._open[key],
                        tuple(one for one in outcome.diagnosed if one.diagnostic.path == key),
                        outcome.tree,
                        project.broken.get(key),
                    )
                )
        return tuple(found)

    def _change_one(
        self,
        root: str,
        keys: Collection[str],
        contents: Mapping[str, Content | None],
        on_disk: Collection[str],
    ) -> frozenset[str]:
        project = self._projects.get(root)
        if project is None:
            return frozenset(self._open)
        listed = {*project.tree.targets, *project.tree.context}
        if any((key in listed) != self._exists(key) for key in keys):
            self._projects[root] = self._opened(root, project)
            return frozenset(self._open)
        return project.change(contents, on_disk)

    def _exists(self, key: str) -> bool:
        return key in self._open or Path(key).is_file()

    def _project(self, root: str) -> LiveProject:
        project = self._projects.get(root)
        if project is None:
            project = self._projects[root] = self._opened(root, None)
        return project

    def _opened(self, root: str, earlier: LiveProject | None) -> LiveProject:
        """The project at `root` with all open files below it, whether they are on disk or not."""
        job = self._job(root)
        tree = job.discovery.tree
        own = [key for key in self._open if self.root_of(key) == root]
        targets = tuple(sorted({*tree.targets, *own}))
        tree = replace(tree, targets=targets, context=tuple(k for k in tree.context if k not in own))
        project = LiveProject(replace(job, discovery=replace(job.discovery, tree=tree)), earlier)
        project.change({key: self._open[key] for key in own})
        return project

    def _job(self, root: str) -> Job:
        request = Request(paths=(root,), root=Path(root))
        machinery = installed_machinery()
        try:
            job = prepare(request, machinery)
        except SettingsError as error:
            self._complain(str(error))
            job = prepare(replace(request, settings=Settings()), machinery)
        return replace(job, display=lambda key: key)

    def _by_root(self, keys: Iterable[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for key in sorted(keys):
            found.setdefault(self.root_of(key), []).append(key)
        return found

    def root_of(self, key: str) -> str:
        """The folder of the project that a file belongs to.

        As on the command line that is the nearest folder above with one of `ROOT_MARKERS`; where there is
        none, the workspace folder that holds the file, unless that is a whole disk or home; else its own.
        """
        own = key.rpartition("/")[0] or "/"
        holders = [folder for folder in self._folders if own == folder or own.startswith(f"{folder}/")]
        for folder in (own, *(parent.as_posix() for parent in Path(own).parents)):
            if any((Path(folder) / marker).exists() for marker in ROOT_MARKERS):
                return folder
        narrow = [folder for folder in holders if folder not in ("/", key_of(Path.home()))]
        return max(narrow, key=len, default=own)
