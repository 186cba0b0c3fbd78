"""What a run can do with the fixes: show them as a diff, write them, write a copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from npu_migrate.commands.options import CommandError, Interrupted, Options
from npu_migrate.commands.telling import note, print_report
from npu_migrate.engine.diagnosing import Display
from npu_migrate.engine.fixes.applying import (
    Applied,
    Stamp,
    apply_in_memory,
    apply_in_place,
    chosen_fixes,
    take_stamps,
    without_new_files,
)
from npu_migrate.engine.job import Job, Outcome
from npu_migrate.engine.run import run
from npu_migrate.findings import Applicability, Report
from npu_migrate.sources.discovery import key_of
from npu_migrate.streams import emit


def diff(job: Job, options: Options) -> Report:
    """Print the fixes as a diff; write nothing but a report that has a file of its own."""
    outcome = run(job)
    applied = apply_in_memory(outcome.tree, chosen_fixes(outcome.diagnosed, job.settings.applicability))
    tell_refusals(applied, job.display)
    return print_diff(outcome, applied, job, options)


def print_diff(outcome: Outcome, applied: Applied, job: Job, options: Options) -> Report:
    """Print as a diff what `applied` would change; the report goes to its own file, if any."""
    from npu_migrate.reports.diff import unified_diff

    for key, data in sorted(applied.contents.items()):
        before = None if outcome.tree.is_new(key) else outcome.tree.data(key)
        emit(unified_diff(job.display(key), before, data))
    report = replace(outcome.report, files=replace(outcome.report.files, changed=len(applied.contents)))
    if options.output_file is not None:
        print_report(replace(outcome, report=report), job, options)
    return report


def write(job: Job, options: Options) -> Report:
    """Write the fixes in place. Raises `CommandError`, and `Interrupted` for Ctrl-C."""
    stamps = take_stamps(job.discovery.tree.targets)
    try:
        return _written(job, options, stamps)
    except KeyboardInterrupt:
        raise Interrupted(_what_was_written(stamps)) from None


def _written(job: Job, options: Options, stamps: Mapping[str, Stamp | None]) -> Report:
    outcome = run(job)
    fixes = chosen_fixes(outcome.diagnosed, job.settings.applicability)
    applied = apply_in_place(outcome.tree, fixes, stamps)
    tell_refusals(applied, job.display)
    remaining = _remaining(job, outcome, applied)
    print_report(remaining, job, options)
    if applied.refused and not applied.contents:
        raise CommandError("nothing could be written")
    return remaining.report


def _what_was_written(stamps: Mapping[str, Stamp | None]) -> str:
    changed = sum(stamp != stamps[key] for key, stamp in take_stamps(stamps).items())
    if not changed:
        return "nothing was written"
    return f"{changed} {'file was' if changed == 1 else 'files were'} rewritten, each as a whole"


def write_text(job: Job, options: Options) -> Report:
    """Print the text of standard input with its fixes, but for those that add a file: it would be missing."""
    outcome = run(job)
    fixes = chosen_fixes(outcome.diagnosed, job.settings.applicability)
    applied = apply_in_memory(outcome.tree, without_new_files(outcome.tree, fixes))
    tell_refusals(applied, job.display)
    remaining = _remaining(job, outcome, applied)
    (key,) = outcome.tree.targets
    emit(applied.contents.get(key, outcome.tree.data(key)))
    if options.output_file is not None:
        print_report(remaining, job, options)
    return remaining.report


def output(job: Job, options: Options, destination: str) -> Report:
    """Write a copy of the tree with the fixes. Raises `CopyError`."""
    from npu_migrate.sources.copying import common_folder, copy_files

    origin = common_folder(options.paths).rstrip("/")
    targets = frozenset(job.discovery.tree.targets)

    def in_copy(key: str) -> str:
        copied = key in targets or not job.discovery.tree.holds(key)
        return job.display(f"{key_of(destination)}{key[len(origin) :]}" if copied else key)

    copy_job = replace(job, display=in_copy)
    outcome = run(copy_job)
    applied = apply_in_memory(outcome.tree, chosen_fixes(outcome.diagnosed, job.settings.applicability))
    tell_refusals(applied, job.display)
    for key in copy_files(options.paths, destination, applied.contents):
        note(f"{job.display(key)}: is neither a file nor a folder and was not copied")
    remaining = _remaining(copy_job, outcome, applied)
    print_report(remaining, copy_job, options)
    return remaining.report


def _remaining(job: Job, outcome: Outcome, applied: Applied) -> Outcome:
    """What is found in the files as they are after `applied`."""
    if not applied.contents:
        return outcome
    tree = outcome.tree.with_contents(applied.contents)
    after = run(replace(job, discovery=replace(job.discovery, tree=tree)))
    report = replace(
        after.report,
        files=replace(after.report.files, changed=len(applied.contents)),
        fixed_safe=applied.count(Applicability.SAFE),
        fixed_unsafe=applied.count(Applicability.UNSAFE),
    )
    return replace(after, report=report)


def tell_refusals(applied: Applied, display: Display) -> None:
    """Say which files could not be changed, and why."""
    for key, reason in sorted(applied.refused.items()):
        note(f"{display(key)}: {reason}")
