"""Which findings a review speaks of already: each comment of ours carries a mark that nobody sees."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_MARK = re.compile(r"<!-- npu-migrate:([0-9a-f]{8,64}) -->")
_BLANK = re.compile(r"\s*")


def mark(fingerprint: str) -> str:
    """The mark of a finding, for the text of a comment."""
    return f"<!-- npu-migrate:{fingerprint} -->"


def marks_in(text: str) -> frozenset[str]:
    """The fingerprints of all marks in a text."""
    return frozenset(_MARK.findall(text))


def posted_fingerprints(data: bytes) -> frozenset[str]:
    """The fingerprints of all marks in the comments that `data` holds.

    `data` is JSON as GitHub answers: a list of objects with a ``body``, a list of such lists, or several of
    these one after the other. Raises `ValueError` for anything else.
    """
    bodies = (body for value in _values(data.decode("utf-8-sig")) for body in _bodies(value))
    return frozenset(fingerprint for body in bodies for fingerprint in marks_in(body))


def _values(text: str) -> Iterator[Any]:
    """The JSON values in `text`, which stand one behind the other."""
    decoder = json.JSONDecoder()
    position = _behind_blank(text, 0)
    while position < len(text):
        value, position = decoder.raw_decode(text, position)
        yield value
        position = _behind_blank(text, position)


def _behind_blank(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return position if match is None else match.end()


def _bodies(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _bodies(one)
    elif isinstance(value, dict) and isinstance(value.get("body", 0), str | None):
        yield value["body"] or ""
    else:
        raise ValueError("these are no comments")
