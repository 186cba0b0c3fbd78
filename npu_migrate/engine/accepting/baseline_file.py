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
_ANEW = "write it again with --write-baseline"
_OTHER = "name the file that --write-baseline has written"


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
        return _entries_in(data)
    except _Damaged as error:
        # What is not ours may be anything: nothing is said that would cost the user that file.
        raise BaselineError(f"{error}{_ANEW if _costs_nothing(data) else _OTHER}") from None


class _Damaged(Exception):
    """The file cannot be read as a baseline; the text says why, and what to do stands behind it."""


def _entries_in(data: bytes) -> tuple[Entry, ...]:
    """The entries in the content of a file. Raises `_Damaged` and `BaselineError`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Damaged("is not a baseline: it is not UTF-8; ") from None
    conflict = _CONFLICT.search(text)
    if conflict:
        line = text.count("\n", 0, conflict.start()) + 1
        raise _Damaged(f"has an unresolved merge conflict in line {line}; resolve it, or ")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _Damaged(f"is not valid JSON: {error}; ") from None
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
    return _costs_nothing(data)


def _costs_nothing(data: bytes) -> bool:
    """Whether a file that holds this may be lost: a baseline, even if it is damaged, or nothing."""
    return not data.strip() or (data.lstrip(b"\xef\xbb\xbf \r\n")[:1] == b"{" and b'"npu-migrate"' in data)


def _entries(document: object) -> tuple[Entry, ...]:
    """The entries of a parsed file. Raises `_Damaged` and `BaselineError`."""
    if not isinstance(document, dict) or type(document.get("version")) is not int:
        raise _Damaged("is not a baseline: it has no version; ")
    version = document["version"]
    if version > _VERSION:
        raise BaselineError(
            f"was written by a newer npu-migrate, in version {version} of the format; upgrade"
        )
    if version != _VERSION:
        raise _Damaged(f"has the unknown version {version}; ")
    findings = document.get("findings")
    if not isinstance(findings, list):
        raise _Damaged("is not a baseline: 'findings' is not a list; ")
    return tuple(_entry(number, one) for number, one in enumerate(findings, 1))


def _entry(number: int, value: object) -> Entry:
    if not isinstance(value, dict):
        raise _Damaged(f"is not a baseline: finding {number} is not an object; ")
    return Entry(**{name: _string(number, value, name) for name in Entry._fields})


def _string(number: int, value: Mapping[str, object], name: str) -> str:
    found = value.get(name)
    if not isinstance(found, str):
        raise _Damaged(f"is not a baseline: finding {number} has no text for '{name}'; ")
    return found
