"""Characters: what readers refuse, such as XML and spreadsheets, and how wide a terminal shows them."""

from __future__ import annotations

import re
import unicodedata

_NO_TEXT = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def portable(text: str) -> str:
    r"""`text` with an escape such as ``\x1b`` for each control character and each lone surrogate.

    What is left can be encoded as UTF-8 and stands in XML 1.0; tabs and line ends stay. The names of files
    that are no valid UTF-8 hold lone surrogates.
    """
    return _NO_TEXT.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: a wide character takes two."""
    return sum(map(character_width, text))


def character_width(character: str) -> int:
    """How many columns of a terminal a character takes that can be seen."""
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
