"""What the command line does once its options are known: report, diff, write, output."""

from __future__ import annotations

import contextlib
import difflib
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from npu_migrate.engine.applying import Applied, apply_in_memory, apply_in_place, chosen_fixes, take_stamps
from npu_migrate.engine.diagnosing import Display
from npu_migrate.engine.request import Request, Text, prepare
from npu_migrate.engine.run import Job, Machinery, Outcome, Progress, run, tell_nobody
from npu_migrate.engine.selection import require_known
from npu_migrate.findings import Applicability, Report, Severity
from npu_migrate.progress_bar import Bar
from npu_migrate.reports.catalogue import rule_page
from npu_migrate.reports.diff import unified_diff
from npu_migrate.reports.json import json_report
from npu_migrate.reports.statistics import statistics_report
from npu_migrate.reports.summary import summary
from npu_migrate.reports.text import printable, text_report
from npu_migrate.settings import FAIL_ON, Settings, SettingsError, codes_from, in_words
from npu_migrate.sources.copying import CopyError, common_folder, copy_files, require_destination
from npu_migrate.sources.discovery import PathError, key_of
from npu_migrate.sources.writing import write_file

if TYPE_CHECKING:
    from npu_migrate.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line, as click gives them; `form` is ``--format``."""

    paths: tuple[str, ...]
    diff: bool
    write: bool
    output: str | None
    unsafe_fixes: bool
    select: str | None
    ignore: str | None
    form: str | None
    output_file: str | None
    fail_on: str | None
    root: str | None
    stdin_filename: str | None
    config: str | None
    statistics: bool
    quiet: bool
    verbose: bool


class CommandError(click.ClickException):
    """What the user asked for cannot be done; the text is one line that says why."""


def run_command(
    options: Options, machinery: Machinery, leave: Callable[[int], int] = lambda code: code
) -> int:
    """Do what `options` ask for; returns the exit code. Raises `CommandError`.

    `leave` gets the exit code while all facts are still in memory: a process that ends with the run can end
    there and need not free them one by one.
    """
    started = time.monotonic()
    _require_consistent(options)
    try:
        with _progress(options) as progress:
            job = prepare(replace(_request(options, machinery), progress=progress), machinery)
            _tell_what_is_read(job, options)
            report = _mode(options)(job, options)
    except (PathError, SettingsError, CopyError) as error:
        raise CommandError(str(error)) from None
    if not options.quiet:
        click.echo(summary(report), nl=False, err=True)
    if options.verbose:
        click.echo(f"Took {time.monotonic() - started:.1f} s.", err=True)
    return leave(exit_code(report, job.settings.fail_on))


def exit_code(report: Report, fail_on: Severity | None) -> int:
    """1 when a finding that is not suppressed is at least as bad as `fail_on`, else 0."""
    if fail_on is None:
        return 0
    return int(any(one.severity >= fail_on for one in report.diagnostics if not one.suppressed))


def explain(name: str, rules: Iterable[Rule]) -> str:
    """The documentation of the rule with this code or name. Raises `CommandError`."""
    by_name = {key: rule for rule in rules for key in (rule.code, rule.name)}
    rule = by_name.get(name.upper()) or by_name.get(name.lower())
    if rule is not None:
        return rule_page(rule)
    close = (
        [key for key in by_name if name and key.startswith(name.upper())]
        or difflib.get_close_matches(name.upper(), by_name)
        or difflib.get_close_matches(name, by_name)
    )
    hint = f"did you mean {' or '.join(close)}?" if close else "--list-rules shows all"
    raise CommandError(f"--explain: no rule is called {name}; {hint}")


def _require_consistent(options: Options) -> None:
    modes = [
        name
        for name, given in (
            ("--diff", options.diff),
            ("--write", options.write),
            ("--output", options.output is not None),
        )
        if given
    ]
    stdin = "-" in options.paths
    complaints = (
        (not options.paths, "name the files or folders to look at, or - for standard input (see --help)"),
        (len(modes) > 1, f"{' and '.join(modes)} exclude each other"),
        (options.quiet and options.verbose, "--quiet and --verbose exclude each other"),
        (stdin and len(options.paths) > 1, "- for standard input cannot be joined with other paths"),
        (stdin and options.output is not None, "--output needs files or folders, not standard input"),
        (options.stdin_filename is not None and not stdin, "--stdin-filename needs - as the only path"),
        (options.statistics and options.form not in (None, "text"), "--statistics goes with --format text"),
        (
            options.diff and options.output_file is None and (options.form or options.statistics),
            "--diff prints the diff; give the report its own place with --output-file",
        ),
        (
            options.output_file is not None and not Path(options.output_file).absolute().parent.is_dir(),
            f"--output-file: the folder of {options.output_file} does not exist",
        ),
        (
            options.output_file is not None and Path(options.output_file).is_dir(),
            f"--output-file: {options.output_file} is a folder",
        ),
        (options.select is not None and not codes_from(options.select), "--select names no code"),
    )
    for wrong, text in complaints:
        if wrong:
            raise CommandError(text)


def _progress(options: Options) -> contextlib.AbstractContextManager[Progress]:
    if options.quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return contextlib.nullcontext(tell_nobody)
    return Bar()


def _request(options: Options, machinery: Machinery) -> Request:
    known = [rule.code for rule in machinery.rules]
    require_known(codes_from(options.select or ""), known, "--select")
    require_known(codes_from(options.ignore or ""), known, "--ignore")
    if options.output is not None:
        require_destination(options.paths, options.output)
    text = None
    if "-" in options.paths:
        text = Text(sys.stdin.buffer.read(), options.stdin_filename)
    return Request(
        paths=options.paths,
        text=text,
        root=None if options.root is None else Path(options.root),
        config=None if options.config is None else Path(options.config),
        override=lambda found: _with_options(found, options),
    )


def _with_options(settings: Settings, options: Options) -> Settings:
    """`settings`, in which each option that was given replaces its key."""
    if options.select is not None:
        settings = replace(settings, select=codes_from(options.select))
    if options.ignore is not None:
        settings = replace(settings, ignore=codes_from(options.ignore))
    if options.fail_on is not None:
        settings = replace(settings, fail_on=FAIL_ON[options.fail_on])
    if options.unsafe_fixes:
        settings = replace(settings, applicability=Applicability.UNSAFE)
    return settings


def _mode(options: Options) -> Callable[[Job, Options], Report]:
    if options.diff:
        return _diff
    if options.output is not None:
        return partial(_output, destination=options.output)
    if options.write:
        return _write_text if "-" in options.paths else _write
    return _report


def _report(job: Job, options: Options) -> Report:
    if options.form != "json":
        job = replace(job, plan_fixes=job.foresee_fixes)
    report = run(job).report
    _print_report(report, options)
    return report


def _diff(job: Job, options: Options) -> Report:
    outcome = run(job)
    applied = apply_in_memory(outcome.tree, chosen_fixes(outcome.diagnosed, job.settings.applicability))
    _tell_refusals(applied, job.display)
    for key, data in sorted(applied.contents.items()):
        click.echo(unified_diff(job.display(key), outcome.tree.data(key), data), nl=False)
    report = replace(outcome.report, files=replace(outcome.report.files, changed=len(applied.contents)))
    if options.output_file is not None:
        _print_report(report, options)
    return report


def _write(job: Job, options: Options) -> Report:
    stamps = take_stamps(job.discovery.tree.targets)
    outcome = run(job)
    fixes = chosen_fixes(outcome.diagnosed, job.settings.applicability)
    applied = apply_in_place(outcome.tree, fixes, stamps)
    _tell_refusals(applied, job.display)
    report = _remaining(job, outcome, applied)
    _print_report(report, options)
    if applied.refused and not applied.contents:
        raise CommandError("nothing could be written")
    return report


def _write_text(job: Job, options: Options) -> Report:
    outcome = run(job)
    applied = apply_in_memory(outcome.tree, chosen_fixes(outcome.diagnosed, job.settings.applicability))
    _tell_refusals(applied, job.display)
    report = _remaining(job, outcome, applied)
    (key,) = outcome.tree.targets
    click.echo(applied.contents.get(key, outcome.tree.data(key)), nl=False)
    if options.output_file is not None:
        _print_report(report, options)
    return report


def _output(job: Job, options: Options, destination: str) -> Report:
    origin = common_folder(options.paths).rstrip("/")
    targets = frozenset(job.discovery.tree.targets)

    def in_copy(key: str) -> str:
        return job.display(f"{key_of(destination)}{key[len(origin) :]}" if key in targets else key)

    copy_job = replace(job, display=in_copy)
    outcome = run(copy_job)
    applied = apply_in_memory(outcome.tree, chosen_fixes(outcome.diagnosed, job.settings.applicability))
    _tell_refusals(applied, job.display)
    for key in copy_files(options.paths, destination, applied.contents):
        _note(f"{job.display(key)}: is neither a file nor a folder and was not copied")
    report = _remaining(copy_job, outcome, applied)
    _print_report(report, options)
    return report


def _remaining(job: Job, outcome: Outcome, applied: Applied) -> Report:
    """The report on the files as they are after `applied`."""
    if not applied.contents:
        return outcome.report
    tree = outcome.tree.with_contents(applied.contents)
    after = run(replace(job, discovery=replace(job.discovery, tree=tree))).report
    return replace(
        after,
        files=replace(after.files, changed=len(applied.contents)),
        fixed_safe=applied.count(Applicability.SAFE),
        fixed_unsafe=applied.count(Applicability.UNSAFE),
    )


def _print_report(report: Report, options: Options) -> None:
    if options.form == "json":
        text = json_report(report)
    else:
        text = statistics_report(report) if options.statistics else text_report(report)
    if options.output_file is None:
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        click.echo(text, nl=False, color=False if plain else None)
        return
    try:
        write_file(options.output_file, click.unstyle(text).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise CommandError(f"--output-file: {options.output_file}: {error.strerror}") from None


def _tell_what_is_read(job: Job, options: Options) -> None:
    """Say what a reader of "no findings" would otherwise not know."""
    discovery = job.discovery
    for folder in discovery.empty:
        _note(f"{job.display(folder)}: holds no Python files")
    if discovery.notebooks:
        number = len(discovery.notebooks)
        noun = "notebook was" if number == 1 else "notebooks were"
        _note(f"{number} {noun} not analysed; export to .py files first")
    if not options.verbose:
        return
    tree = discovery.tree
    _note(f"root {tree.root}, files to look at: {len(tree.targets)}, around them: {len(tree.context)}")
    for key in discovery.left_out:
        _note(f"{job.display(key)}: left out")
    for unread in discovery.unread_context:
        _note(f"{job.display(unread.key)}: {unread.reason}")
    for key, value in in_words(job.settings).items():
        _note(f"setting {key} = {value}")


def _tell_refusals(applied: Applied, display: Display) -> None:
    for key, reason in sorted(applied.refused.items()):
        _note(f"{display(key)}: {reason}")


def _note(text: str) -> None:
    click.echo(f"npu-migrate: {printable(text)}", err=True)
