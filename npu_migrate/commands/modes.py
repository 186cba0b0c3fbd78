"""What a run is for: a report, or what is done with the fixes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from npu_migrate.commands.options import Options
from npu_migrate.commands.telling import print_report
from npu_migrate.engine.job import Job, Outcome
from npu_migrate.engine.run import run
from npu_migrate.findings import Report
from npu_migrate.reports.formats import FORMATS


def mode_of(options: Options) -> Callable[[Job, Options], Report]:
    """What `options` ask to be done with a job: a function that does it and returns the report."""
    if options.accepts:
        from npu_migrate.commands import accepting

        if options.write_baseline is not None:
            return accepting.write_baseline
        return accepting.prune_baseline if options.prune_baseline else accepting.add_suppressions
    if not (options.diff or options.write or options.output is not None):
        return _report
    # Most runs only report, and what the others need takes time to import.
    from npu_migrate.commands import fixes

    if options.diff:
        return fixes.diff
    if options.output is not None:
        return partial(fixes.output, destination=options.output)
    return fixes.write_text if "-" in options.paths else fixes.write


def foreseeing(job: Job, options: Options) -> Job:
    """`job`; where nothing that `options` ask for shows edits, it only foresees which fixes there are."""
    if options.diff or options.write or options.output is not None:
        return job
    return job if FORMATS[options.form or "text"].shows_edits else replace(job, plan_fixes=job.foresee_fixes)


def print_only(job: Job, options: Options) -> tuple[Outcome, bytes]:
    """Print a report; returns what it is of, and as it was printed."""
    outcome = run(job)
    return outcome, print_report(outcome, job, options)


def _report(job: Job, options: Options) -> Report:
    return print_only(job, options)[0].report
