"""From the text of a report to remarks. Whoever opens a pull request may have written it."""

from __future__ import annotations

import json
import re
from typing import Any

from npu_migrate.languages.saying import Say
from npu_migrate.posting.remarks import PostingError, Remark, Review
from npu_migrate.posting.texts import disarmed, say_as_all
from npu_migrate.reports.reviews.posted import mark, marks_in
from npu_migrate.reports.reviews.review_text import plain
from npu_migrate.reports.wording import number_of

MOST_BYTES = 10_000_000
MOST_REMARKS = 5_000
LONGEST_BODY = 65_536
"""Longer than any comment that npu-migrate writes."""

_LAST_LINE = 10_000_000
_FORMS = (
    "it is neither what --format github-review writes nor what --format json writes; "
    "make it with: npu-migrate --format github-review"
)
_FINGERPRINT = re.compile(r"[0-9a-f]{8,64}")


def read_review(data: bytes) -> Review:
    """The review that a report asks for, in one of two forms: ``github-review`` or ``json``.

    Raises `PostingError` for anything else.
    """
    if len(data) > MOST_BYTES:
        raise PostingError(f"the report is larger than {MOST_BYTES // 1_000_000} MB")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise PostingError(
            "the report is not JSON; make it with: npu-migrate --format github-review"
        ) from None
    if not isinstance(document, dict):
        raise PostingError(f"the report is of an unknown form: {_FORMS}")
    try:
        if {"event", "body", "comments"} <= document.keys():
            return _of_review(document)
        if document.get("version") == 1 and "findings" in document:
            return _of_report(document)
    except _FormError as error:
        raise PostingError(f"the report is damaged: {error}") from None
    raise PostingError(f"the report is of an unknown form: {_FORMS}")


class _FormError(Exception):
    """A value is not what its form wants."""


def _of_review(document: dict[str, Any]) -> Review:
    comments = _list(document, "comments")
    text = disarmed(_text(document, "body", 2 * LONGEST_BODY))
    return Review(text, tuple(map(_of_comment, comments)), marks_in(text))


def _of_comment(comment: Any) -> Remark:
    if not isinstance(comment, dict):
        raise _FormError("a comment is not an object")
    body = disarmed(_text(comment, "body", LONGEST_BODY + 1_000))
    fingerprints = marks_in(body)
    if not fingerprints:
        raise _FormError("a comment has no mark of a finding")
    last = _line(comment, "line")
    first = _line(comment, "start_line") if "start_line" in comment else last
    if first > last:
        raise _FormError("a comment ends before it begins")
    return Remark(_path(comment), first, last, body, fingerprints)


def _of_report(document: dict[str, Any]) -> Review:
    findings = [one for one in _list(document, "findings") if not _is_silent(one)]
    say = say_as_all(str(one.get("message")) for one in findings)
    remarks = tuple(_of_finding(one, say) for one in findings)
    return Review(say(f"npu-migrate finds {number_of(len(remarks), 'finding')}."), remarks)


def _is_silent(finding: Any) -> bool:
    if not isinstance(finding, dict):
        raise _FormError("a finding is not an object")
    return finding.get("suppressed") is True or finding.get("baselined") is True


def _of_finding(finding: dict[str, Any], say: Say) -> Remark:
    fingerprint = _text(finding, "fingerprint", 64)
    if not _FINGERPRINT.fullmatch(fingerprint):
        raise _FormError("a fingerprint is not hexadecimal")
    severity, *words = (
        plain(_text(finding, key, LONGEST_BODY)) for key in ("severity", "code", "name", "message")
    )
    parts = [say.headed("**{} {}** {}".format(say(severity), *words[:2]), words[2])]
    fix = finding.get("fix")
    if isinstance(fix, dict):
        unsafe = " --unsafe-fixes" if fix.get("applicability") == "unsafe" else ""
        title = plain(_text(fix, "title", LONGEST_BODY))
        parts.append(say.headed(title, say(f"run `npu-migrate --write{unsafe}`.")))
    body = disarmed("\n\n".join([*parts, mark(fingerprint)]))
    # The lines of a cell are not those of its file.
    first, last = (0, 0) if finding.get("cell") is not None else _lines(finding)
    return Remark(_path(finding), first, last, body, frozenset({fingerprint}))


def _lines(finding: dict[str, Any]) -> tuple[int, int]:
    span = finding.get("range")
    if not (isinstance(span, dict) and all(isinstance(span.get(key), dict) for key in ("start", "end"))):
        raise _FormError("a finding has no range")
    first, last = _line(span["start"], "line"), _line(span["end"], "line")
    if last > first and span["end"].get("column") == 1:
        last -= 1
    return first, max(first, last)


def _list(document: dict[str, Any], key: str) -> list[Any]:
    value = document[key]
    if not isinstance(value, list):
        raise _FormError(f"{key} is not a list")
    if len(value) > MOST_REMARKS:
        raise _FormError(f"{key} has more than {MOST_REMARKS} entries; limit the run with --changed-since")
    return value


def _text(values: dict[str, Any], key: str, longest: int) -> str:
    value = values.get(key)
    if not isinstance(value, str):
        raise _FormError(f"{key} is not a text")
    if len(value) > longest:
        raise _FormError(f"{key} is longer than {longest} characters")
    # JSON can hold halves of characters, which no service takes.
    return value.encode("utf-8", "replace").decode("utf-8")


def _line(values: dict[str, Any], key: str) -> int:
    value = values.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _LAST_LINE:
        raise _FormError(f"{key} is not the number of a line")
    return value


def _path(values: dict[str, Any]) -> str:
    return _text(values, "path", 4_096).removeprefix("./")
