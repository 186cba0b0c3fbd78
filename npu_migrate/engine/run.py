"""From a tree of files to a report: analysis, selection, suppression, planned fixes, diagnostics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from npu_migrate.engine.diagnosing import Diagnosed, Display, Label, PlannedFinding, diagnose
from npu_migrate.engine.memory import without_garbage_collection
from npu_migrate.findings import REFUSED_FIX, FileCounts, Finding, Report, Severity
from npu_migrate.places import Place
from npu_migrate.settings import Settings
from npu_migrate.sources.discovery import Discovery, Unread, key_of
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.engine.analysis import Analysis
    from npu_migrate.engine.baseline import Baseline
    from npu_migrate.engine.fixing import FixPlan
    from npu_migrate.index.indexing import Index, Indexed, Sheet
    from npu_migrate.project.options import RuleOptions
    from npu_migrate.project.programs import Program
    from npu_migrate.rules.rule import Rule

    Analyse = Callable[[SourceTree], Analysis]
    Split = Callable[[SourceTree], Sequence["Part"]]
    PlanFixes = Callable[[SourceTree, Analysis, Analyse], FixPlan]

Refine = Callable[["Outcome"], "Outcome"]
"""What is done with a result before anybody sees it: mark, move or leave out diagnostics."""

PlanEach = Callable[[Sequence["Part"], Callable[["Part"], "Plan"]], Iterable["Plan"]]
"""Who has the plans of parts made, or knows them; they come in any order."""

Recall = Callable[["Job", Callable[[PlanEach], "Plan"]], "Plan"]
"""Where the plan of a job comes from: from memory, or from the function that makes it."""

_Result = TypeVar("_Result")

Progress = Callable[[int, int], None]
"""Is told how many steps are done, and of how many; the last call has both equal."""


class WorkersError(Exception):
    """The processes that were asked for cannot be used; the text says why."""


def tell_nobody(done: int, steps: int) -> None:
    """The `Progress` of a run that nobody watches."""


def index_here(sheets: Iterable[Sheet]) -> Iterator[tuple[str, Indexed]]:
    """The `Index` that builds facts in this process."""
    from npu_migrate.index import indexing

    return indexing.index_here(sheets)


def one_by_one(parts: Sequence[Part], work: Callable[[Part], _Result]) -> Iterable[_Result]:
    """The `Each` that does everything in this process."""
    return map(work, parts)


def make_anew(job: Job, make: Callable[[PlanEach], Plan]) -> Plan:
    """The `Recall` that remembers nothing."""
    return make(job.each)


class Part(Protocol):
    """Files of a tree that can be analysed by themselves."""

    @property
    def programs(self) -> Iterable[Program]:
        """The programs, in order of their entries: their files may decide what is found, and no others."""

    @property
    def weight(self) -> int:
        """How many files will be parsed at least."""

    def sheets(self) -> Iterable[Sheet]:
        """The texts of the files that will be parsed at least, as far as they can be read."""

    def analyser(self) -> Analyse:
        """What tells the findings in this part of a tree, and later in the same with other texts.

        Whoever is done with the part lets go of it: it keeps facts.
        """

    def with_index(self, index: Index) -> Part:
        """The same part, whose facts are built by `index`."""


class Each(Protocol):
    """Who does the work on parts."""

    def __call__(self, parts: Sequence[Part], work: Callable[[Part], _Result]) -> Iterable[_Result]:
        """The results of `work` for all `parts`, in any order; it may run in other processes."""


@dataclass(frozen=True, slots=True)
class Machinery:
    """What a run is made of: the catalogue, the search for findings, the planning of fixes.

    `foresee_fixes` is the cheap form of `plan_fixes` for reports that do not show edits.

    `new_splitter` takes the folders, as keys, from which absolute imports start, what rules may know of the
    settings, who wants to know how far an analysis is, and who builds the facts of files. What it returns
    finds the parts of a tree that can be analysed each by itself, and may keep facts from one tree to the
    next.

    `identity` hashes all of it, so that what one machinery found is never taken for what another one would
    find; without it nothing that was found is kept.
    """

    rules: Sequence[Rule]
    new_splitter: Callable[[tuple[str, ...], RuleOptions, Progress, Index], Split]
    plan_fixes: PlanFixes
    foresee_fixes: PlanFixes
    identity: Callable[[], bytes] | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to do: which files to look at, under which settings, with what. See `prepare`.

    `refinements` are applied to the result, one after the other. `recall` may know what the same files came
    to in an earlier run. `baseline` are the findings that are accepted, where there is such a file; it is one
    of the refinements.
    """

    discovery: Discovery
    settings: Settings
    rules: Sequence[Rule]
    split: Split
    plan_fixes: PlanFixes
    foresee_fixes: PlanFixes
    display: Display
    refinements: tuple[Refine, ...] = ()
    baseline: Baseline | None = None
    recall: Recall = make_anew
    each: Each = one_by_one


