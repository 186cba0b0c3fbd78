"""A project while it is edited: after each change only what it can have touched is looked at again.

An editor asks after every keystroke. So the facts of all files are kept, and what the bytes of each say
about its imports; only the programs that contain a changed file are judged anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from npu_migrate.engine.analysis import Analyser, TreePart, names_of_ours
from npu_migrate.engine.job import Analysis, Job, Outcome, Progress, Recall, make_anew, tell_nobody
from npu_migrate.engine.request import rule_options, source_folders
from npu_migrate.engine.run import run
from npu_migrate.index.facts import FileFacts
from npu_migrate.index.indexing import Sheet, index_sheet
from npu_migrate.index.rebuild import rebuild_facts
from npu_migrate.programs.programs import relevant_files, relevant_files_after
from npu_migrate.programs.sketches import KeptSketches
from npu_migrate.project.editing import edited, keep_answers, with_comments
from npu_migrate.project.project import Project
from npu_migrate.rewrite.tokens import comment_around
from npu_migrate.sources.shifts import shift_between
from npu_migrate.sources.source import Source, SourceError, decode
from npu_migrate.sources.tree import SourceTree
from npu_migrate.training.libraries import LIBRARIES

if TYPE_CHECKING:
    from npu_migrate.engine.job import PlanFixes


_KEPT = 8
"""For how many sets of files that were asked about the answers are kept that a next question builds upon."""


class _Taken(NamedTuple):
    """What a change makes of the texts in memory.

    `held` are all of them now. Those that `changed` have new `facts`, unless they are no text or gone;
    `reworded` are those in which only a comment is another.
    """

    held: Mapping[str, Source | bytes]
    changed: frozenset[str]
    reworded: frozenset[str]
    facts: Mapping[str, FileFacts]


class LiveProject:
    """The files of one `Job` as they are now, in editors and on disk.

    While somebody types, a text is often no Python. The project then goes on with the last text of that file
    that was; `broken` says which files that concerns, and what is wrong with their present text.

    It is changed in place, by one thread at a time. What it gives out does not change. `earlier`, which is
    not to be used any more, may leave to it what it knows of files that are still the same: not of those
    that are `different` on disk. `sketches` are those of the files on disk, if somebody has them.
    """

    def __init__(
        self,
        job: Job,
        earlier: LiveProject | None = None,
        different: Collection[str] = (),
        sketches: KeptSketches | None = None,
    ) -> None:
        self._job = job
        self._tree = job.discovery.tree
        self._src = source_folders(job.settings, self._tree.root)
        self._sketches = sketches or KeptSketches(self._tree, names_of_ours(rule_options(job.settings)))
        if earlier is not None:
            same = self._unchanged_since(earlier).difference(different)
            self._sketches.inherit(earlier._sketches, same)
        self._relevance = relevant_files(self._tree, self._src, self._sketches)
        self._imports = self._relevance.programs.imports
        self._targets = frozenset(self._tree.targets)
        self._project = Project(self._tree, self._relevance, LIBRARIES, rule_options(job.settings))
        if earlier is not None:
            self._project.take_facts(earlier._project, same)
        self._projects: dict[frozenset[str], Project] = {}
        self._analyses: dict[frozenset[str], Analysis] = {}
        self._broken: dict[str, Exception] = {}

    @property
    def tree(self) -> SourceTree:
        """All files, with the contents that are judged."""
        return self._tree

    @property
    def broken(self) -> Mapping[str, Exception]:
        """The files whose present text cannot be parsed while an earlier one is judged, with the reason."""
        return dict(self._broken)

    def takes_part(self, key: str) -> bool:
        """Whether there can be anything to find in the file `key`, or because of it."""
        return key in self._relevance.ours or key in self._relevance.supporting

    def neighbours(self, keys: Iterable[str]) -> frozenset[str]:
        """The files whose findings may change with those of `keys`, these included."""
        keys = frozenset(keys)
        return self._relevance.programs.affected_by(keys) | keys

    def change(
        self, contents: Mapping[str, Source | bytes | None], on_disk: Collection[str] = ()
    ) -> frozenset[str]:
        """Take over changed files and say whose findings may have changed.

        `contents` are what editors hold, None for a file that no editor holds any more; `on_disk` are files
        that have changed there. A file that the project does not have is passed over.
        """
        known = {*self._tree.targets, *self._tree.context}
        changed = {key for key in on_disk if key in known and key not in self._tree.replaced}
        taken = self._taken({key: content for key, content in contents.items() if key in known})
        changed |= taken.changed
        reworded, facts = taken.reworded, dict(taken.facts)
        self._tree = replace(self._tree, replaced=taken.held)
        differs = self._sketches.moved_on(self._tree, changed | reworded)
        if not changed and not differs:
            self._reword()
            return reworded
        facts |= {key: same for key in reworded if (same := self._project.facts(key)) is not None}
        changed |= reworded
        before = self.neighbours(changed)
        if differs:
            self._choose_files_after(changed)
        self._project = edited(self._project, self._tree, self._relevance, changed)
        self._project.give_facts(facts)
        self._projects = {
            asked: self._moved_on(project, changed, facts) for asked, project in self._projects.items()
        }
        self._analyses.clear()
        return before | self.neighbours(changed)

    def outcome(
        self,
        keys: Iterable[str],
        plan_fixes: PlanFixes,
        progress: Progress = tell_nobody,
        recall: Recall = make_anew,
    ) -> Outcome:
        """What is found in the files `keys`; fixes may change the others too.

        `progress` may raise an exception to have the search given up. `recall` may know the answer.
        """
        asked = frozenset(keys) & self._targets
        project = self._focused(asked)

        def split(tree: SourceTree, _: object) -> tuple[TreePart]:
            known = self._analyses.get(asked)
            if known is None:
                known = Analyser(project, progress, self._job.rules)(project.tree)
                self._analyses[asked] = known
            analyser = Analyser(project, progress, self._job.rules, known)
            return (TreePart(tree, project.relevance, started=analyser),)

        job = replace(
            self._job,
            discovery=replace(self._job.discovery, tree=project.tree, unread=()),
            split=split,
            plan_fixes=plan_fixes,
            recall=recall,
        )
        try:
            return run(job)
        finally:
            self._project.take_facts(project)

    def rest(self) -> None:
        """Tidy up while nobody waits: what is known of earlier texts is forgotten."""
        for project in self._projects.values():
            project.answers.forget_stale()

    def _taken(self, contents: Mapping[str, Source | bytes | None]) -> _Taken:
        """What becomes of the texts in memory with `contents`; notes which of these are `broken`."""
        held = dict(self._tree.replaced)
        changed: set[str] = set()
        reworded: set[str] = set()
        facts: dict[str, FileFacts] = {}
        for key, content in contents.items():
            self._broken.pop(key, None)
            if content is None:
                held.pop(key, None)
            elif self._differs_in_a_comment(key, content):
                held[key] = content
                reworded.add(key)
                continue
            else:
                found = self._rebuilt(key, content) or _facts_of(key, content)
                if isinstance(found, FileFacts):
                    facts[key] = found
                elif self._project.failure(key) is None:
                    self._broken[key] = found
                    continue
                held[key] = content
            changed.add(key)
        return _Taken(held, frozenset(changed), frozenset(reworded), facts)

    def _choose_files_after(self, changed: Collection[str]) -> None:
        """Look again for the files that matter; mostly they are the same, and all that is known stays.

        That a file without a role imports something else may change an answer even then.
        """
        relevance = relevant_files_after(self._relevance, self._imports, self._tree, self._sketches, changed)
        self._imports = relevance.programs.imports
        with_facts = self._relevance.ours | self._relevance.supporting
        if with_facts.issuperset(changed) and relevance.chooses_as(self._relevance):
            return
        self._relevance = relevance
        self._projects.clear()

    def _focused(self, asked: frozenset[str]) -> Project:
        """The project for questions about the files `asked`; the latest of these projects are kept."""
        project = self._projects.pop(asked, None)
        if project is None:
            tree = replace(self._tree.focused(asked), editable=self._targets)
            project = edited(self._project, tree, self._relevance.around(asked))
            project.answers.note_what_they_rest_on()
        self._projects[asked] = project
        while len(self._projects) > _KEPT:
            oldest = next(iter(self._projects))
            del self._projects[oldest]
            self._analyses.pop(oldest, None)
        return project

    def _differs_in_a_comment(self, key: str, content: Source | bytes) -> bool:
        """Whether a text is the one that is judged, but for words in one comment that nobody asks for."""
        known = self._judged_script(key)
        if known is None or not _is_script(content):
            return False
        judged, _ = known
        return _is_in_comment(judged.text, content.text) and all(
            (text in judged.data) == (text in content.data) for text in self._project.searched
        )

    def _rebuilt(self, key: str, content: Source | bytes) -> FileFacts | None:
        """The facts of a text, made of those of the text that is judged where there is a short way."""
        known = self._judged_script(key)
        if known is None or not _is_script(content):
            return None
        judged, facts = known
        shift = shift_between(judged.text, content.text)
        removed = judged.text[shift.start : shift.end]
        added = content.text[shift.start : shift.end + shift.growth]
        return rebuild_facts(facts, content.text, shift.start, removed, added)

    def _judged_script(self, key: str) -> tuple[Source, FileFacts] | None:
        """The text of a file that is judged, with its facts, if it is in memory, no notebook, and matters."""
        judged = self._tree.replaced.get(key)
        if judged is None or not _is_script(judged) or not self.takes_part(key):
            return None
        facts = self._project.facts(key)
        return None if facts is None else (judged, facts)

    def _reword(self) -> None:
        """Go over to texts in which only comments are others."""
        self._project = with_comments(self._project, self._tree)
        self._projects = {
            asked: with_comments(project, replace(project.tree, replaced=self._tree.replaced))
            for asked, project in self._projects.items()
        }

    def _moved_on(
        self, project: Project, changed: Collection[str], facts: Mapping[str, FileFacts]
    ) -> Project:
        """One of the projects that were asked, in which the files `changed` are what they are now."""
        later = edited(project, replace(project.tree, replaced=self._tree.replaced), forgotten=changed)
        later.give_facts(facts)
        keep_answers(later, project, changed)
        return later

    def _unchanged_since(self, earlier: LiveProject) -> frozenset[str]:
        """The files that both know and of which both have the same text in memory, or none."""
        ours = {*self._tree.targets, *self._tree.context}
        theirs = {*earlier.tree.targets, *earlier.tree.context}
        return frozenset(
            key for key in ours & theirs if self._tree.replaced.get(key) is earlier.tree.replaced.get(key)
        )


def _is_script(content: Source | bytes) -> TypeGuard[Source]:
    """Whether a text is one, and not that of a notebook."""
    return isinstance(content, Source) and content.notebook is None


def _is_in_comment(old: str, new: str) -> bool:
    """Whether the only difference of a text to an `old` one, which is Python, is within one comment."""
    shift = shift_between(old, new)
    around = comment_around(old, shift.start)
    if around is None or shift.end > around[1]:
        return False
    written = new[shift.start : shift.end + shift.growth]
    return "\n" not in written and "\r" not in written


def _facts_of(key: str, content: Source | bytes) -> FileFacts | Exception:
    try:
        source = content if isinstance(content, Source) else decode(key, content)
    except SourceError as error:
        return error
    pieces = source.pieces if source.notebook is not None else ()
    found = index_sheet(Sheet(key, source.text, pieces))
    return found if isinstance(found, FileFacts) else found.error
