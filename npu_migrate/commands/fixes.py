"""What a run can do with the fixes: show them as a diff, write them, write a copy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from npu_migrate.commands.options import CommandError, Interrupted, Options
from npu_migrate.commands.speaking import say_of
from npu_migrate.commands.telling import note, print_report
from npu_migrate.engine.diagnosing import CompiledFix
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
from npu_migrate.sources.tree import SourceTree
from npu_migrate.streams import emit, has_colours

_ROUNDS = 4
"""How often fixes are looked for in files to which others were applied: twice is the most that was seen."""


def diff(job: Job, options: Options) -> Report:
    """Print the fixes as a diff; write nothing but a report that has a file of its own."""
    outcome = run(job)
    if job.settings.applicability is Applicability.UNSAFE:
        applied, _ = _settled(job, outcome, apply_in_memory)
    else:
        applied = apply_in_memory(outcome.tree, chosen_fixes(outcome.diagnosed, Applicability.SAFE))
    tell_refusals(applied, job, options)
    return print_diff(outcome, applied, job, options)


def print_diff(outcome: Outcome, applied: Applied, job: Job, options: Options) -> Report:
    """Print as a diff what `applied` would change; the report goes to its own file, if any."""
    from npu_migrate.reports.diff import in_colours, unified_diff

    coloured = has_colours(sys.stdout)
    for key, data in sorted(applied.contents.items()):
        before = None if outcome.tree.is_new(key) else outcome.tree.data(key)
        shown = unified_diff(job.display(key), before, data)
        emit(in_colours(shown) if coloured else shown)
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
    taken = dict(stamps)

    def apply(tree: SourceTree, fixes: Sequence[CompiledFix]) -> Applied:
        applied = apply_in_place(tree, fixes, taken)
        taken.update(take_stamps(applied.contents))
        return applied

    applied, remaining = _settled(job, outcome, apply)
    tell_refusals(applied, job, options)
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
    applied, remaining = _settled(
        job, outcome, lambda tree, fixes: apply_in_memory(tree, without_new_files(tree, fixes))
    )
    tell_refusals(applied, job, options)
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
    applied, remaining = _settled(copy_job, outcome, apply_in_memory)
    tell_refusals(applied, job, options)
    for key in copy_files(options.paths, destination, applied.contents):
        say = say_of(options, job.settings)
        note(say.headed(job.display(key), say("is neither a file nor a folder and was not copied")))
    print_report(remaining, copy_job, options)
    return remaining.report


def _settled(
    job: Job, outcome: Outcome, apply: Callable[[SourceTree, Sequence[CompiledFix]], Applied]
) -> tuple[Applied, Outcome]:
    """The fixes of `outcome`, applied, and what is found in the files as they are then.

    A safe fix never needs an unsafe one. So an unsafe fix of what a safe one has moved can only be planned in
    the files in which it has moved: where unsafe fixes are asked for, those are run and applied in turn.
    """
    applied = apply(outcome.tree, chosen_fixes(outcome.diagnosed, job.settings.applicability))
    remaining, latest = outcome, applied
    for turn in range(_ROUNDS):
        if not latest.contents:
            break
        tree = remaining.tree.with_contents(latest.contents)
        remaining = run(replace(job, discovery=replace(job.discovery, tree=tree)))
        fixes = chosen_fixes(remaining.diagnosed, job.settings.applicability)
        is_last = job.settings.applicability is not Applicability.UNSAFE or turn == _ROUNDS - 1
        if is_last or not fixes:
            break
        latest = apply(remaining.tree, fixes)
        applied = Applied(
            {**applied.contents, **latest.contents},
            (*applied.fixes, *latest.fixes),
            {**applied.refused, **latest.refused},
        )
    if not applied.contents:
        return applied, outcome
    report = replace(
        remaining.report,
        files=replace(remaining.report.files, changed=len(applied.contents)),
        fixed_safe=applied.count(Applicability.SAFE),
        fixed_unsafe=applied.count(Applicability.UNSAFE),
    )
    return applied, replace(remaining, report=report)


def tell_refusals(applied: Applied, job: Job, options: Options) -> None:
    """Say which files could not be changed, and why."""
    for key, reason in sorted(applied.refused.items()):
        say = say_of(options, job.settings)
        note(say.headed(job.display(key), say(reason)))
