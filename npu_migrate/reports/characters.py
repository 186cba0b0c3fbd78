"""Text for readers that refuse some characters: XML, databases behind web services, spreadsheets."""

from __future__ import annotations

import re

_NO_TEXT = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def portable(text: str) -> str:
    r"""`text` with an escape such as ``\x1b`` for each control character and each lone surrogate.

    What is left can be encoded as UTF-8 and stands in XML 1.0; tabs and line ends stay. The names of files
    that are no valid UTF-8 hold lone surrogates.
    """
    return _NO_TEXT.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)
