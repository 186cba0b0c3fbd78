"""A name for a finding that survives when its line moves, for baselines and code-review services."""

from __future__ import annotations

import hashlib


def fingerprint(code: str, path: str, source_line: str, occurrence: int) -> str:
    """Hash what stays the same when lines are added above a finding.

    `path` is relative to the project root, with ``/``; `occurrence` counts from 0 the findings of this code
    in this file whose lines are equal but for white space. Returns 32 hexadecimal digits.
    """
    parts = (code, path, " ".join(source_line.split()), str(occurrence))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
