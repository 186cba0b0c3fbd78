"""Where the answers to questions about a project are kept, and what they rest on. `once` asks and keeps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, NamedTuple, TypeVar

from npu_migrate.index.facts import FileFacts
from npu_migrate.project.trail import Trail

_Answer = TypeVar("_Answer")

ALL_FILES = "all files"
IMPORTS = "imports"
"""What answers rest on that look at every relevant file, or at the imports of all of them."""


class Gathering(NamedTuple):
    """The question for what a function gathers from all files of the project that it gets."""

    function: Callable[[Any], object]


class Answers:
    """What was asked of a project, with the answers.

    `memo` keeps those that may rest on any file, `below` those that rest on one file and what it imports,
    `of_file` those that rest on the facts of one file alone. `waiting` is how many questions wait for
    each other, `provisional` how often an answer was given that was still being worked out. `trail` notes
    what answers rest on; there is none unless `note_what_they_rest_on` was called.
    """

    __slots__ = ("below", "memo", "of_file", "provisional", "trail", "waiting")

    def __init__(self) -> None:
        self.memo: dict[object, Any] = {}
        self.below: dict[str, dict[object, Any]] = {}
        self.of_file: dict[tuple[object, str], tuple[FileFacts, Any]] = {}
        self.waiting = 0
        self.provisional = 0
        self.trail: Trail | None = None

    def after_changes(self, reaching: Collection[str] | None) -> Answers:
        """Those that stay true after the files that `reaching` can lead to have changed; None: any file."""
        later = Answers()
        later.of_file = self.of_file
        if reaching is not None:
            later.below = {key: memo for key, memo in self.below.items() if key not in reaching}
        return later

    def note_what_they_rest_on(self) -> None:
        """Note what each answer rests on from now on. To be called before any question."""
        self.trail = Trail()

    def followed(self, question: Hashable, work: Callable[[], _Answer]) -> _Answer:
        """The answer that `work` gives to a question; what it rests on is noted if there is a trail."""
        return work() if self.trail is None else self.trail.follow(question, work)[0]

    def forget_stale(self) -> None:
        """Forget what was noted of answers that are no more."""
        if self.trail is not None:
            self.trail.keep(self.memo)


def below(key: str) -> Hashable:
    """What answers rest on that are kept below the file `key`."""
    return "below", key


def about_text(text: str) -> Hashable:
    """The question whether any file has a text."""
    return "mentions", text


def is_about_text(question: object) -> bool:
    """Whether a question is one of `about_text`."""
    return isinstance(question, tuple) and question[:1] == ("mentions",)
