"""From a tree of files to the findings of all rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from npu_migrate.engine.run import Progress, tell_nobody
from npu_migrate.findings import Finding, Place, Related, Rewrite
from npu_migrate.index.indexing import Index, index_here
from npu_migrate.project.options import NO_OPTIONS, RuleOptions
from npu_migrate.project.programs import relevant_files
from npu_migrate.project.project import Project
from npu_migrate.rewrite.intents import AddImport
from npu_migrate.rules import ALL_RULES
from npu_migrate.rules.failures import failure_finding
from npu_migrate.sources.tree import SourceTree


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the rules found in the targets of a tree, before selection and suppression.

    `analysed` are the targets that were searched, `failed` those that could not be read or parsed,
    `skipped_by_gate` counts the targets that concern no rule, `context` the files outside the targets that
    were read for cross-file facts. It is `complete` unless one of all these files failed.
    """

    findings: tuple[Finding, ...]
    skipped_by_gate: int
    analysed: frozenset[str]
    failed: frozenset[str]
    context: int
    complete: bool = True


class Analyser:
    """Analyses a tree, and later the same tree with some texts replaced, without reading the rest again.

    `src` are configured folders with top-level modules, as absolute paths; `options` is what rules may
    know of the settings. `progress` is told the steps done, and of how many, as an analysis goes on. `index`
    builds the facts of files.
    """

    def __init__(
        self,
        src: tuple[str, ...] = (),
        options: RuleOptions = NO_OPTIONS,
        progress: Progress = tell_nobody,
        index: Index = index_here,
    ) -> None:
        self._src = src
        self._options = options
        self._progress = progress
        self._index = index
        self._last: Project | None = None

    @classmethod
    def continuing(cls, project: Project) -> Analyser:
        """An analyser that goes on from a project that is there already."""
        analyser = cls(options=project.options)
        analyser._last = project
        return analyser

    def __call__(self, tree: SourceTree) -> Analysis:
        """The findings of all rules for the targets of `tree`."""
        last = self._last
        if last is None or not _same_files(last.tree, tree):
            last = Project(tree, relevant_files(tree, self._src), self._options, self._index)
        elif last.tree is not tree:
            last = last.edited(tree)
        self._last = last
        return _analyse(last, self._progress)


def _same_files(one: SourceTree, other: SourceTree) -> bool:
    return {*one.targets, *one.context} == {*other.targets, *other.context}


def _analyse(project: Project, progress: Progress) -> Analysis:
    """Each file whose facts are built is a step, and so is each rule."""
    tree = project.tree
    relevant = sorted(project.ours | project.supporting)
    checks = [rule.check for rule in ALL_RULES if rule.check is not None]
    steps = len(relevant) + len(checks)
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
    for done, check in enumerate(checks, len(relevant) + 1):
        findings.extend(_within_targets(project, finding) for finding in check(project))
        progress(done, steps)
    taking_part = frozenset(relevant) & project.targets
    return Analysis(
        tuple(sorted(_each_once(findings), key=lambda f: (f.place.path, f.place.span, f.code))),
        len(tree.targets) - len(taking_part),
        taking_part - failures.keys(),
        frozenset(failures) & project.targets,
        len(relevant) - len(taking_part),
        not failures,
    )


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
    if finding.rewrite is None:
        return finding
    outside = sorted(_files_of(finding.rewrite).difference(project.tree.targets, project.tree.editable))
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


def _files_of(rewrite: Rewrite) -> set[str]:
    return {intent.path if isinstance(intent, AddImport) else intent.place.path for intent in rewrite.intents}
