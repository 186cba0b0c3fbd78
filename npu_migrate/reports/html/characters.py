"""Characters that nobody sees, made visible, so that a report shows what really stands in a file."""

from __future__ import annotations

import re
import unicodedata

_SUSPECT = re.compile(r"[^\t\n\x20-\x7e]")


def visible(text: str) -> str:
    """`text` with every invisible character as its number, such as ``⟨U+202E⟩``.

    These are controls, among them the ones that turn the direction of text, format characters, lone
    surrogates, and code points that stand for nothing. Blanks of any width, tabs and newlines stay.
    """
    return _SUSPECT.sub(_named, text)


def _named(match: re.Match[str]) -> str:
    character = match[0]
    if character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    return f"⟨U+{ord(character):04X}⟩"
