"""The request body with which GitHub makes a review of a pull request (``POST …/pulls/N/reviews``).

Each finding is one comment, on lines that the diff of the change shows: others GitHub refuses, and with them
the whole review. A fix becomes a suggestion if all that it changes lies within one hunk; the comment then
stands on exactly the lines that the suggestion replaces. Where the suggestions of several findings would
share lines, the first of them carries one for all. Unsafe fixes are suggested only where they are asked for.
Findings on lines that the diff does not show are listed in the text of the review. Nothing
is said twice: why a rule matters is in the first comment on it, and comments that would be equal are one.

A review without anything new to say has an empty ``body`` and no ``comments``, and is not to be posted.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from npu_migrate.findings import Applicability, Diagnostic, Fix, Report, Review
from npu_migrate.languages.saying import Say
from npu_migrate.places import LineSpan, Range
from npu_migrate.reports.reviews.posted import mark
from npu_migrate.reports.reviews.review_text import (
    BODY_LIMIT,
    Carried,
    comment_text,
    list_item,
    review_text,
    why,
)
from npu_migrate.reports.reviews.suggestions import LineReplacement, Suggestion, suggestion_of, suggestions
from npu_migrate.reports.surroundings import Sources, Surroundings
from npu_migrate.reports.wording import fix_title, not_asked_for, write_command

MAX_COMMENTS = 50
"""How many comments a review has at most; a reader of more would read none."""

_PLACES = 20
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSEEN = "changes lines that the diff does not show"


class _Spot(NamedTuple):
    """Lines of a file that one hunk shows, 1-based and both included."""

    path: str
    first: int
    last: int


class _Remark(NamedTuple):
    """A finding, where its comment stands, and what becomes of its fix; without a `spot` it is listed."""

    diagnostic: Diagnostic
    spot: _Spot | None
    carried: Carried


def github_review(report: Report, surroundings: Surroundings) -> str:
    """The review as JSON text, ending with a newline. It is pure ASCII, so any stream can carry it."""
    return json.dumps(review_document(report, surroundings), indent=2) + "\n"


def review_document(report: Report, surroundings: Surroundings) -> dict[str, Any]:
    """The review as values that `json` can write."""
    assert report.review is not None, "a review needs a change"
    review = replace(report.review, hunks=_nameable(report.review.hunks))
    sources, say = surroundings.source, surroundings.say
    new = [one for one in report.counted if one.fingerprint not in surroundings.posted]
    if not new:
        return {"event": "COMMENT", "body": "", "comments": []}
    names = _Names(surroundings.folder, review.top)
    reasons = {rule.code: why(rule) for rule in surroundings.rules}
    comments: list[dict[str, Any]] = []
    items: list[str] = []
    said: dict[object, dict[str, Any]] = {}
    for diagnostic, spot, carried in _remarks(new, surroundings.applicability, review, sources, names, say):
        page = surroundings.page_of(diagnostic.code)
        if spot is None:
            items.append(list_item(diagnostic, names.place(diagnostic.path, diagnostic.range), page, say))
            continue
        same = said.get(_what_it_says(diagnostic, spot, carried))
        if same is not None and carried.suggestion is None:
            same["body"] += f"\n{mark(diagnostic.fingerprint)}"
            continue
        # Why a rule matters is said where it is met first.
        comment = _comment(diagnostic, spot, carried, reasons.pop(diagnostic.code, ""), names, page, say)
        said[_what_it_says(diagnostic, spot, carried)] = comment
        comments.append(comment)
    text = review_text(report, review, len(comments), items, len(report.counted) - len(new), say)
    return {"event": "COMMENT", "body": text, "comments": comments}


def _what_it_says(diagnostic: Diagnostic, spot: _Spot, carried: Carried) -> object:
    """Two comments for which this is equal would say the same in the same place."""
    return spot, diagnostic.code, diagnostic.message, diagnostic.related, carried.note


def _nameable(hunks: Mapping[str, tuple[LineSpan, ...]]) -> dict[str, tuple[LineSpan, ...]]:
    """Those of the files whose names are text. JSON can say other names, GitHub refuses them."""
    return {path: spans for path, spans in hunks.items() if not _SURROGATE.search(path)}


class _Names(NamedTuple):
    """From the paths of a report, which are relative to `folder`, to those of the repository at `top`."""

    folder: str
    top: str

    def name(self, path: str) -> str:
        return os.path.relpath(f"{self.folder}/{path}", self.top).replace(os.sep, "/")

    def place(self, path: str, place: Range) -> str:
        return f"{self.name(path)}:{place.start.line}"


def _comment(
    diagnostic: Diagnostic,
    spot: _Spot,
    carried: Carried,
    reason: str,
    names: _Names,
    page: str | None,
    say: Say,
) -> dict[str, Any]:
    places = [(names.place(one.path, one.range), one.message) for one in diagnostic.related]
    if diagnostic.path != spot.path or not spot.first <= diagnostic.range.start.line <= spot.last:
        places.insert(0, (names.place(diagnostic.path, diagnostic.range), say("found here")))
    text = comment_text(diagnostic, reason, places, carried, page, say)
    if len(text) > BODY_LIMIT:
        fix = diagnostic.fix
        note = fix and say(f"{fix_title(fix)}. It is too long for a comment; run {write_command(fix)}.")
        text = comment_text(diagnostic, "", places[:_PLACES], Carried(note=note or ""), page, say)
    several = {"start_line": spot.first, "start_side": "RIGHT"} if spot.first < spot.last else {}
    return {"path": names.name(spot.path), **several, "line": spot.last, "side": "RIGHT", "body": text}


def _remarks(
    diagnostics: Sequence[Diagnostic],
    applicability: Applicability,
    review: Review,
    sources: Sources,
    names: _Names,
    say: Say,
) -> Iterator[_Remark]:
    """What is said of each finding, in their order; the worst have comments, if there are too many."""
    spots = {number: _spot(one, review, sources) for number, one in enumerate(diagnostics)}
    fixes = {number: one.fix for number, one in enumerate(diagnostics) if one.fix is not None}
    allowed = {n: fix for n, fix in fixes.items() if fix.applicability in (Applicability.SAFE, applicability)}
    alone = {number: _shown(suggestion_of(fix, sources), review) for number, fix in allowed.items()}
    fitting = {number: one for number, one in alone.items() if isinstance(one, LineReplacement)}
    placed = [number for number in range(len(diagnostics)) if spots[number] or number in fitting]
    chosen = frozenset(sorted(placed, key=lambda number: -diagnostics[number].severity)[:MAX_COMMENTS])
    wanted = {number: fixes[number] for number in sorted(chosen & fitting.keys())}
    made = suggestions([*wanted.values()], sources)
    offers = {**alone, **{n: _shown(one, review) for n, one in zip(wanted, made, strict=True)}}
    carriers: dict[LineReplacement, Diagnostic] = {}
    for number, one in enumerate(diagnostics):
        offer = offers.get(number)
        if number not in chosen:
            yield _Remark(one, None, Carried())
        elif offer is None:
            note = say(not_asked_for(fixes[number])) if number in fixes else ""
            yield _Remark(one, spots[number], Carried(note=note))
        elif isinstance(offer, str):
            note = say(f"{fix_title(fixes[number])}. It {offer}; run {write_command(fixes[number])}.")
            fallback = _span(fitting[number]) if number in fitting else None
            yield _Remark(one, spots[number] or fallback, Carried(note=note))
        elif offer in carriers:
            where = f"{carriers[offer].code} at {names.place(carriers[offer].path, carriers[offer].range)}"
            note = say(f"{fix_title(fixes[number])}. It is part of the suggestion for {where}.")
            yield _Remark(one, spots[number] or _span(offer), Carried(note=note))
        else:
            carriers[offer] = one
            held = [fix for other, fix in wanted.items() if offers[other] == offer]
            yield _Remark(one, _span(offer), Carried(offer, _told(held, say)))


def _shown(made: Suggestion, review: Review) -> LineReplacement | str:
    """A suggestion if one hunk shows all of its lines, else why there is none."""
    if not isinstance(made, LineReplacement):
        return made.value
    hunks: Sequence[LineSpan] = review.hunks.get(made.path, ())
    seen = any(hunk.first <= made.first_line and made.last_line <= hunk.last for hunk in hunks)
    return made if seen else _UNSEEN


def _told(held: Sequence[Fix], say: Say) -> str:
    """What is said above a suggestion that holds these fixes."""
    titles = dict.fromkeys(say(f"{fix_title(fix)}.") for fix in held)
    safe = all(fix.applicability is Applicability.SAFE for fix in held)
    return say.sentences((*titles, "" if safe else say("Read it before you accept it.")))


def _spot(diagnostic: Diagnostic, review: Review, sources: Sources) -> _Spot | None:
    """The lines of a finding, as far as the first hunk shows them that has any of them."""
    source = sources(diagnostic.path)
    if source is None:
        return None
    first, last = source.git_span(diagnostic.range)
    for hunk in review.hunks.get(diagnostic.path, ()):
        if hunk.first <= last and first <= hunk.last:
            return _Spot(diagnostic.path, max(first, hunk.first), min(last, hunk.last))
    return None


def _span(replacement: LineReplacement) -> _Spot:
    return _Spot(replacement.path, replacement.first_line, replacement.last_line)
