"""The texts of comments: the marks in them, and what of a stranger's text a service must not obey."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable

from npu_migrate.languages.language import Language
from npu_migrate.languages.saying import Say, english
from npu_migrate.posting.remarks import Posted, State
from npu_migrate.reports.reviews.posted import marks_in

BLOCK = re.compile(r"^(?P<fence>`{3,})suggestion\n(?P<code>.*?)(?:^|\n)(?P=fence)$", re.MULTILINE | re.DOTALL)
"""A suggestion, as the report writes it."""

_STATE = re.compile(r"<!-- npu-migrate-review:(open|resolved):([0-9a-f]{16}) -->")
_PART = re.compile(r"<!-- npu-migrate-review:summary:([0-9]{1,3}) -->")
_OURS = re.compile(r"<!--\s*npu-migrate-review\b.*?(?:-->|\Z)", re.DOTALL)
_COMMAND = re.compile(r"^(?=[ \t\u200b]*/)", re.MULTILINE)
_CODE_COMMAND = re.compile(r"^[ \t]*/[A-Za-z]", re.MULTILINE)
_MENTION = re.compile(r"@(?=\w)")
_OFFERED = re.compile(r"^(`{3,})suggestion(?::-\d+\+\d+)?$", re.MULTILINE)
_HAN = re.compile("[\N{CJK UNIFIED IDEOGRAPH-4E00}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]")
_OURS_AT_FIRST = re.compile(r"NPU\d|[:\n\N{FULLWIDTH COLON}]")
"""Behind this a text has names of the code that was analysed."""
_ZERO_WIDTH_SPACE = "\N{ZERO WIDTH SPACE}"


def disarmed(body: str) -> str:
    """`body` without what a service, or a bot that reads along, would obey: commands, mentions, our own
    marks.

    Nothing of an honest report changes. A suggestion cannot be altered, so one with a command in it is
    left out.
    """
    kept = _OURS.sub("", body.replace("\r\n", "\n").replace("\r", "\n"))
    match = BLOCK.search(kept)
    if match is None:
        return _plain(kept)
    block = match[0] if not _CODE_COMMAND.search(match["code"]) else instead_of_suggestion(kept)
    return _plain(kept[: match.start()]) + block + _plain(kept[match.end() :])


def _plain(text: str) -> str:
    return _MENTION.sub(f"@{_ZERO_WIDTH_SPACE}", _COMMAND.sub(_ZERO_WIDTH_SPACE, text))


def instead_of_suggestion(body: str) -> str:
    """What stands in `body` where a suggestion cannot."""
    say = say_as_in(body)
    return say("The change cannot be shown here; run npu-migrate with `--write`.")


def say_as_in(text: str) -> Say:
    """What says things in the language of a text of npu-migrate's.

    The words that it begins with tell the language. What follows may be a user's.
    """
    return _say_chinese() if is_chinese(_OURS_AT_FIRST.split(text, 1)[0]) else english


def say_as_all(texts: Iterable[str]) -> Say:
    """What says things in the language of messages, any of which may have names in another one."""
    messages = tuple(texts)
    return _say_chinese() if messages and all(map(is_chinese, messages)) else english


def is_chinese(text: str) -> bool:
    """Whether there is a Chinese character in a text."""
    return _HAN.search(text) is not None


def _say_chinese() -> Say:
    return Language("zh").say


def with_suggestion(body: str, changed: Callable[[str, str], str]) -> str:
    """`body` with its suggestion as a service wants it: `changed` gets the fence and the code."""
    return BLOCK.sub(lambda match: changed(match["fence"], match["code"]), body, count=1)


def has_suggestion(body: str) -> bool:
    """Whether there is a suggestion in a text, which belongs to exactly its lines."""
    return BLOCK.search(body) is not None


def finished(body: str, part: int | None = None) -> str:
    """`body` as it is posted: with a digest of it, and its number if it is a part of the summary."""
    text = body if part is None else f"{body}\n\n<!-- npu-migrate-review:summary:{part} -->"
    return _with_state(text, State.OPEN)


def resolved(body: str, commit: str) -> str:
    """The text of a comment whose findings are not there any more in `commit`."""
    was = _STATE.sub("", _OFFERED.sub(r"\1python", body)).strip()
    say = say_as_in(body)
    head = say(f"**Mended**: npu-migrate does not find this any more (commit {commit[:10]}).")
    summary = f"<summary>{say('What it was')}</summary>"
    return _with_state(f"{head}\n\n<details>{summary}\n\n{was}\n\n</details>", State.RESOLVED)


def digest_of(body: str) -> str | None:
    """The digest that a text carries."""
    match = _STATE.search(body)
    return None if match is None else match[2]


def as_posted(comment: str, thread: str, body: str, settled: bool = False) -> Posted | None:
    """What is known of a comment of the token's owner; None if npu-migrate has not made it."""
    state, part, fingerprints = _STATE.search(body), _PART.search(body), marks_in(body)
    if not (state or part or fingerprints):
        return None
    return Posted(
        comment=comment,
        thread=thread,
        body=body,
        fingerprints=fingerprints,
        state=State.OPEN if state is None else State(state[1]),
        digest=None if state is None else state[2],
        part=None if part is None else int(part[1]),
        settled=settled,
    )


def _with_state(text: str, state: State) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{text}\n\n<!-- npu-migrate-review:{state.value}:{digest} -->"
