"""The file of accepted findings: JSON, sorted, one value per line, so that it can be reviewed and merged.

``{"version": 1, "tool": {...}, "findings": [{"path", "code", "line", "message", "fingerprint"}, ...]}``.
Only the fingerprint decides which finding is accepted; the rest is for people, and tells in which file and
for which rule the entry holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from npu_migrate.version import __version__

_VERSION = 1
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ANEW = "delete it and write it again with --write-baseline"


class BaselineError(Exception):
    """The file cannot be used as a baseline; the text completes a sentence that begins with its name."""


class Entry(NamedTuple):
    """One accepted finding. Entries sort as they stand in the file.

    `path` is relative to the root, with ``/``; `line` is the source line without needless white space.
    """

    path: str
    code: str
    line: str
    fingerprint: str
    message: str


def read_baseline(file: Path) -> tuple[Entry, ...]:
    """The entries of a file. Raises `BaselineError`."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise BaselineError("does not exist; create it with --write-baseline") from None
    except OSError as error:
        raise BaselineError("is a folder" if file.is_dir() else f"cannot be read: {error.strerror}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BaselineError(f"is not a baseline: it is not UTF-8; {_ANEW}") from None
    conflict = _CONFLICT.search(text)
    if conflict:
        line = text.count("\n", 0, conflict.start()) + 1
        raise BaselineError(f"has an unresolved merge conflict in line {line}; resolve it, or {_ANEW}")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"is not valid JSON: {error}; {_ANEW}") from None
    return _entries(document)


def baseline_text(entries: Iterable[Entry]) -> str:
    """The content of a file with these entries, each of them once."""
    document = {
        "version": _VERSION,
        "tool": {"name": "npu-migrate", "version": __version__},
        "findings": [
            {
                "path": one.path,
                "code": one.code,
                "line": one.line,
                "message": one.message,
                "fingerprint": one.fingerprint,
            }
            for one in sorted({entry.fingerprint: entry for entry in entries}.values())
        ],
    }
    text = json.dumps(document, indent=2, ensure_ascii=False)
    # A file name may hold bytes that are no text; JSON can say them, UTF-8 cannot.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def may_be_replaced(file: Path) -> bool:
    """Whether nothing is lost when a baseline is written to `file`: there is none, or a baseline.

    A baseline that a merge has damaged counts too, and so does what holds nothing, as a device or a pipe.
    Raises `OSError`.
    """
    if file.exists() and not file.is_file():
        return True
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return True
    return not data.strip() or (data.lstrip(b"\xef\xbb\xbf \r\n")[:1] == b"{" and b'"npu-migrate"' in data)


def _entries(document: object) -> tuple[Entry, ...]:
    """The entries of a parsed file. Raises `BaselineError`."""
    if not isinstance(document, dict) or type(document.get("version")) is not int:
        raise BaselineError(f"is not a baseline: it has no version; {_ANEW}")
    version = document["version"]
    if version > _VERSION:
        raise BaselineError(
            f"was written by a newer npu-migrate, in version {version} of the format; upgrade"
        )
    if version != _VERSION:
        raise BaselineError(f"has the unknown version {version}; {_ANEW}")
    findings = document.get("findings")
    if not isinstance(findings, list):
        raise BaselineError(f"is not a baseline: 'findings' is not a list; {_ANEW}")
    return tuple(_entry(number, one) for number, one in enumerate(findings, 1))


def _entry(number: int, value: object) -> Entry:
    if not isinstance(value, dict):
        raise BaselineError(f"is not a baseline: finding {number} is not an object; {_ANEW}")
    return Entry(**{name: _string(number, value, name) for name in Entry._fields})


def _string(number: int, value: Mapping[str, object], name: str) -> str:
    found = value.get(name)
    if not isinstance(found, str):
        raise BaselineError(f"is not a baseline: finding {number} has no text for '{name}'; {_ANEW}")
    return found