@dataclass(frozen=True, slots=True)
class Plan:
    """All that reading and analysing the files comes to, before anybody asks how to show it.

    Each finding has the fix that was planned for it, and `labels` what the catalogue says of its code. It is
    `repeatable` if the same files would come to the same again (see `Analysis`).
    """

    findings: tuple[PlannedFinding, ...]
    labels: Mapping[str, Label]
    files: FileCounts
    repeatable: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    `diagnosed` pairs each diagnostic of `report` with its fix in offsets; `tree` holds in memory the files
    that these fixes would change, as they were when the fixes were planned. It is `repeatable` if its plan
    is.
    """

    report: Report
    diagnosed: tuple[Diagnosed, ...]
    tree: SourceTree
    repeatable: bool = True


def require_known_codes(settings: Settings, rules: Iterable[Rule], origin: str) -> None:
    """Raise `SettingsError`, which begins with `origin`, when `settings` name a code that no rule has."""
    from npu_migrate.engine.selection import require_known

    per_file = [code for _, codes in settings.per_file_ignores for code in codes]
    asked = (*settings.select, *settings.ignore, *per_file)
    if asked:
        require_known(asked, {rule.code: rule.name for rule in rules}, origin)


def relative_to(folder: str | os.PathLike[str]) -> Display:
    """Show keys as paths relative to `folder`, with ``/``."""
    base = key_of(folder)
    prefix = base.rstrip("/") + "/"

    def display(key: str) -> str:
        if key.startswith(prefix):
            return key[len(prefix) :]
        try:
            return os.path.relpath(key, base).replace(os.sep, "/")
        except ValueError:  # another drive
            return key

    return display


def run(job: Job) -> Outcome:
    """Find what the settings ask for in the targets and plan the fixes; change nothing.

    Suppressed findings are part of the result, without a fix. What could not be read is part of it as
    NPU902, whatever the settings select.
    """
    with without_garbage_collection():
        outcome = _run(job)
    for refine in job.refinements:
        outcome = refine(outcome)
    return outcome


def _run(job: Job) -> Outcome:
    plan = job.recall(job, partial(_plan, job))
    tree = job.discovery.tree
    edited = {edit.path for one in plan.findings if one.fix is not None for edit in one.fix.edits}
    tree = tree.with_contents({key: tree.source(key) for key in edited})
    diagnosed = diagnose(plan.findings, tree, plan.labels, job.display)
    report = Report(tuple(one.diagnostic for one in diagnosed), plan.files)
    return Outcome(report, diagnosed, tree, plan.repeatable)


def _plan(job: Job, each: PlanEach) -> Plan:
    parts = job.split(job.discovery.tree)
    plans = [*each(parts, partial(_plan_part, job)), _plan_of_unread(job)]
    files = [plan.files for plan in plans]
    counts = FileCounts(
        discovered=len(job.discovery.tree.targets) + len(job.discovery.unread),
        context=sum(one.context for one in files),
        analysed=sum(one.analysed for one in files),
        failed=sum(one.failed for one in files),
    )
    return Plan(
        tuple(one for plan in plans for one in plan.findings),
        {code: label for plan in plans for code, label in plan.labels.items()},
        replace(counts, skipped_by_gate=counts.discovered - counts.analysed - counts.failed),
        all(plan.repeatable for plan in plans),
    )


def _plan_part(job: Job, part: Part) -> Plan:
    """The plan for the files of one part of the tree."""
    from npu_migrate.engine.judging import judge
    from npu_migrate.engine.selection import selection_of

    tree = job.discovery.tree
    selection = selection_of(job.settings, key_of(tree.root))
    analyse = part.analyser()
    analysis = analyse(tree)
    alone = job.discovery.alone
    judged = judge(tree, analysis, selection, alone=alone)

    rewritten = frozenset(one.place.path for one in judged.kept if one.rewrite is not None)

    def analyse_again(later: SourceTree) -> Analysis:
        """What is found in the files that fixes have changed, and in those that wait for one."""
        focused = later.focused(rewritten | later.replaced.keys())
        found = analyse(focused)
        return replace(found, findings=judge(focused, found, selection, alone=alone).kept)

    plan = job.plan_fixes(tree, replace(analysis, findings=judged.kept), analyse_again)
    refusals = (
        Finding(REFUSED_FIX, Severity.WARNING, reason, judged.kept[index].place)
        for index, reason in plan.refusals.items()
    )
    planned = (
        *map(PlannedFinding, judged.kept, plan.fixes),
        *(PlannedFinding(finding, suppressed=True) for finding in judged.suppressed),
        *(PlannedFinding(one) for one in refusals if selection.wants(one.code, one.place.path)),
    )
    counts = FileCounts(
        context=analysis.context, analysed=len(analysis.analysed), failed=len(analysis.failed)
    )
    return Plan(planned, _labels(planned, job.rules), counts, analysis.repeatable)


def _plan_of_unread(job: Job) -> Plan:
    from npu_migrate.engine.selection import selection_of

    unread = job.discovery.unread
    selection = selection_of(job.settings, key_of(job.discovery.tree.root)) if unread else None
    planned = tuple(
        PlannedFinding(finding)
        for finding in map(_unread_finding, unread)
        if selection is not None and selection.wants(finding.code, finding.place.path)
    )
    return Plan(planned, _labels(planned, job.rules), FileCounts(failed=len(unread)))


def _labels(planned: Iterable[PlannedFinding], rules: Iterable[Rule]) -> dict[str, Label]:
    codes = {one.finding.code for one in planned}
    return {rule.code: Label(rule.name, rule.sources) for rule in rules if rule.code in codes}


def _unread_finding(unread: Unread) -> Finding:
    return Finding(
        "NPU902", Severity.ERROR, f"not analysed: {unread.reason}", Place(unread.key, (1, 0, 1, 0))
    )
