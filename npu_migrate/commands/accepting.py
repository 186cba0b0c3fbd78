"""Accepting what was found: in a baseline, or with comments in the files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from npu_migrate.commands.fixes import print_diff, tell_refusals
from npu_migrate.commands.options import CommandError, Options
from npu_migrate.commands.speaking import say_of
from npu_migrate.commands.telling import note, print_report
from npu_migrate.engine.accepting.adding_suppressions import additions_for, applied_if_proven
from npu_migrate.engine.accepting.baseline import all_accepted, baseline_in, entries_of
from npu_migrate.engine.accepting.baseline_file import Entry, baseline_text, may_be_replaced
from npu_migrate.engine.fixes.applying import apply_in_place, take_stamps
from npu_migrate.engine.job import Job, Outcome
from npu_migrate.engine.run import run
from npu_migrate.findings import NOT_ANALYSED, BaselineCounts, Report
from npu_migrate.reports.notebooks import short_place
from npu_migrate.reports.wording import number_of
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import Source, SourceError
from npu_migrate.sources.writing import write_file


def write_baseline(job: Job, options: Options) -> Report:
    """Accept all that is found, in a new file; report what cannot be accepted."""
    file = options.write_baseline or ""
    _require_replaceable(file)
    outcome = all_accepted(run(job), job.display(key_of(file)))
    _write(file, "--write-baseline", entries_of(outcome))
    say = say_of(options, job.settings)
    unseen = sum(one.code in NOT_ANALYSED for one in outcome.report.counted)
    if unseen:
        note(say(f"{unseen} of the findings cannot be accepted: what was not analysed may hold anything"))
    unknown = sum(one.code in NOT_ANALYSED and one.baselined for one in outcome.report.diagnostics)
    if unknown:
        are = "is" if unknown == 1 else "are"
        files = number_of(unknown, "file")
        note(say(f"{files} that could not be analysed {are} accepted, whatever is in there"))
    print_report(outcome, job, options)
    return outcome.report


def prune_baseline(job: Job, options: Options) -> Report:
    """Report, and take those entries from the baseline whose finding is gone."""
    baseline = baseline_in(job.refinements)
    if baseline is None:
        raise CommandError("--prune-baseline needs --baseline FILE, or the setting baseline")
    outcome = run(job)
    gone = baseline.gone(outcome)
    if gone and not baseline.has_files_here():
        raise CommandError(
            f"--prune-baseline: {baseline.name}: none of its files is below {job.discovery.tree.root}; "
            "was it written with another --root?"
        )
    if gone:
        kept = [one for one in baseline.entries if one.fingerprint not in gone]
        _write(baseline.file, "--prune-baseline", kept)
    before = len({one.fingerprint for one in baseline.entries})
    say = say_of(options, job.settings)
    note(say.headed(baseline.name, say(f"removed {len(gone)} of {before} findings")))
    counts = BaselineCounts(baseline.name, before - len(gone), 0)
    outcome = replace(outcome, report=replace(outcome.report, baseline=counts))
    print_report(outcome, job, options)
    return outcome.report


def add_suppressions(job: Job, options: Options) -> Report:
    """Write a comment for each finding that counts, and report what remains; with ``--diff`` show where."""
    stamps = take_stamps(job.discovery.tree.targets)
    outcome = _holding_its_files(run(job))
    additions = additions_for(outcome, options.suppression_reason)
    proven = applied_if_proven(job, outcome, additions)
    for finding, reason in additions.left:
        one = finding.diagnostic
        say = say_of(options, job.settings)
        what = say(f"{one.code} is not suppressed: {reason}")
        note(f"{one.path}:{short_place(one)}: {what}")
    tell_refusals(proven, job, options)
    if options.diff:
        return print_diff(outcome, proven, job, options)
    written = apply_in_place(outcome.tree, proven.fixes, stamps)
    tell_refusals(written, job, options)
    if not written.contents and (proven.refused or written.refused):
        raise CommandError("nothing could be written")
    tree = outcome.tree.with_contents(written.contents)
    after = run(replace(job, discovery=replace(job.discovery, tree=tree)))
    report = replace(
        after.report,
        files=replace(after.report.files, changed=len(written.contents)),
        newly_suppressed=additions.accepted_in(written.contents),
    )
    print_report(replace(after, report=report), job, options)
    return report


def _holding_its_files(outcome: Outcome) -> Outcome:
    """`outcome` with the files that have findings in memory, as far as they can be read."""
    tree = outcome.tree
    held: dict[str, Source] = {}
    for key in {one.place.path for one in outcome.diagnosed if one.diagnostic.counts}.intersection(
        tree.targets
    ):
        with contextlib.suppress(SourceError):
            held[key] = tree.source(key)
    return replace(outcome, tree=tree.with_contents(held))


def _require_replaceable(file: str) -> None:
    try:
        safe = may_be_replaced(Path(file))
    except OSError as error:
        raise CommandError(f"--write-baseline: {file}: {error.strerror}") from None
    if not safe:
        raise CommandError(f"--write-baseline: {file} is there and is not a baseline; name another file")


def _write(file: str, option: str, entries: Iterable[Entry]) -> None:
    try:
        write_file(file, baseline_text(entries).encode("utf-8"))
    except OSError as error:
        raise CommandError(f"{option}: {file}: {error.strerror}") from None
