"""What each service can do, and helpers to read its answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from npu_migrate.posting.diffs import FileDiff
from npu_migrate.posting.placing import Wanted
from npu_migrate.posting.remarks import Posted, PostingError, Pull, Remark


class Service(Protocol):
    """A service with one repository. All methods raise `PostingError`; those that make comments also
    `AnswerLostError`.
    """

    def pull(self, number: int) -> Pull:
        """The pull request with this number."""

    def pulls_at(self, commit: str) -> Sequence[Pull]:
        """The open pull requests that end in this commit."""

    def diff(self, pull: Pull) -> Mapping[str, FileDiff]:
        """What the service shows of the change, by the paths of the new files."""

    def existing(self, pull: Pull) -> Sequence[Posted]:
        """The comments that the token's owner has made with this command, oldest first."""

    def dress(self, remark: Remark, file: FileDiff) -> str:
        """The text of a comment, with a suggestion as the service wants it."""

    def create(self, pull: Pull, wanted: Sequence[Wanted]) -> None:
        """Make comments on lines."""

    def create_summary(self, pull: Pull, body: str) -> None:
        """Make a comment on the pull request as a whole."""

    def update(self, pull: Pull, posted: Posted, body: str) -> None:
        """Give a comment another text."""

    def settle(self, pull: Pull, posted: Posted, settled: bool) -> None:
        """Resolve the thread of a comment, or open it again. Where a service has no such thing, nothing
        happens."""


def field(values: Any, *keys: str) -> Any:
    """The value below `keys` in an answer. Raises `PostingError` where there is none."""
    found = values
    for key in keys:
        if not isinstance(found, dict) or key not in found:
            raise PostingError(f"the answer of the service has no {'.'.join(keys)}; is --api right?")
        found = found[key]
    return found


def only(posted: Iterable[Posted | None]) -> list[Posted]:
    """Those that are comments of this command."""
    return [one for one in posted if one is not None]


def text_of(value: Any) -> str:
    """A text in an answer, where a service may have nothing; halves of characters cannot be sent back."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def objects(answer: Any) -> list[dict[str, Any]]:
    """A list of objects in an answer. Raises `PostingError` where something else is."""
    if not (isinstance(answer, list) and all(isinstance(one, dict) for one in answer)):
        raise PostingError("the answer of the service is no list of objects; is --api right?")
    return answer
