"""The machinery of this installation. Its parts are imported when they are first used.

A run whose plan is remembered uses none of them, and takes less time than importing them would.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from npu_migrate.engine.job import Machinery, Progress, plan_only
from npu_migrate.findings import VERIFIABLE
from npu_migrate.rules import ALL_RULES
from npu_migrate.run_codes import RUN_CODES
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.engine.analysis import Splitter
    from npu_migrate.engine.fixes.fixing import Findings, FixPlan
    from npu_migrate.engine.job import Analyse, Analysis, Job, Plan, Split
    from npu_migrate.findings import Finding
    from npu_migrate.index.indexing import Index
    from npu_migrate.project.options import RuleOptions


def installed_machinery() -> Machinery:
    """The machinery of this installation."""
    return Machinery(
        ALL_RULES,
        _new_splitter,
        _plan_fixes,
        _foresee_fixes,
        _identity,
        _plan_verified,
        _plan_named,
        RUN_CODES,
    )


@cache
def _identity() -> bytes:
    """Asked for once: a process works with the code that it began with, whatever becomes of the files."""
    from npu_migrate.cache.identity import tool_identity

    return tool_identity()


def _new_splitter(src: tuple[str, ...], options: RuleOptions, progress: Progress, index: Index) -> Split:
    @cache
    def splitter() -> Splitter:
        from npu_migrate.engine.analysis import Splitter

        return Splitter(src, options, progress, index)

    return lambda tree, sketches: splitter()(tree, sketches)


def _plan_fixes(tree: SourceTree, found: Findings, analyse: Callable[[SourceTree], Analysis]) -> FixPlan:
    from npu_migrate.engine.fixes.fixing import plan_fixes

    return plan_fixes(tree, found, analyse)


def _plan_named(job: Job, plan: Plan) -> Plan:
    if not job.discovery.named:
        return plan
    from npu_migrate.engine.named_files import with_named_files

    return with_named_files(job, plan)


def _plan_verified(
    job: Job, analyse: Analyse, tree: SourceTree, analysis: Analysis, analyse_again: Analyse
) -> tuple[tuple[Finding, ...], FixPlan]:
    if not any(one.code in VERIFIABLE for one in analysis.findings):
        return plan_only(job, analyse, tree, analysis, analyse_again)
    from npu_migrate.abstract_run.judging import Originals
    from npu_migrate.engine.analysis import Analyser
    from npu_migrate.engine.fixes.fixing import foresee_judged_fixes
    from npu_migrate.engine.fixes.proposals import Proposals
    from npu_migrate.engine.fixes.verifying import Planners, plan_verified

    assert isinstance(analyse, Analyser), "the installed parts are analysed by this class"

    def plan_to_the_end(
        tree: SourceTree, analysis: Analysis, again: Analyse, concerned: frozenset[str]
    ) -> FixPlan:
        if job.plan_fixes is job.foresee_fixes:
            return foresee_judged_fixes(tree, analysis, again, concerned)
        return job.plan_fixes(tree, analysis, again)

    return plan_verified(
        Proposals(Originals(analyse.project(tree)), job.rules),
        tree,
        analysis,
        analyse_again,
        Planners(plan_to_the_end, job.plan_fixes),
        analyse.project,
        only_verified=job.settings.only_verified,
    )


def _foresee_fixes(tree: SourceTree, found: Findings, analyse: Callable[[SourceTree], Analysis]) -> FixPlan:
    from npu_migrate.engine.fixes.fixing import foresee_fixes

    return foresee_fixes(tree, found, analyse)
