"""The options of the command line together: what they are, and which of them go with which."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from npu_migrate.settings import codes_from


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


def require_consistent(options: Options) -> None:
    """Raise `CommandError` for options that contradict each other or lack one that they need."""
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
