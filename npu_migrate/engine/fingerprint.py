"""A name for a finding that survives when its line moves, for baselines and code-review services."""

from __future__ import annotations

import hashlib
import re

from npu_migrate.findings import IDLE_COMMENT

_SUPPRESSION = re.compile(r"#\s*npu-migrate:.*?(?=\s+#(?!\d)|$)")


def fingerprint(code: str, path: str, source_line: str, occurrence: int) -> str:
    """Hash what stays the same when lines are added above a finding.

    `path` is relative to the project root, with ``/``; `occurrence` counts from 0 the findings of this code
    in this file whose lines are equal when normalised. Returns 32 hexadecimal digits.
    """
    parts = (code, path, normalised(code, source_line), str(occurrence))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def normalised(code: str, source_line: str) -> str:
    """What of its line tells a finding of `code` from others: no indentation, each white space a blank.

    Suppression comments are left out, so that one for another finding on the line does not matter; not for
    findings that are about these comments.
    """
    if code != IDLE_COMMENT:
        source_line = _SUPPRESSION.sub("", source_line)
    return " ".join(source_line.split())
