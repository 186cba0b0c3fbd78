"""The values that the modules of this room pass on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class PostingError(Exception):
    """Nothing more can be posted; the text is one line that says why and what to do."""


class AnswerLostError(Exception):
    """A request that makes something had no clear answer: it may have been obeyed or not."""


class Remark(NamedTuple):
    """What a report says of the lines `first` to `last` of a file, in Markdown, with the marks of its
    findings.

    Without a line that is known, `first` is 0, as for a cell of a notebook.
    """

    path: str
    first: int
    last: int
    body: str
    fingerprints: frozenset[str]


@dataclass(frozen=True, slots=True)
class Review:
    """A report: a text about the whole, ending with items for `listed` findings, and what it says of
    lines."""

    text: str
    remarks: tuple[Remark, ...]
    listed: frozenset[str] = frozenset()


class State(Enum):
    """What a comment of ours says of its findings."""

    OPEN = "open"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Posted:
    """A comment of ours. `comment` and `thread` are the names by which the service knows it.

    `part` is its number if it is a part of the summary. `settled` says whether its thread is resolved.
    `digest` is None if it was made by something else, such as an older workflow.
    """

    comment: str
    thread: str
    body: str
    fingerprints: frozenset[str] = frozenset()
    state: State = State.OPEN
    digest: str | None = None
    part: int | None = None
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request. `head` is its last commit; `refs` are other commits that a service wants to hear."""

    number: int
    head: str
    is_open: bool
    refs: Mapping[str, str] = field(default_factory=dict)
