"""How Chinese pages are compared with English ones, and how Chinese is written in them."""

from __future__ import annotations

import re

FENCED = re.compile(r"^(?P<indent> *)```.*?^(?P=indent)```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`]+)`")

_LETTER = "[\N{CJK UNIFIED IDEOGRAPH-4E00}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]"
_PARTED = re.compile(rf"{_LETTER} [`A-Za-z0-9]|[`A-Za-z0-9] {_LETTER}")
_NARROW = re.compile(rf"{_LETTER}[,;:!?(]|[)]{_LETTER}")
_ADDRESS = re.compile(r"\]\([^)]*\)")
_BOLD_MARK = re.compile(rf"\*\*[^*\n]+[。，：；！？）]\*\*(?={_LETTER})")


def blocks(text: str) -> list[str]:
    """The blocks of code in a page, one after the other."""
    return [match[0] for match in FENCED.finditer(text)]


def without_blocks(text: str) -> str:
    """A page without its blocks of code."""
    return FENCED.sub("", text)


def names(text: str) -> set[str]:
    """What a text has in code letters, and the codes of rules in it, wherever its lines break."""
    joined = " ".join(without_blocks(text).split())
    return {*SPAN.findall(joined), *re.findall(r"NPU\d+", joined)}


def rows(text: str, mark: str) -> int:
    """How many lines begin with a mark, such as those of a list or a table."""
    return sum(line.lstrip().startswith(mark) for line in without_blocks(text).splitlines())


def badly_written(text: str) -> list[str]:
    """Where Chinese is not written as elsewhere here.

    There is no blank between Chinese and Latin letters, marks are wide, and bold letters end before a mark:
    behind one, GitHub would show the stars.
    """
    plain = without_blocks(text)
    shown = SPAN.sub("`", _ADDRESS.sub("]", plain))
    return [*_PARTED.findall(plain), *_NARROW.findall(shown), *_BOLD_MARK.findall(plain)]
