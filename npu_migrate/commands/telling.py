"""What a run prints: the report, progress, and notes on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TextIO

import click

from npu_migrate.commands.options import CommandError, Options
from npu_migrate.commands.reading import read_input
from npu_migrate.engine.job import Job, Outcome, Progress, tell_nobody
from npu_migrate.progress_bar import Bar
from npu_migrate.reports.formats import FORMATS
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.reports.text import printable
from npu_migrate.settings import in_words
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import Source, SourceError
from npu_migrate.streams import emit, tell

_OPEN_FILES = 64


def print_report(outcome: Outcome, job: Job, options: Options) -> bytes:
    """Print the report in the form that `options` ask for, or write it to a file. Raises `CommandError`.

    Returns what was printed or written.
    """
    form = options.form or "text"
    if options.statistics:
        from npu_migrate.reports.statistics import statistics_report

        text = statistics_report(outcome.report)
    else:
        text = FORMATS[form].render(outcome.report, _surroundings(outcome, job, options))
    if form != "text":
        # What a program reads does not depend on the terminal, and an escape in it is no colour.
        data = text.encode("utf-8", "backslashreplace")
        _deliver(data, options.output_file)
        return data
    if options.output_file is not None:
        data = click.unstyle(text).encode("utf-8", "backslashreplace")
        _deliver(data, options.output_file)
        return data
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    coloured = not plain and sys.stdout is not None and sys.stdout.isatty()
    shown = text if coloured else click.unstyle(text)
    emit(shown, color=coloured)
    return as_printed(shown, sys.stdout)


def as_printed(text: str, stream: TextIO | None) -> bytes:
    """`text` as it is written to a stream that has no character of it for what it lacks."""
    encoding = "utf-8" if stream is None else stream.encoding
    return text.encode(encoding, "backslashreplace")


def _deliver(data: bytes, file: str | None) -> None:
    if file is None:
        emit(data)
        return
    from npu_migrate.sources.writing import write_file

    try:
        write_file(file, data)
    except OSError as error:
        raise CommandError(f"--output-file: {file}: {error.strerror}") from None


def _surroundings(outcome: Outcome, job: Job, options: Options) -> Surroundings:
    tree = outcome.tree
    keys: dict[str, str] = {}

    @lru_cache(_OPEN_FILES)
    def source(path: str) -> Source | None:
        if not keys:
            keys.update((job.display(key), key) for key in (*tree.targets, *tree.context))
        try:
            return tree.source(keys[path]).file
        except (KeyError, SourceError):
            return None

    return Surroundings(
        job.rules, source, key_of(Path.cwd()), job.settings.applicability, _posted(options.existing)
    )


def _posted(files: Iterable[str]) -> frozenset[str]:
    """The fingerprints in the comments that `files` hold. Raises `CommandError`."""
    found: frozenset[str] = frozenset()
    for name in files:
        from npu_migrate.reports.reviews.posted import posted_fingerprints

        try:
            found |= posted_fingerprints(read_input(name, "--existing"))
        except ValueError as error:
            raise CommandError(
                f"--existing: {name} holds no comments as GitHub's API gives them ({error})"
            ) from None
    return found


def tell_what_is_read(job: Job, options: Options) -> None:
    """Say what a reader of "no findings" would otherwise not know."""
    discovery = job.discovery
    for folder in discovery.empty:
        note(f"{job.display(folder)}: holds no Python files or notebooks")
    if not options.verbose:
        return
    tree = discovery.tree
    note(f"root {tree.root}, files to look at: {len(tree.targets)}, around them: {len(tree.context)}")
    for key in discovery.left_out:
        note(f"{job.display(key)}: left out")
    for unread in discovery.unread_context:
        note(f"{job.display(unread.key)}: {unread.reason}")
    for key, value in in_words(job.settings).items():
        note(f"setting {key} = {value}")


def progress_of(options: Options) -> contextlib.AbstractContextManager[Progress]:
    """What shows the progress of a run while it lasts; nothing where nobody watches."""
    if options.quiet or sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return contextlib.nullcontext(tell_nobody)
    return Bar()


def note(text: str) -> None:
    """Say one line on standard error."""
    tell(f"npu-migrate: {printable(text)}")
