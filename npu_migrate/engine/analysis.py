"""From a tree of files to the findings of all rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from npu_migrate.engine.checking import check
from npu_migrate.engine.job import Analysis, Progress, tell_nobody
from npu_migrate.findings import Finding, Related
from npu_migrate.index.gate import PORTED_NAMES
from npu_migrate.index.indexing import Index, Sheet, index_here
from npu_migrate.intents import AddModule, Intent, path_of
from npu_migrate.places import Place
from npu_migrate.programs.graph import TreeImports
from npu_migrate.programs.programs import Program, Relevance, Sketches, relevant_files
from npu_migrate.programs.sketches import TreeSketches
from npu_migrate.project.editing import edited
from npu_migrate.project.fact_store import sheets_of
from npu_migrate.project.options import NO_OPTIONS, RuleOptions
from npu_migrate.project.project import Project
from npu_migrate.rules import ALL_RULES
from npu_migrate.rules.failures import RuleFailure, failure_finding, rule_failure_finding
from npu_migrate.rules.rule import Rule
from npu_migrate.sources.source import SourceError, UnreadableFile
from npu_migrate.sources.tree import SourceTree
from npu_migrate.training.libraries import LIBRARIES


def names_of_ours(options: RuleOptions) -> tuple[bytes, ...]:
    """The names that make a file one of ours besides those that always do."""
    return PORTED_NAMES if options.port else ()


class Splitter:
    """Finds the parts of a tree that can be analysed each by itself.

    `src` are configured folders with top-level modules, as absolute paths; `options` is what rules may
    know of the settings. `progress` is told the steps done, and of how many, as the parts are analysed.
    `index` builds the facts of files. A tree with other texts in the same files has the parts that it had
    before. `rules` are those whose findings are wanted.
    """

    def __init__(
        self,
        src: tuple[str, ...] = (),
        options: RuleOptions = NO_OPTIONS,
        progress: Progress = tell_nobody,
        index: Index = index_here,
        rules: Sequence[Rule] = ALL_RULES,
    ) -> None:
        self._src = src
        self._options = options
        self._progress = progress
        self._index = index
        self._rules = rules
        self._last: tuple[SourceTree, tuple[Relevance, ...]] | None = None

    def __call__(self, tree: SourceTree, sketches: Sketches | None = None) -> tuple[TreePart, ...]:
        """The parts of `tree`, the largest first. Without `sketches` they are made of what the files hold."""
        if self._last is None or not _same_files(self._last[0], tree):
            sketches = sketches or TreeSketches(tree, names_of_ours(self._options))
            self._last = tree, relevant_files(tree, self._src, sketches).parts()
        parts = self._last[1]
        return tuple(
            TreePart(tree, part, self._options, self._index, progress, self._rules)
            for part, progress in zip(parts, self._shares(parts), strict=True)
        )

    def _shares(self, parts: Sequence[Relevance]) -> Iterator[Progress]:
        """For each part, what it tells its progress to: its steps are some of all steps."""
        checking = _checking(self._rules)
        *before, total = accumulate((_steps(part, checking) for part in parts), initial=0)
        return (partial(_share, self._progress, done, total) for done in before)


@dataclass(frozen=True, slots=True)
class TreePart:
    """Files of `tree` that can be analysed by themselves, and what that takes. Nothing has been parsed yet.

    `started` is an analyser of this part that is there already.
    """

    tree: SourceTree
    relevance: Relevance
    options: RuleOptions = NO_OPTIONS
    index: Index = index_here
    progress: Progress = tell_nobody
    rules: Sequence[Rule] = ALL_RULES
    started: Analyser | None = None

    @property
    def programs(self) -> Iterable[Program]:
        """The programs, in order of their entries: what they name may decide what is found, and no others."""
        return self.relevance.programs.by_entry.values()

    @property
    def imports(self) -> TreeImports:
        """The imports between the files of the tree."""
        return self.relevance.programs.imports

    @property
    def weight(self) -> int:
        """How many files will be parsed at least."""
        return len(self.relevance.ours | self.relevance.supporting)

    def sheets(self) -> Iterator[Sheet]:
        """The texts of the files that will be parsed at least, as far as they can be read."""
        return sheets_of(self.tree, sorted(self.relevance.ours | self.relevance.supporting))

    def analyser(self) -> Analyser:
        """Who analyses this part. Facts are kept as long as the analyser is."""
        if self.started is not None:
            return self.started
        project = Project(self.tree, self.relevance, LIBRARIES, self.options, self.index)
        return Analyser(project, self.progress, self.rules)

    def with_index(self, index: Index) -> TreePart:
        """The same part, whose facts are built anew by `index`. It tells nobody of its progress."""
        return replace(self, index=index, progress=tell_nobody, started=None)


class Analyser:
    """Analyses a tree, and later the same tree with some texts replaced, without reading the rest again.

    `known` is what is found in `project`, where that is known.
    """

    def __init__(
        self,
        project: Project,
        progress: Progress = tell_nobody,
        rules: Sequence[Rule] = ALL_RULES,
        known: Analysis | None = None,
    ) -> None:
        self._first = self._last = project
        self._known = known
        self._progress = progress
        self._rules = rules

    def project(self, tree: SourceTree) -> Project:
        """The project of this part, of the files as they are in `tree`; it is none that is analysed later."""
        if self._first.tree is tree:
            return self._first
        later = edited(self._first, tree)
        # A fix is judged after the files that it makes were analysed: their facts are there already.
        later.take_facts_of_same_texts(self._last)
        return later

    def __call__(self, tree: SourceTree) -> Analysis:
        """The findings of all rules for those targets of `tree` that this part of it has."""
        if self._last.tree is not tree:
            self._last, self._known = edited(self._last, tree), None
        if self._known is not None:
            return self._known
        return _analyse(self._last, self._progress, self._rules)


def _share(progress: Progress, before: int, total: int, done: int, _: int) -> None:
    progress(before + done, total)


def _same_files(one: SourceTree, other: SourceTree) -> bool:
    return {*one.targets, *one.context} == {*other.targets, *other.context}


def _checking(rules: Iterable[Rule]) -> int:
    """How many rules look at files."""
    return sum(rule.check is not None for rule in rules)


def _steps(part: Relevance, checking: int) -> int:
    """Each file whose facts are built is a step, and so is each rule."""
    return len(part.ours | part.supporting) + checking


def _analyse(project: Project, progress: Progress, rules: Iterable[Rule]) -> Analysis:
    tree = project.tree
    relevant = sorted(project.ours | project.supporting)
    checking = [rule for rule in rules if rule.check is not None]
    steps = _steps(project.relevance, len(checking))
    failures: dict[str, Exception] = {}
    for done, _ in enumerate(project.gather(relevant), 1):
        progress(done, steps)
    for key in relevant:
        error = project.failure(key)
        if error is not None:
            failures[key] = error
    findings = [
        failure_finding(tree, key, error) for key, error in failures.items() if key in project.targets
    ]
    unchecked: dict[str, list[RuleFailure]] = {}
    for done, rule in enumerate(checking, len(relevant) + 1):
        checked = check(project, rule)
        findings.extend(_within_targets(project, finding) for finding in checked.findings)
        for key, error in checked.failures.items():
            unchecked.setdefault(key, []).append(RuleFailure(rule.code, error))
        progress(done, steps)
    findings.extend(rule_failure_finding(key, failed) for key, failed in unchecked.items())
    taking_part = frozenset(relevant) & project.targets
    return Analysis(
        tuple(sorted(_each_once(findings), key=lambda f: (f.place.path, f.place.span, f.code))),
        taking_part - failures.keys(),
        frozenset(failures) & project.targets,
        len(relevant) - len(taking_part),
        not failures and not unchecked,
        not unchecked and all(map(_lies_in_the_text, failures.values())),
    )


def _lies_in_the_text(error: Exception) -> bool:
    """Whether a failure is that of the file's content, which fails again as long as it is the same."""
    lasting = isinstance(error, SyntaxError | ValueError | SourceError)
    return lasting and not isinstance(error, UnreadableFile)


