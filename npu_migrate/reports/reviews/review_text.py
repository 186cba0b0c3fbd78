"""The words of a review, in GitHub's Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from npu_migrate.findings import Diagnostic, Report, Review
from npu_migrate.languages.saying import Say, english
from npu_migrate.reports.characters import portable
from npu_migrate.reports.notebooks import message_with_cell
from npu_migrate.reports.reviews.posted import mark
from npu_migrate.reports.reviews.suggestions import LineReplacement
from npu_migrate.reports.wording import number_of, severities_in_words
from npu_migrate.rules.rule import Rule

BODY_LIMIT = 65_536
"""How many characters GitHub takes for the text of a comment or of a review."""

_MESSAGE_LIMIT = 2_000
_SPECIAL = re.compile(r"[\\`*\[\]|~#<>&@!]|(?<!\w)_|_(?!\w)")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "@\N{ZERO WIDTH SPACE}"}
_BACKTICKS = re.compile("`+")
_WHY = re.compile(r"^## (?:Why|原因)\n+(.+?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)


class Carried(NamedTuple):
    """What a comment says about the fix of its finding: a suggestion, if it carries one, and a sentence."""

    suggestion: LineReplacement | None = None
    note: str = ""


def plain(text: str) -> str:
    """`text` on one line, with nothing in it that Markdown would take for more than text, nor a mention."""
    line = " ".join(portable(text).split())
    if len(line) > _MESSAGE_LIMIT:
        line = f"{line[:_MESSAGE_LIMIT]}…"
    return _SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), line)


def code(text: str) -> str:
    """`text` in one line of code."""
    line = " ".join(portable(text).split(" "))
    fence = "`" * (_longest_backticks(line) + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"{fence}{line}{fence}"


def why(rule: Rule) -> str:
    """The first paragraph in which a rule says why it matters, as Markdown on one line."""
    match = _WHY.search(rule.documentation)
    return "" if match is None else " ".join(match[1].split())


def comment_text(
    diagnostic: Diagnostic,
    reason: str,
    places: Sequence[tuple[str, str]],
    carried: Carried,
    page: str | None = None,
    say: Say = english,
) -> str:
    """The text of one comment, ending with the finding's mark.

    `page` is the address of the rule's page, if there is one, and `reason` is Markdown. `places` are pairs of
    a place, such as ``train.py:12``, and what is said of it.
    """
    parts = [_headline(diagnostic, page, say), reason]
    parts.append("\n".join(f"- {say.headed(code(place), plain(said))}" for place, said in places))
    parts.append(plain(carried.note))
    if carried.suggestion is not None:
        parts.append(_suggestion(carried.suggestion.text))
    return _joined([*parts, mark(diagnostic.fingerprint)])


def list_item(diagnostic: Diagnostic, place: str, page: str | None = None, say: Say = english) -> str:
    """One finding as an item of a list, ending with its mark."""
    return f"- {say.headed(code(place), _headline(diagnostic, page, say))} {mark(diagnostic.fingerprint)}"


def review_text(
    report: Report, review: Review, comments: int, items: Sequence[str], known: int, say: Say = english
) -> str:
    """The text of the review as a whole: counts, and `items`, as many as fit.

    `comments` is the number of its comments, `known` how many findings earlier comments speak of.
    """
    head = say(f"npu-migrate finds in this change: {severities_in_words(report.counted)}.")
    tail = []
    if known:
        tail.append(say(f"{number_of(known, 'finding')} had a comment before."))
    if review.elsewhere:
        elsewhere = number_of(review.elsewhere, "finding")
        if review.new_only:
            tail.append(say(f"{elsewhere} there before the change: not shown."))
        else:
            tail.append(say(f"{elsewhere} on lines that the change did not touch: not shown."))
    above = "Without a comment of their own:" if comments else "On lines that this diff does not show:"
    room = BODY_LIMIT - 1_000
    shown: list[str] = []
    for item in items:
        room -= len(item) + 1
        if room < 0:
            left = number_of(len(items) - len(shown), "finding")
            tail.insert(0, say(f"{left} more: run npu-migrate to see them."))
            break
        shown.append(item)
    listed = [say(above), "\n".join(shown)] if shown else []
    return _joined([head, *listed, *tail])


def _headline(diagnostic: Diagnostic, page: str | None, say: Say) -> str:
    """Severity, code, name and message; without the name where the message begins with it."""
    code = diagnostic.code if page is None else f"[{diagnostic.code}]({page})"
    head = f"**{say(diagnostic.severity.label)} {code}**"
    named = diagnostic.message.lower().replace("-", " ").startswith(diagnostic.name.replace("-", " "))
    about = f"{head}{'' if named else f' {diagnostic.name}'}"
    return say.headed(about, plain(message_with_cell(diagnostic, say)))


def _suggestion(text: str) -> str:
    """The block that GitHub offers to accept. Its fence is longer than any in the code."""
    fence = "`" * max(3, _longest_backticks(text) + 1)
    lines = text.replace("\r\n", "\n").removesuffix("\r")
    return f"{fence}suggestion\n{lines}\n{fence}"


def _longest_backticks(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part)
