"""Which findings belong to a change, and on which of its lines they are told.

A finding belongs to a change

- if its place was touched: a line of it was added or altered, or lines were deleted within it;
- if a place that it is related to was touched: then it is told there, and names its own place as related;
- if it was not there before the change: then it is told at the nearest line that was touched.

If only new findings are asked for, the third is the only reason. What a change touched without making it, as
a formatter does, is then found again before the change by what is said of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache, lru_cache

from npu_migrate.engine.diagnosing import Diagnosed, Display
from npu_migrate.engine.job import Job, Outcome
from npu_migrate.engine.run import run
from npu_migrate.findings import Diagnostic, RelatedRange, Review
from npu_migrate.places import LineSpan, Range
from npu_migrate.review.change import Change, line_count
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import Source, SourceError, is_notebook
from npu_migrate.sources.tree import SourceTree

_OPEN_FILES = 64
_THERE = "this is what it is about"
_CAUSED = "this change causes it"

_Likeness = tuple[str, str, str]
"""What two findings share that are one finding before and after a change: code, path, and a text."""

_NUMBERS = re.compile(r"\d+")


class _Files:
    """The changed files of a result, by the paths that its report shows.

    They `differ` from what was before, for certain if that is given: a file that cannot be read was added.
    """

    def __init__(self, change: Change, tree: SourceTree, display: Display, differ: bool) -> None:
        known = frozenset((*tree.targets, *tree.context))
        targets = frozenset(tree.targets)
        self._tree = tree
        self._changed = {display(key): (key, file) for key, file in change.files.items() if key in known}
        self._targets = frozenset(path for path, (key, _) in self._changed.items() if key in targets)
        self._source = lru_cache(_OPEN_FILES)(self._read)
        self._near = cache(self._find_near)
        self._replaced = cache(self._find_replaced)
        self._former = {
            display(file.was): path for path, (_, file) in self._changed.items() if file.was is not None
        }
        self.differ = bool(differ or self._changed or change.deleted)

    def hunks(self) -> dict[str, tuple[LineSpan, ...]]:
        """What a diff shows of each file."""
        return {
            path: file.touched.hunks(line_count(self._tree.data(key)))
            for path, (key, file) in self._changed.items()
        }

    def touched(self, path: str, place: Range) -> bool:
        """Whether the change touched a place."""
        if path not in self._changed:
            return False
        first, last = self._lines(path, place)
        return self._changed[path][1].touched.meets(first, last)

    def may_tell(self, path: str) -> bool:
        """Whether findings may be told in a file."""
        return path in self._targets

    def nearest(self, path: str, place: Range) -> tuple[Range, str] | None:
        """The changed line of the same file that is nearest to a place, and its text; None without one."""
        near = self._near(path) if path in self._changed else ()
        source = self._source(path)
        if source is None or not near:
            return None
        wanted = self._lines(path, place).first
        index = bisect_left(near, wanted)
        line = min(near[max(index - 1, 0) : index + 1], key=lambda one: abs(one - wanted))
        start, end = source.git_lines.bounds(line)
        text = source.text[start:end]
        start += len(text) - len(text.lstrip())
        return source.lines.range(start, max(start, end - len(text) + len(text.rstrip()))), text

    def text(self, path: str, line: int) -> str:
        """The text of a line, as reports count."""
        source = self._source(path)
        return "" if source is None else source.lines.line(line)

    def renamed(self, path: str) -> str:
        """The path now of a file that had this path before the change."""
        return self._former.get(path, path)

    def said_there(self, one: Diagnostic) -> str:
        """What is said of a finding, and which replaced lines it is on: what stands there for others."""
        return f"{_said(one)} {self._replaced(one.path)[1].get(one.range.start.line)}"

    def said_before(self, one: Diagnostic) -> str:
        """The same of a finding before the change."""
        return f"{_said(one)} {self._replaced(self.renamed(one.path))[0].get(one.range.start.line)}"

    def _find_replaced(self, path: str) -> tuple[Mapping[int, int], Mapping[int, int]]:
        """The numbers of the passages that the change replaced, by the lines (1-based) that were in them, and
        by those that are. What it only deleted or inserted has no number in common. What did not change, or
        is a notebook, has none."""
        if path not in self._changed or is_notebook(self._changed[path][0]):
            return {}, {}
        key, file = self._changed[path]
        now, before = (_text_lines(data) for data in (self._tree.data(key), file.before or b""))
        matcher = SequenceMatcher(None, before, now, autojunk=False)
        there: dict[int, int] = {}
        here: dict[int, int] = {}
        for number, (kind, start, end, first, last) in enumerate(matcher.get_opcodes()):
            if kind != "equal":
                there |= dict.fromkeys(range(start + 1, end + 1), number)
                here |= dict.fromkeys(range(first + 1, last + 1), number)
        return there, here

    def _lines(self, path: str, place: Range) -> LineSpan:
        source = self._source(path)
        return LineSpan(place.start.line, place.end.line) if source is None else source.git_span(place)

    def _find_near(self, path: str) -> tuple[int, ...]:
        key, file = self._changed[path]
        return file.touched.near(line_count(self._tree.data(key)))

    def _read(self, path: str) -> Source | None:
        try:
            return self._tree.source(self._changed[path][0]).file
        except (KeyError, SourceError):
            return None


def only_changed(job: Job, find_change: Callable[[SourceTree], Change], *, new_only: bool = False) -> Job:
    """`job`, whose result is narrowed down to a change of its files; with `new_only` to what is new in it.

    `find_change` is asked about the files of the job, and may raise `ReviewError`.
    """
    change = find_change(job.discovery.tree)
    unread = tuple(one for one in job.discovery.unread if one.key not in change.files)
    differ = len(unread) < len(job.discovery.unread)
    # Of the tree as it was given: what was planned for its programs is kept under that.
    tree = tree_before(job.discovery.tree, change)
    before = replace(job, discovery=replace(job.discovery, tree=tree, unread=unread), refinements=())
    # A refinement and what is said of named files need all findings.
    comparable = not job.refinements and not job.discovery.named

    def refine(outcome: Outcome) -> Outcome:
        files = _Files(change, outcome.tree, job.display, differ)

        def found_before() -> tuple[Diagnostic, ...]:
            # What was not left out of the result has to be found again.
            return run(replace(before, apart_from=job if outcome.left_out else None)).report.counted

        narrowed = _narrowed_to_new if new_only else _narrowed
        return narrowed(outcome, change, files, found_before)

    refinements = (*job.refinements, refine)
    return replace(job, refinements=refinements, apart_from=before if comparable else None)


def _narrowed(
    outcome: Outcome, change: Change, files: _Files, found_before: Callable[[], Sequence[Diagnostic]]
) -> Outcome:
    """`outcome` with the findings that belong to `change`.

    `found_before` gives the findings that counted before the change. It is asked only if a finding is left
    that the touched lines do not explain.
    """
    kept: list[Diagnosed] = []
    left: list[Diagnosed] = []
    for one in outcome.diagnosed:
        told = _told_on_touched_line(one.diagnostic, files)
        if told is None:
            left.append(one)
        else:
            kept.append(one._replace(diagnostic=told))
    counting = [one for one in left if one.diagnostic.counts]
    caused: list[Diagnosed] = []
    if counting and files.differ:
        caused = _not_there_before(counting, found_before(), files)
        kept += (one._replace(diagnostic=_told_nearby(one.diagnostic, files)) for one in caused)
    elsewhere = outcome.left_out + len(counting) - len(caused)
    return _with(outcome, kept, Review(change.top, files.hunks(), elsewhere))


def _narrowed_to_new(
    outcome: Outcome, change: Change, files: _Files, found_before: Callable[[], Sequence[Diagnostic]]
) -> Outcome:
    """`outcome` with the findings that were not there before `change`, wherever it touched them."""
    counting = [one for one in outcome.diagnosed if one.diagnostic.counts]
    new: list[Diagnosed] = []
    if counting and files.differ:
        new, gone = _unmatched(counting, found_before(), files, _line, _line)
        new, _ = _unmatched(new, gone, files, files.said_there, files.said_before)
    kept = []
    for one in new:
        told = _told_on_touched_line(one.diagnostic, files)
        kept.append(one._replace(diagnostic=told or _told_nearby(one.diagnostic, files)))
    elsewhere = outcome.left_out + len(counting) - len(new)
    return _with(outcome, kept, Review(change.top, files.hunks(), elsewhere, new_only=True))


def _with(outcome: Outcome, kept: list[Diagnosed], review: Review) -> Outcome:
    """`outcome` with these findings only."""
    kept.sort(key=lambda one: (one.diagnostic.path, one.diagnostic.range, one.diagnostic.code))
    report = replace(outcome.report, diagnostics=tuple(one.diagnostic for one in kept), review=review)
    return replace(outcome, report=report, diagnosed=tuple(kept))


def tree_before(tree: SourceTree, change: Change) -> SourceTree:
    """`tree` with the files as they were before `change`."""
    targets, context = set(tree.targets), set(tree.context)
    contents: dict[str, bytes] = {}
    for key, file in change.files.items():
        # A file that came from outside of the root has no other name that could be looked at.
        was = file.was if file.was is not None and _is_below(file.was, tree) else file.was and key
        place = targets if key in targets else context
        if key not in place:
            continue
        place.discard(key)
        if was is not None and file.before is not None:
            place.add(was)
            contents[was] = file.before
    for key, content in change.deleted.items():
        if _is_below(key, tree) and key.endswith(".py"):
            context.add(key)
            contents[key] = content
    before = SourceTree(tree.root, tuple(sorted(targets)), tuple(sorted(context - targets)), tree.replaced)
    return before.with_contents(contents)


def _told_on_touched_line(diagnostic: Diagnostic, files: _Files) -> Diagnostic | None:
    """`diagnostic` if its place was touched, or on the place behind it that was; None if none was."""
    if files.touched(diagnostic.path, diagnostic.range):
        return diagnostic
    causes = [one for one in diagnostic.related if files.touched(one.path, one.range)]
    if not causes:
        return None
    cause = next((one for one in causes if files.may_tell(one.path)), None)
    if cause is None:
        return diagnostic
    others = tuple(one for one in diagnostic.related if one is not cause)
    return replace(
        diagnostic,
        path=cause.path,
        range=cause.range,
        cell=cause.cell,
        source_line=files.text(cause.path, cause.range.start.line) if cause.cell is None else "",
        related=(_original(diagnostic), *others),
    )


def _told_nearby(diagnostic: Diagnostic, files: _Files) -> Diagnostic:
    """`diagnostic`, which the change causes, on the nearest line that the change touched."""
    caused = replace(diagnostic, message=f"{diagnostic.message}; {_CAUSED}")
    near = None if diagnostic.cell is not None else files.nearest(diagnostic.path, diagnostic.range)
    if near is None:
        return caused
    place, text = near
    return replace(
        caused, range=place, source_line=text, related=(_original(diagnostic), *diagnostic.related)
    )


def _original(diagnostic: Diagnostic) -> RelatedRange:
    return RelatedRange(diagnostic.path, diagnostic.range, _THERE, diagnostic.cell)


def _not_there_before(
    now: Iterable[Diagnosed], before: Iterable[Diagnostic], files: _Files
) -> list[Diagnosed]:
    """Those of `now` that have no like among `before` that was as bad.

    A like is what has the same fingerprint, except that a file may have been renamed.
    """
    return _unmatched(now, before, files, _line, _line)[0]


def _unmatched(
    now: Iterable[Diagnosed],
    before: Iterable[Diagnostic],
    files: _Files,
    text: Callable[[Diagnostic], str],
    text_before: Callable[[Diagnostic], str],
) -> tuple[list[Diagnosed], list[Diagnostic]]:
    """Those of `now` that have no like among `before` that was as bad, and those of `before` that are left.

    Likes have the same code, path and text, which is `text` now and was `text_before`; a file may have been
    renamed.
    """
    former: dict[_Likeness, list[Diagnostic]] = defaultdict(list)
    for one in sorted(before, key=lambda one: one.severity):
        former[one.code, files.renamed(one.path), text_before(one)].append(one)
    new = []
    for found in sorted(now, key=lambda one: -one.diagnostic.severity):
        one = found.diagnostic
        same = former[one.code, one.path, text(one)]
        if same and same[-1].severity >= one.severity:
            same.pop()
        else:
            new.append(found)
    return new, [one for left in former.values() for one in left]


def _line(diagnostic: Diagnostic) -> str:
    return " ".join(diagnostic.source_line.split())


def _text_lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").split("\n")


def _said(diagnostic: Diagnostic) -> str:
    """What is said of it. Numbers are left out, since those of lines change."""
    return _NUMBERS.sub("", diagnostic.message)


def _is_below(key: str, tree: SourceTree) -> bool:
    return key.startswith(f"{key_of(tree.root).rstrip('/')}/")