def _each_once(findings: Iterable[Finding]) -> Iterable[Finding]:
    """One finding per code and place, the worst: several calls may share a value that is wrong for each."""
    found: dict[tuple[str, Place], Finding] = {}
    for finding in findings:
        other = found.setdefault((finding.code, finding.place), finding)
        if other is not finding:
            worst = max(other, finding, key=lambda one: one.severity)
            programs = tuple(sorted({*other.programs, *finding.programs}))
            found[finding.code, finding.place] = replace(worst, programs=programs)
    return found.values()


def _within_targets(project: Project, finding: Finding) -> Finding:
    """Drops a rewrite that would have to edit a file outside the targets, and says so."""
    rewrite = finding.rewrite
    if rewrite is None:
        return finding
    outside = outside_targets(project, rewrite.intents)
    if not outside:
        return finding
    root = project.tree.root.as_posix()
    names = ", ".join(key.removeprefix(f"{root}/") for key in outside)
    places = tuple(
        Related(Place(key, (1, 0, 1, 0)), "the fix also has to change this file") for key in outside
    )
    return replace(
        finding,
        rewrite=None,
        related=(*finding.related, *places),
        message=f"{finding.message}; the fix also has to change {names}, which was not given to this run",
    )


def outside_targets(project: Project, intents: Iterable[Intent]) -> list[str]:
    """The files that intents would change although no run over these targets may."""
    return sorted(
        path
        for path in {path_of(one) for one in intents if not _adds_beside_targets(project, one)}
        if path not in project.targets and path not in project.tree.editable
    )


def _adds_beside_targets(project: Project, intent: Intent) -> bool:
    """Whether an intent adds a file to a folder of the targets, or leaves one alone that is there."""
    if not isinstance(intent, AddModule):
        return False
    folder = intent.path.rpartition("/")[0]
    editable = (*project.targets, *project.tree.editable)
    return project.tree.exists(intent.path) or any(key.rpartition("/")[0] == folder for key in editable)
