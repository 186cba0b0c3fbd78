"""A project while it is edited: after each change only what it can have touched is looked at again.

An editor asks after every keystroke. So the facts of all files are kept, and what the bytes of each say
about its imports; only the programs that contain a changed file are judged anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from npu_migrate.engine.analysis import Analyser
from npu_migrate.engine.request import rule_options, source_folders
from npu_migrate.engine.run import Job, Outcome, run
from npu_migrate.project.programs import relevant_files
from npu_migrate.project.project import Project
from npu_migrate.project.sketches import Roles, Sketch, TreeSketches
from npu_migrate.sources.source import Source
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.engine.run import PlanFixes


class KeptSketches:
    """The sketches of files, made once; `forget` what has changed."""

    def __init__(self, tree: SourceTree) -> None:
        self._made = TreeSketches(tree)
        self._sketches: dict[str, Sketch] = {}
        self._roles: dict[str, Roles] = {}

    def sketch(self, key: str) -> Sketch:
        """The sketch of the file `key`."""
        known = self._sketches.get(key)
        if known is None:
            known = self._sketches[key] = self._made.sketch(key)
        return known

    def roles(self, key: str) -> Roles:
        """The roles of the file `key`."""
        known = self._roles.get(key)
        if known is None:
            known = self._roles[key] = self._made.roles(key)
        return known

    def concerns_us(self, key: str) -> bool:
        """Whether there can be anything to find in the file `key`."""
        return self.sketch(key).ours or self.roles(key).plain

    def moved_on(self, tree: SourceTree, changed: Iterable[str]) -> bool:
        """Go over to `tree`, in which the files `changed` are others; whether a sketch or role differs."""
        self._made = TreeSketches(tree)
        differs = False
        for key in changed:
            before = self._sketches.pop(key, None), self._roles.pop(key, None)
            if before != (self.sketch(key), self.roles(key)):
                differs = True
        return differs


class LiveProject:
    """The files of one `Job` as they are now, in editors and on disk.

    It is changed in place, by one thread at a time. What it gives out does not change.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._tree = job.discovery.tree
        self._src = source_folders(job.settings, self._tree.root)
        self._sketches = KeptSketches(self._tree)
        self._relevance = relevant_files(self._tree, self._src, self._sketches)
        self._targets = frozenset(self._tree.targets)
        self._project = Project(self._tree, self._relevance, rule_options(job.settings))
        self._projects: dict[frozenset[str], Project] = {}

    @property
    def tree(self) -> SourceTree:
        """All files, with the contents that editors have given them."""
        return self._tree

    def neighbours(self, keys: Iterable[str]) -> frozenset[str]:
        """The files whose findings may change with those of `keys`, these included."""
        keys = frozenset(keys)
        return self._relevance.programs.neighbours_of(keys) | keys

    def change(
        self, contents: Mapping[str, Source | bytes | None], on_disk: Collection[str] = ()
    ) -> frozenset[str]:
        """Take over changed files and say whose findings may have changed.

        `contents` are what editors hold, None for a file that no editor holds any more; `on_disk` are files
        that have changed there. A file that the project does not have is passed over.
        """
        known = {*self._tree.targets, *self._tree.context}
        changed = frozenset({*contents, *on_disk} & known)
        held = {key: text for key, text in contents.items() if text is not None and key in known}
        kept = {key: text for key, text in self._tree.replaced.items() if key not in contents}
        before = self.neighbours(changed)
        self._tree = replace(self._tree, replaced={**kept, **held})
        if self._sketches.moved_on(self._tree, changed):
            self._relevance = relevant_files(self._tree, self._src, self._sketches)
            self._projects.clear()
        self._project = self._project.edited(self._tree, self._relevance, changed)
        self._projects = {
            asked: project.edited(replace(project.tree, replaced=self._tree.replaced), forgotten=changed)
            for asked, project in self._projects.items()
        }
        return before | self.neighbours(changed)

    def outcome(self, keys: Iterable[str], plan_fixes: PlanFixes) -> Outcome:
        """What is found in the files `keys`; fixes may change the others too."""
        asked = frozenset(keys) & self._targets
        project = self._projects.get(asked)
        if project is None:
            relevance = self._relevance.around(asked)
            tree = replace(self._tree.focused(asked), editable=self._targets)
            project = self._projects[asked] = self._project.edited(tree, relevance)
        job = replace(
            self._job,
            discovery=replace(self._job.discovery, tree=project.tree, unread=()),
            analyse=Analyser.continuing(project),
            plan_fixes=plan_fixes,
        )
        found = run(job)
        self._project.take_facts(project)
        return found
