"""Pages of rules in a language: the text is written by hand, the rows of tables come from what is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from npu_migrate.languages.language import Language

ROWS = "{rows}"
"""Where the rows of the English page's table belong in a page."""

_TERMS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "error": "错误",
        "warning": "警告",
        "info": "提示",
        "safe": "安全修复",
        "unsafe": "不安全修复",
        "manual": "手工修改",
    }
}
"""Severities and kinds of fixes. They are no sentences, for some of them are values of options too."""

_SEVERITIES = ("error", "warning", "info")

_BAR = re.compile(r"(?<!\\)\|")
_NAMED = re.compile(r"(`[^`]+`)(?: \((.+)\))?")
_HEAD = 2
"""The lines of a table above its rows."""


def term(text: str, language: Language) -> str:
    """What a rule says of its severity or of its fix, in `language`."""
    return _TERMS.get(language.code, {}).get(text) or language.say(text)


def severity_words() -> Mapping[str, str]:
    """The English word of a severity by its word, in all languages."""
    translated = {terms[word]: word for terms in _TERMS.values() for word in _SEVERITIES}
    return {**{word: word for word in _SEVERITIES}, **translated}


def filled(page: str, documentation: str, say: Callable[[str], str]) -> str:
    """A page with the rows of the table in the English documentation of its rule, translated by `say`."""
    if ROWS not in page:
        return page
    lines = [line for line in documentation.splitlines() if line.startswith("|")]
    return page.replace(ROWS, "\n".join(_row(line, say) for line in lines[_HEAD:]))


def _row(line: str, say: Callable[[str], str]) -> str:
    cells = _BAR.split(line.strip().strip("|"))
    return "| " + " | ".join(_cell(cell.strip(), say) for cell in cells) + " |"


def _cell(text: str, say: Callable[[str], str]) -> str:
    named = _NAMED.fullmatch(text)
    if named is not None:
        return named[1] if named[2] is None else f"{named[1]}（{say(named[2])}）"
    return say(text.replace("\\|", "|")).replace("|", "\\|")
