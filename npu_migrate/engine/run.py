"""From a tree of files to a report: analysis, selection, suppression, planned fixes, diagnostics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from npu_migrate.engine.diagnosing import Label, PlannedFinding, diagnose
from npu_migrate.engine.job import Analysis, Job, Outcome, Part, Plan, PlanEach
from npu_migrate.engine.memory import free_what_is_left, without_garbage_collection
from npu_migrate.findings import REFUSED_FIX, FileCounts, Finding, Report, Severity
from npu_migrate.places import Place
from npu_migrate.sources.discovery import Unread, key_of
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.programs.programs import Sketches
    from npu_migrate.rules.rule import Rule


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
    plan = job.plan_named(job, job.recall(job, partial(_plan, job)))
    tree = job.discovery.tree
    edited = {edit.path for one in plan.findings if one.fix is not None for edit in one.fix.edits}
    tree = tree.with_contents({key: tree.source_to_edit(key) for key in edited})
    diagnosed = diagnose(plan.findings, tree, plan.labels, job.display)
    report = Report(tuple(one.diagnostic for one in diagnosed), plan.files)
    return Outcome(report, diagnosed, tree, plan.repeatable, plan.left_out)


def _plan(job: Job, each: PlanEach, sketches: Sketches | None) -> Plan:
    parts = job.split(job.discovery.tree, sketches)
    plans = [*each(parts, partial(_plan_and_tidy, job)), _plan_of_unread(job)]
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
        sum(plan.left_out for plan in plans),
    )


def _plan_and_tidy(job: Job, part: Part) -> Plan:
    plan = _plan_part(job, part)
    free_what_is_left()
    return plan


def _plan_part(job: Job, part: Part) -> Plan:
    """The plan for the files of one part of the tree."""
    from npu_migrate.engine.judging import judge, seen_in_runs
    from npu_migrate.engine.selection import selection_of

    tree = job.discovery.tree
    selection = selection_of(job.settings, key_of(tree.root))
    analyse = part.analyser()
    analysis = analyse(tree)
    alone = job.discovery.alone
    in_runs = seen_in_runs(job)
    judged = judge(tree, analysis, selection, in_runs, alone=alone)

    rewritten = frozenset(one.place.path for one in judged.kept if one.rewrite is not None)

    def analyse_again(later: SourceTree) -> Analysis:
        """What is found in the files that fixes have changed, and in those that wait for one."""
        focused = later.focused(rewritten | later.replaced.keys())
        found = analyse(focused)
        return replace(found, findings=judge(focused, found, selection, in_runs, alone=alone).kept)

    kept, plan = job.plan_verified(job, analyse, tree, replace(analysis, findings=judged.kept), analyse_again)
    refusals = (
        Finding(REFUSED_FIX, Severity.WARNING, reason, kept[index].place)
        for index, reason in plan.refusals.items()
    )
    planned = (
        *map(PlannedFinding, kept, plan.fixes),
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
