"""What a rehearsal tells: its verdicts as a report, and a few lines on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import click

from npu_migrate.commands.making import making_of
from npu_migrate.commands.options import CommandError
from npu_migrate.commands.rehearsing.copies import ProjectCopy
from npu_migrate.commands.rehearsing.options import Options
from npu_migrate.commands.speaking import report_language
from npu_migrate.engine.accepting.suppression import suppress
from npu_migrate.engine.diagnosing import Label, PlannedFinding, diagnose
from npu_migrate.engine.request import relative_to
from npu_migrate.engine.selection import selection_of
from npu_migrate.findings import Difference, FileCounts, Finding, Rehearsal, Report
from npu_migrate.languages.saying import Say
from npu_migrate.rehearsal.protocol import Recording
from npu_migrate.rehearsal.verdicts import files_of, findings
from npu_migrate.reports.formats import FORMATS
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.reports.text import printable
from npu_migrate.reports.translating import translated_report, translated_rules
from npu_migrate.reports.wording import number_of, severities_in_words
from npu_migrate.rules import ALL_RULES
from npu_migrate.rules.seen_in_runs import with_run_codes
from npu_migrate.settings import Settings
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import Source, SourceError
from npu_migrate.sources.tree import SourceTree
from npu_migrate.streams import has_colours, tell

Sources = Callable[[str], Source | None]

_OPEN_FILES = 64


def report_of(
    recording: Recording, script: str, copy: ProjectCopy, settings: Settings, rehearsal: Rehearsal
) -> Report:
    """The report on what was seen in a run of `script`, a key of `copy`.

    Comments in the files and the settings suppress verdicts as they do what the rules find.
    """
    tree = SourceTree(Path(copy.folder), tuple(sorted(files_of(recording.verdicts) | {script})), ())
    sources = sources_of(tree)
    selection = selection_of(settings, copy.root)
    wanted = (
        one
        for one in findings(recording.verdicts, script, sources)
        if selection.wants(one.code, copy.origin(one.place.path))
    )
    shown = relative_to(Path.cwd())
    diagnosed = diagnose(
        tuple(_with_comments(tuple(wanted), sources)),
        tree,
        {rule.code: Label(rule.name, rule.sources) for rule in with_run_codes(ALL_RULES)},
        lambda key: shown(copy.origin(key)),
    )
    return Report(
        tuple(one.diagnostic for one in diagnosed),
        FileCounts(discovered=1, analysed=1, changed=len(copy.migration.contents)),
        fixed_safe=copy.migration.safe,
        fixed_unsafe=copy.migration.unsafe,
        rehearsal=rehearsal,
    )


def _with_comments(found: tuple[Finding, ...], sources: Sources) -> Iterator[PlannedFinding]:
    for path in sorted({one.place.path for one in found}):
        here = tuple(one for one in found if one.place.path == path)
        source = sources(path)
        if source is None:
            yield from map(PlannedFinding, here)
            continue
        verdict = suppress(source, here, lambda code: False)
        yield from map(PlannedFinding, verdict.kept)
        yield from (PlannedFinding(one, suppressed=True) for one in verdict.suppressed)


def sources_of(tree: SourceTree) -> Sources:
    """The files of `tree`; None for one that is not among its targets or cannot be read."""

    @lru_cache(_OPEN_FILES)
    def source(key: str) -> Source | None:
        try:
            return tree.source(key) if key in tree.targets else None
        except SourceError:
            return None

    return source


def deliver(report: Report, copy: ProjectCopy, options: Options, settings: Settings) -> None:
    """Write the report to its file, or to standard error. Raises `CommandError`."""
    form = options.form or "text"
    base = Path.cwd()

    def source(path: str) -> Source | None:
        key = copy.copied(key_of(base / path))
        return sources_of(SourceTree(Path(copy.folder), (key,), ()))(key)

    language = report_language(form, options.language, settings)
    making = making_of(Path(copy.root), settings, language) if FORMATS[form].dated else None
    around = Surroundings(
        translated_rules(with_run_codes(ALL_RULES), language),
        lru_cache(_OPEN_FILES)(source),
        key_of(base),
        settings.applicability,
        making=making,
        documentation=settings.documentation_url,
        say=language.say,
        language=language.code,
    )
    text = FORMATS[form].render(translated_report(report, language), around)
    if FORMATS[form].for_people and (options.output_file or not has_colours(sys.stderr)):
        text = click.unstyle(text)
    if options.output_file is None:
        tell(text.removesuffix("\n")) if text else None
        return
    from npu_migrate.sources.writing import write_file

    try:
        write_file(options.output_file, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise CommandError(f"--output-file: {options.output_file}: {error.strerror}") from None


def summary(report: Report, recording: Recording, ranks: int = 1) -> Iterator[str]:
    """The last lines of a rehearsal. They never claim that something was judged that was not.

    Of several `ranks` each may do as many session runs as were asked for.
    """
    runs = f"{number_of(recording.runs, 'session run')} (TensorFlow {recording.tensorflow})"
    if recording.status == "stopped":
        stopped = number_of(recording.runs, "session run")
        yield f"Stopped after {stopped}, as --max-runs asks{' of each rank' if ranks > 1 else ''}."
    for text in recording.mishaps:
        yield (
            "Not everything was judged. This is a bug in npu-migrate; please report it: "
            f"{text.strip().splitlines()[-1]}"
        )
    changed = report.files.changed
    if changed:
        fixes = report.fixed_safe + report.fixed_unsafe
        fixed = f"{fixes} {'fix' if fixes == 1 else 'fixes'} in {number_of(changed, 'file')}"
        yield f"Rehearsed a migrated copy: {fixed}."
    numbers = severities_in_words(report.counted)
    if numbers:
        where = number_of(len({one.path for one in report.counted}), "file")
        yield f"Found: {numbers} in {where}, in {runs}."
        if changed:
            yield "The lines are those of the migrated copy."
    elif not recording.runs:
        yield f"Nothing was judged: there was no session run (TensorFlow {recording.tensorflow})."
    elif not recording.on_npu:
        yield (
            f"Nothing was judged: none of {runs} reaches the NPU. A session does with npu_bridge and, in its "
            "config, an NpuOptimizer entry whose use_off_line is not off."
        )
    else:
        yield f"No findings in {runs}."
    suppressed = sum(one.suppressed for one in report.diagnostics)
    if suppressed:
        yield f"{number_of(suppressed, 'finding')} suppressed by comments."


def difference_in_words(difference: Difference, say: Say) -> Iterator[str]:
    """Where two runs differ first, and both values."""
    place = "" if difference.path is None else say.aside(f"{difference.path}:{difference.line}")
    if difference.kind == "printed":
        yield say(f"The first difference is in line {difference.step} of what is printed:")
    elif difference.kind == "runs":
        number = difference.step
        what = say(f"Only one of them has a session run number {number} that fetches something")
        yield say.headed(f"{what}{place}", "").rstrip()
    else:
        what = say(f"The first difference is in {difference.what}, session run {difference.step}")
        yield say.headed(f"{what}{place}", "").rstrip()
    yield from both_values(difference, say)


def both_values(difference: Difference, say: Say) -> Iterator[str]:
    """The two values that differ, one on each line. They are the script's own and are not translated."""
    yield f"  {say('as it is:')}    {printable(difference.expected)}"
    yield f"  {say('on the NPU:')}  {printable(difference.found)}"


def with_shown_path(difference: Difference, copy: ProjectCopy) -> Difference:
    """`difference` with the path of the user's own file, relative to the working directory."""
    if difference.path is None:
        return difference
    return replace(difference, path=relative_to(Path.cwd())(copy.origin(key_of(difference.path))))


def note(text: str) -> None:
    """Say one line on standard error."""
    tell(f"npu-rehearse: {printable(text)}")
