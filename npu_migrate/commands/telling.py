"""What a run prints: the report, progress, and notes on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TextIO

import click

from npu_migrate.commands.options import CommandError, Options
from npu_migrate.commands.reading import read_input
from npu_migrate.commands.speaking import asked_language, language_of, report_language
from npu_migrate.engine.job import Job, Outcome, Progress, tell_nobody
from npu_migrate.findings import ApiUse
from npu_migrate.languages.language import Language
from npu_migrate.progress_bar import Bar
from npu_migrate.reports.formats import FORMATS
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.reports.text import printable
from npu_migrate.reports.translating import translated_report, translated_rules, translated_uses
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import Source, SourceError
from npu_migrate.streams import emit, has_colours, tell

_OPEN_FILES = 64


def print_report(outcome: Outcome, job: Job, options: Options) -> bytes:
    """Print the report in the form that `options` ask for, or write it to a file. Raises `CommandError`.

    Returns what was printed or written.
    """
    text = _text(outcome, job, options)
    if not FORMATS[options.form or "text"].for_people:
        # What a program reads does not depend on the terminal, and an escape in it is no colour.
        data = text.encode("utf-8", "backslashreplace")
        _deliver(data, options.output_file)
        return data
    if options.output_file is not None:
        data = click.unstyle(text).encode("utf-8", "backslashreplace")
        _deliver(data, options.output_file)
        return data
    coloured = has_colours(sys.stdout)
    shown = text if coloured else click.unstyle(text)
    emit(shown, color=coloured)
    return as_printed(shown, sys.stdout)


def _text(outcome: Outcome, job: Job, options: Options) -> str:
    """The report, with colours where people read it."""
    form = options.form or "text"
    language = report_language(form, options.language, job.settings)
    report = translated_report(outcome.report, language)
    if options.statistics:
        from npu_migrate.reports.statistics import statistics_report

        return statistics_report(report, options.group_by or "rule", language.say)
    if options.group_by is not None:
        from npu_migrate.reports.groups.listing import grouped_report

        return grouped_report(report, options.group_by, concise=form == "concise", say=language.say)
    return FORMATS[form].render(report, _surroundings(outcome, job, options, language))


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


def _surroundings(outcome: Outcome, job: Job, options: Options, language: Language) -> Surroundings:
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

    making = None
    if FORMATS[options.form or "text"].dated:
        from npu_migrate.commands.making import making_of

        making = making_of(tree.root, job.settings, language)
    return Surroundings(
        translated_rules(job.rules, language),
        source,
        key_of(Path.cwd()),
        job.settings.applicability,
        _posted(options.existing),
        making,
        documentation=job.settings.documentation_url,
        api=translated_uses(_api(job, options), language),
        say=language.say,
        language=language.code,
    )


def _api(job: Job, options: Options) -> tuple[ApiUse, ...]:
    """What the page of a run with ``--port`` or ``--api-report`` lists."""
    if options.form != "html" or not (options.api_report or job.settings.port):
        return ()
    from npu_migrate.engine.api_use import api_uses

    return api_uses(replace(job, settings=replace(job.settings, port=True)))


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
    if not (discovery.empty or options.verbose):
        return
    language = language_of(options.language, job.settings)
    say = language.say
    for folder in discovery.empty:
        note(say.headed(job.display(folder), say("holds no Python files or notebooks")))
    if not options.verbose:
        return
    from npu_migrate.commands.making import settings_told

    tree = discovery.tree
    note(say(f"root {tree.root}, files to look at: {len(tree.targets)}, around them: {len(tree.context)}"))
    for key in discovery.left_out:
        note(say.headed(job.display(key), say("left out")))
    for unread in discovery.unread_context:
        note(say.headed(job.display(unread.key), say(unread.reason)))
    if job.settings.file is None:
        note(say("settings from no file: none has the table [tool.npu-migrate]"))
    else:
        note(say(f"settings from {job.settings.file}"))
    for key, value in settings_told(job.settings, language).items():
        note(say(f"setting {key} = {value}"))


def progress_of(options: Options) -> contextlib.AbstractContextManager[Progress]:
    """What shows the progress of a run while it lasts; nothing where nobody watches."""
    if options.quiet or sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return contextlib.nullcontext(tell_nobody)

    def label() -> str:
        # The settings may not have been read before there is a bar, and most runs have none.
        say = asked_language(options.language, options.root, options.config).say
        return say("Analysing")

    return Bar(label)


def note(text: str) -> None:
    """Say one line on standard error."""
    tell(f"npu-migrate: {printable(text)}")
