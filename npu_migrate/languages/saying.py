"""What says things: it makes of English texts what people are told, and puts texts together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Marks(NamedTuple):
    """What a language puts behind a head, between clauses, items and sentences, and around an aside.

    `more` stands behind items of which there are more.
    """

    head: str
    clause: str
    item: str
    sentence: str
    opening: str
    closing: str
    more: str


ENGLISH_MARKS = Marks(": ", "; ", ", ", " ", " (", ")", ", ...")


class Say:
    """Makes of an English text one that people are told, and joins texts with the marks of the language.

    What stands in a text is translated with it, marks and all. What code puts together of texts that are
    translated already is joined here.
    """

    def __init__(self, translate: Callable[[str], str], marks: Marks) -> None:
        self._translate = translate
        self.marks = marks

    def __call__(self, text: str) -> str:
        """The text in the language."""
        return self._translate(text)

    def headed(self, head: str, text: str) -> str:
        """A text behind what it is about: ``head: text``."""
        return f"{head}{self.marks.head}{text}"

    def listed(self, items: Iterable[str], *, more: bool = False) -> str:
        """Items one behind the other: ``a, b``; with ``...`` if there are `more`."""
        return self.marks.item.join(items) + (self.marks.more if more else "")

    def clauses(self, texts: Iterable[str]) -> str:
        """Parts of a sentence, each of which could be one: ``a; b``."""
        return self.marks.clause.join(texts)

    def sentences(self, texts: Iterable[str]) -> str:
        """Whole sentences one behind the other; empty ones are left out."""
        return self.marks.sentence.join(filter(None, texts))

    def aside(self, text: str) -> str:
        """What stands in brackets behind a text, with what parts it from that; nothing for an empty one."""
        return f"{self.marks.opening}{text}{self.marks.closing}" if text else ""


def _as_it_is(text: str) -> str:
    return text


english = Say(_as_it_is, ENGLISH_MARKS)
"""What is said in English: texts as they are."""
