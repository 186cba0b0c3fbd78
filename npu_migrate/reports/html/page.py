"""What the page shows, as plain values for the template."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from markupsafe import Markup

from npu_migrate.findings import Applicability, Diagnostic, Fix, RelatedRange, Report, Severity
from npu_migrate.reports.html.excerpt import Excerpt, around
from npu_migrate.reports.html.folders import Folder, folder_of, folder_tree
from npu_migrate.reports.html.hunks import Hunk, hunks_of
from npu_migrate.reports.html.markdown import to_html
from npu_migrate.reports.html.moving import ApiGroup, ShownMigration, api_groups, shown_migrations
from npu_migrate.reports.summary import summary
from npu_migrate.reports.surroundings import Making, Sources, Surroundings
from npu_migrate.rules.rule import Rule
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.notebook import NotebookError, read_notebook
from npu_migrate.sources.source import Source

_CONTEXT = 2
_MOST_PROGRAMS = 10
_OPEN_FILES = 64
_DEEPER = 2
"""The rule pages begin with headings of level 2, and their titles have level 3 here."""

_GetLines = Callable[[str, int], LineIndex | None]
"""The lines of a file by its path and 0, or those of a cell by its notebook's path and its number."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What a fix does to one file; no hunks for a file that cannot be read any more."""

    path: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class ShownRelated:
    """A related place and its code."""

    related: RelatedRange
    excerpt: Excerpt | None


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """One finding with everything around it.

    `anchor` is the fingerprint, unique on the page. `fixable` and `state` are the words that the filters
    compare; `programs` are the first ones, `more_programs` counts the others.
    """

    diagnostic: Diagnostic
    anchor: str
    folder: str
    fixable: str
    state: str
    excerpt: Excerpt | None
    related: tuple[ShownRelated, ...]
    programs: tuple[str, ...]
    more_programs: int
    changes: tuple[ChangedFile, ...]


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule that found something: its worst severity here, and how many of its findings count."""

    code: str
    name: str
    severity: Severity
    count: int
    safe: int
    unsafe: int


@dataclass(frozen=True, slots=True)
class ShownRule:
    """The explanation of a rule, and the address of its page, if it has one."""

    rule: Rule
    page: Markup
    address: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page. Only `suppressed` and `baselined` count what is suppressed or baselined.

    `silence` says what was looked for, where no finding counts; else it is empty.
    """

    report: Report
    folder: str
    making: Making | None
    silence: str
    severities: tuple[tuple[Severity, int], ...]
    safe: int
    unsafe: int
    suppressed: int
    baselined: int
    rows: tuple[RuleRow, ...]
    folders: tuple[Folder, ...]
    rules: tuple[ShownRule, ...]
    migrations: tuple[ShownMigration, ...]
    api: tuple[ApiGroup, ...]
    findings: Iterator[ShownFinding]


def page_of(report: Report, surroundings: Surroundings) -> Page:
    """The page for a report. Its findings are made one after the other, and once only."""
    counted = report.counted
    severities = Counter(one.severity for one in counted)
    fixes = Counter(map(_fixable, counted))
    return Page(
        report,
        surroundings.folder,
        surroundings.making,
        "" if counted else surroundings.say.sentences(summary(report, say=surroundings.say).splitlines()),
        tuple((one, severities[one]) for one in reversed(Severity)),
        fixes["safe"],
        fixes["unsafe"],
        sum(one.suppressed for one in report.diagnostics),
        sum(one.baselined and not one.suppressed for one in report.diagnostics),
        _rows(report.diagnostics),
        folder_tree(one.path for one in counted),
        tuple(
            ShownRule(rule, to_html(rule.documentation, _DEEPER), surroundings.page_of(rule.code))
            for rule in surroundings.rules_of(report)
        ),
        shown_migrations(report, surroundings.say),
        api_groups(surroundings.api, surroundings.say),
        _findings(report.diagnostics, surroundings.source),
    )


def _rows(diagnostics: Sequence[Diagnostic]) -> tuple[RuleRow, ...]:
    """The rules, those first that found the worst, then those that found most."""
    by_code: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for one in diagnostics:
        by_code[one.code].append(one)
    rows = [_row(code, found) for code, found in by_code.items()]
    return tuple(sorted(rows, key=lambda row: (not row.count, -row.severity, -row.count, row.code)))


def _row(code: str, found: Sequence[Diagnostic]) -> RuleRow:
    counted = [one for one in found if one.counts]
    fixes = Counter(map(_fixable, counted))
    worst = max(one.severity for one in counted or found)
    return RuleRow(code, found[0].name, worst, len(counted), fixes["safe"], fixes["unsafe"])


def _findings(diagnostics: Sequence[Diagnostic], source: Sources) -> Iterator[ShownFinding]:
    taken: Counter[str] = Counter()

    @lru_cache(_OPEN_FILES)
    def cells(path: str) -> Mapping[int, LineIndex]:
        file = source(path)
        return {} if file is None else _cells_of(file)

    def lines(path: str, cell: int) -> LineIndex | None:
        if cell:
            return cells(path).get(cell)
        file = source(path)
        return None if file is None else file.lines

    for one in diagnostics:
        taken[one.fingerprint] += 1
        again = taken[one.fingerprint]
        yield ShownFinding(
            one,
            one.fingerprint if again == 1 else f"{one.fingerprint}-{again}",
            folder_of(one.path),
            _fixable(one),
            "suppressed" if one.suppressed else "baselined" if one.baselined else "",
            _excerpt(one, lines, _CONTEXT),
            tuple(ShownRelated(related, _excerpt(related, lines, 0)) for related in one.related),
            one.programs[:_MOST_PROGRAMS],
            max(len(one.programs) - _MOST_PROGRAMS, 0),
            () if one.fix is None else tuple(_changes(one.fix, source)),
        )


def _excerpt(shown: Diagnostic | RelatedRange, lines: _GetLines, context: int) -> Excerpt | None:
    """The code of a place; None where there is none, as in a file that cannot be read."""
    cell = shown.cell
    found = lines(shown.path, 0 if cell is None else cell.number)
    place = shown.range if cell is None else cell.range
    return None if found is None else around(found, place, context)


def _cells_of(notebook: Source) -> dict[int, LineIndex]:
    """The lines of the code cells, by their numbers."""
    try:
        cells = read_notebook(notebook.text).joined.cells
    except NotebookError:
        return {}
    return {cell.number: LineIndex(cell.text) for cell in cells}


def _changes(fix: Fix, source: Sources) -> Iterator[ChangedFile]:
    by_path = sorted(fix.edits, key=lambda edit: edit.path)
    for path, edits in groupby(by_path, key=lambda edit: edit.path):
        file = source(path)
        yield ChangedFile(path, () if file is None else hunks_of(file, tuple(edits)))


def _fixable(diagnostic: Diagnostic) -> str:
    if diagnostic.fix is None:
        return "none"
    return "safe" if diagnostic.fix.applicability is Applicability.SAFE else "unsafe"
