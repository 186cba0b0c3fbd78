"""The pages of the rules, and when an editor shows one beside the text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types

from npu_migrate.engine.accepting.suppression import MARKER, read_suppressions
from npu_migrate.languages.language import Language
from npu_migrate.lsp.showing.diagnostics import Shown
from npu_migrate.lsp.texts.documents import OpenFile
from npu_migrate.reports.catalogue import rule_page
from npu_migrate.reports.translating import translated_rule
from npu_migrate.rules import ALL_RULES
from npu_migrate.rules.seen_in_runs import with_run_codes
from npu_migrate.sources.source import Source

_CODES = frozenset(name for rule in with_run_codes(ALL_RULES) for name in (rule.code.lower(), rule.name))
_RULE_LINE = "\n\n---\n\n"


def page_of(code: str, language: Language) -> str | None:
    """The page of the rule with this code or name, as Markdown; None if there is no such rule."""
    for rule in with_run_codes(ALL_RULES):
        if code.strip().lower() in (rule.code.lower(), rule.name):
            return rule_page(translated_rule(rule, language), language.say)
    return None


def hover_at(
    file: OpenFile,
    offset: int,
    position: types.Position,
    uri: str,
    shown: Iterable[Shown],
    language: Language,
) -> types.Hover | None:
    """The pages of the rules that a suppression comment names or that found something, at a place.

    `offset` is the place in the file's body, `position` the same in the document `uri`.
    """
    codes = _codes_in_comment(file, offset)
    if not codes:
        codes = [
            str(one.diagnostic.code)
            for one in shown
            if one.uri == uri and _contains(one.diagnostic.range, position)
        ]
    pages = [page for code in dict.fromkeys(codes) if (page := page_of(code, language)) is not None]
    if not pages:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, _RULE_LINE.join(pages)))


def _codes_in_comment(file: OpenFile, offset: int) -> Sequence[str]:
    """The code that the mouse is on in a suppression comment, or all codes of the comment."""
    content = file.content
    if not isinstance(content, Source) or MARKER not in _line_around(file.body, offset):
        return ()
    if len(content.text) != len(file.body):  # a notebook that is shown as the file
        return ()
    for comment in read_suppressions(content):
        start, end = content.lines.offsets(comment.span)
        if start <= offset <= end:
            listed = [code for code in comment.codes if code.strip().lower() in _CODES]
            on = [code for code in listed if _stands_at(file.body, code, start, offset, end)]
            return on or listed
    return ()


def _stands_at(text: str, code: str, start: int, offset: int, end: int) -> bool:
    at = text.upper().find(code, start, end) if text.isascii() else text.find(code, start, end)
    return at >= 0 and at <= offset <= at + len(code)


def _line_around(text: str, offset: int) -> str:
    first = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    end = text.find("\n", offset)
    return text[first : end if end >= 0 else len(text)]


def _contains(range_: types.Range, position: types.Position) -> bool:
    start, end = range_.start, range_.end
    return start <= position < end or (start == end == position)
