"""The options of the command line together: what they are, and which of them go with which."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import click

from npu_migrate.reports.formats import FORMATS
from npu_migrate.settings import codes_from

_DASK = re.compile(r"dask://[^/\s]+:\d+")

_READ_NOTHING = frozenset(
    (
        "paths",
        "select",
        "ignore",
        "form",
        "fail_on",
        "unsafe_fixes",
        "initialize",
        "port",
        "only_verified",
        "statistics",
        "group_by",
        "jobs",
        "quiet",
        "language",
    )
)
"""Options that name no file beside PATH, and with which nothing is written but a report."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line, as click gives them; `form` is ``--format``."""

    paths: tuple[str, ...]
    diff: bool
    write: bool
    output: str | None
    unsafe_fixes: bool
    initialize: str | None
    port: bool
    only_verified: bool
    select: str | None
    ignore: str | None
    form: str | None
    output_file: str | None
    fail_on: str | None
    root: str | None
    stdin_filename: str | None
    config: str | None
    changed_since: str | None
    diff_file: str | None
    new_only: bool
    existing: tuple[str, ...]
    baseline: str | None
    no_baseline: bool
    write_baseline: str | None
    prune_baseline: bool
    add_suppressions: bool
    suppression_reason: str | None
    statistics: bool
    api_report: bool
    group_by: str | None
    language: str | None
    no_cache: bool
    jobs: int | None
    executor: str | None
    quiet: bool
    verbose: bool

    @property
    def change(self) -> str | None:
        """The option that limits the findings to a change."""
        if self.changed_since is not None:
            return "--changed-since"
        return None if self.diff_file is None else "--diff-file"

    @property
    def asks_only(self) -> bool:
        """Whether the answer depends on nothing but the files of the project, and all it does is to print."""
        others = (getattr(self, one.name) for one in fields(self) if one.name not in _READ_NOTHING)
        form = FORMATS.get(self.form or "text")
        dated = form is not None and form.dated
        return "-" not in self.paths and not dated and not any(others)

    @property
    def accepts(self) -> tuple[str, ...]:
        """The options that change which findings are accepted."""
        asked = (
            ("--write-baseline", self.write_baseline is not None),
            ("--prune-baseline", self.prune_baseline),
            ("--add-suppressions", self.add_suppressions),
        )
        return tuple(name for name, given in asked if given)


class CommandError(click.ClickException):
    """What the user asked for cannot be done; the text is one line that says why."""


class Interrupted(Exception):
    """Ctrl-C has ended the run; the text says what it has left behind."""


def require_working_directory() -> None:
    """Raise `CommandError` if the folder that paths count from was removed."""
    try:
        Path.cwd()
    except OSError as error:
        raise CommandError(f"the working directory is gone ({error.strerror}); change to another") from None


def require_consistent(options: Options) -> None:
    """Raise `CommandError` for options that contradict each other or lack one that they need."""
    require_working_directory()
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
            options.api_report and options.form not in (None, "text", "json", "html"),
            "--api-report goes with --format text, json or html",
        ),
        (
            options.api_report and options.group_by is not None,
            "--api-report and --group-by exclude each other",
        ),
        (options.api_report and bool(modes), f"--api-report and {''.join(modes[:1])} exclude each other"),
        (
            options.group_by is not None and not FORMATS[options.form or "text"].for_people,
            "--group-by goes with --format text or concise",
        ),
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
        *_complaints_about_reviews(options),
        *_complaints_about_accepting(options, modes),
        (
            options.jobs is not None and options.executor is not None,
            "--jobs and --executor exclude each other",
        ),
        (
            options.executor is not None and not _DASK.fullmatch(options.executor),
            f"--executor: {options.executor} is not understood; write dask://HOST:PORT",
        ),
        (options.select is not None and not codes_from(options.select), "--select names no code"),
    )
    for wrong, text in complaints:
        if wrong:
            raise CommandError(text)


def _complaints_about_accepting(options: Options, modes: Sequence[str]) -> Iterator[tuple[bool, str]]:
    asked = options.accepts
    others = [*asked[1:], *modes]
    if asked == ("--add-suppressions",):
        others = [mode for mode in modes if mode != "--diff"]
    for name in asked[:1]:
        yield bool(others), f"{name} and {''.join(others[:1])} exclude each other"
        yield "-" in options.paths, f"{name} needs files or folders, not standard input"
    known, unwanted, file = options.baseline is not None, options.no_baseline, options.write_baseline
    yield known and unwanted, "--baseline and --no-baseline exclude each other"
    yield options.prune_baseline and unwanted, "--prune-baseline and --no-baseline exclude each other"
    if file is not None:
        yield known, "--write-baseline and --baseline exclude each other: it accepts all that is found"
        yield Path(file).is_dir(), f"--write-baseline: {file} is a folder"
        missing = not Path(file).absolute().parent.is_dir()
        yield missing, f"--write-baseline: the folder of {file} does not exist"
    yield from _complaints_about_reason(options)


def _complaints_about_reason(options: Options) -> Iterator[tuple[bool, str]]:
    if options.suppression_reason is None:
        return
    yield not options.add_suppressions, "--suppression-reason goes with --add-suppressions"
    from npu_migrate.engine.accepting.adding_suppressions import wrong_reason

    wrong = wrong_reason(options.suppression_reason)
    yield wrong is not None, f"--suppression-reason {wrong}"


def _complaints_about_reviews(options: Options) -> tuple[tuple[bool, str], ...]:
    change = options.change
    review = options.form == "github-review"
    return (
        (
            options.changed_since is not None and options.diff_file is not None,
            "--changed-since and --diff-file exclude each other",
        ),
        (
            change is not None and "-" in options.paths,
            f"{change} needs files or folders, not standard input",
        ),
        (
            change is not None and options.output is not None,
            f"{change} and --output exclude each other: a copy is of the whole tree",
        ),
        (
            change is not None and bool(options.accepts),
            f"{change} and {''.join(options.accepts[:1])} exclude each other: accept what a whole run finds",
        ),
        (
            options.diff_file is not None and options.write,
            "--diff-file and --write exclude each other: the patch would no longer fit; use --changed-since",
        ),
        (
            review and change is None,
            "--format github-review needs the change that is reviewed: --changed-since or --diff-file",
        ),
        (
            review and options.write,
            "--format github-review and --write exclude each other: a review is of files that were pushed",
        ),
        (options.new_only and change is None, "--new-only goes with --changed-since or --diff-file"),
        (bool(options.existing) and not review, "--existing goes with --format github-review"),
    )
