"""Walking through a JSON text without losing the places of its values.

The library's decoder reads all values that nobody wants to look into, at its full speed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json import JSONDecodeError
from typing import Any, NamedTuple

_BLANKS = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class JsonString(NamedTuple):
    """One string: the offsets of its content between the quotes, and its value."""

    start: int
    end: int
    value: str


class JsonText:
    """A JSON text and the offsets of what is in it.

    All methods raise `JSONDecodeError` where the text is no JSON, `RecursionError` where values are nested
    too deeply, and `ValueError` for numbers that are too long.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def starts(self, character: str, at: int) -> bool:
        """Whether `character` stands at `at`: the quote or bracket that tells the kind of a value."""
        return self._text.startswith(character, at)

    def whole(self, read: Callable[[int], int]) -> None:
        """Read the one value of the text with `read`, which is told where it begins and tells its end."""
        end = self._blanks(read(self._blanks(0)))
        if end != len(self._text):
            raise JSONDecodeError("Extra data", self._text, end)

    def object(self, start: int, member: Callable[[str, int], int]) -> int:
        """The end of the object at `start`.

        `member` is told each key and where its value begins, and tells where it ends.
        """

        def item(at: int) -> int:
            if not self.starts('"', at):
                raise JSONDecodeError("Expecting property name enclosed in double quotes", self._text, at)
            key, end = self.string(at)
            colon = self._blanks(end)
            if not self.starts(":", colon):
                raise JSONDecodeError("Expecting ':' delimiter", self._text, colon)
            return member(key.value, self._blanks(colon + 1))

        return self._items(start, "}", item)

    def array(self, start: int, item: Callable[[int], int]) -> int:
        """The end of the array at `start`; `item` is told where each value begins, and tells its end."""
        return self._items(start, "]", item)

    def string(self, start: int) -> tuple[JsonString, int]:
        """The string at `start`, and the offset behind it."""
        value, end = _DECODER.raw_decode(self._text, start)
        return JsonString(start + 1, end - 1, value), end

    def value(self, start: int) -> tuple[Any, int]:
        """The value at `start`, whatever it is, and the offset behind it."""
        return _DECODER.raw_decode(self._text, start)

    def _items(self, start: int, closing: str, item: Callable[[int], int]) -> int:
        at = self._blanks(start + 1)
        if self.starts(closing, at):
            return at + 1
        while True:
            at = self._blanks(item(at))
            if self.starts(closing, at):
                return at + 1
            if not self.starts(",", at):
                raise JSONDecodeError("Expecting ',' delimiter", self._text, at)
            at = self._blanks(at + 1)

    def _blanks(self, start: int) -> int:
        match = _BLANKS.match(self._text, start)
        return match.end() if match else start
