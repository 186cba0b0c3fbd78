"""What a run has printed, kept for the next one that is asked the same and would see the same.

The modules on the way to an answer import next to nothing: `typing`, `dataclasses` and click take several
times as long as all that is done here.
"""

from __future__ import annotations

import hashlib
import os
import sys

from npu_migrate.cache.entry import note_use, read_entry
from npu_migrate.cache.looks import Looks, stamp_of, stamps_of
from npu_migrate.cache.ownership import wrong_owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PACKAGE = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - `pathlib` is not imported here
_VARIABLES = ("NO_COLOR", "TERM", "NPU_MIGRATE_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""Variables of the environment that decide how something is printed."""


class Answer:
    """What a run has come to: what it wrote to standard output and standard error, and its exit code.

    It holds as long as `looks` have the hash `digest`.
    """

    __slots__ = ("code", "digest", "error", "looks", "output")

    def __init__(self, looks: Looks, digest: str, output: bytes, error: bytes, code: int) -> None:
        self.looks = looks
        self.digest = digest
        self.output = output
        self.error = error
        self.code = code

    def packed(self) -> bytes:
        """The answer as bytes."""
        looks = self.looks
        parts = (looks.folders, looks.files, looks.places)
        numbers = (self.code, *map(len, parts), len(self.output), len(self.error))
        head = f"{self.digest} {' '.join(map(str, numbers))}\0"
        paths = b"".join(os.fsencode(path) + b"\0" for part in parts for path in part)
        return head.encode() + paths + self.output + self.error


def unpacked(content: bytes) -> Answer:
    """The answer that `Answer.packed` has made `content` of."""
    head, _, rest = content.partition(b"\0")
    digest, *numbers = head.decode().split(" ")
    code, folders, files, places, output, error = map(int, numbers)
    *paths, _ = rest[: len(rest) - output - error].split(b"\0")
    names = [os.fsdecode(path) for path in paths]
    looks = Looks(names[:folders], names[folders : folders + files], names[folders + files :][:places])
    start = len(rest) - output - error
    return Answer(looks, digest, rest[start : start + output], rest[start + output :], code)


def question_of(arguments: Sequence[str]) -> str | None:
    """The name of the entry with the answer for these `arguments`, given here and now to this tool.

    It is a hash of all that decides what is printed, besides the files that are looked at. None where nobody
    would find an answer again.
    """
    try:
        asked = (
            _environment(),
            tuple(arguments),
            os.getcwd(),  # noqa: PTH109 - as above
            *_tool(),
        )
    except OSError:
        return None
    digest = hashlib.sha256(repr(asked).encode("utf-8", "surrogateescape"))
    return f"{digest.hexdigest()[:32]}.answer"


def answer_to(question: str) -> Answer | None:
    """The answer that is kept under this name, if it still holds."""
    folder = folder_of_answers()
    if folder is None:
        return None
    try:
        if wrong_owner(folder) is not None:
            return None
    except OSError:
        return None
    payload = read_entry(folder, question)
    if payload is None:
        return None
    answer = unpacked(payload)
    if answer.looks.digest() != answer.digest:
        return None
    note_use(folder, question)
    return answer


def folder_of_answers() -> str | None:
    """The folder of the cache, where it can be told without the settings of a project; None elsewhere.

    Answers are kept only there.
    """
    named = os.environ.get("NPU_MIGRATE_CACHE_DIR")
    if named:
        return os.path.abspath(named)  # noqa: PTH100 - as above
    if sys.platform != "linux":
        return None
    base = os.environ.get("XDG_CACHE_HOME", "").strip() or os.path.expanduser("~/.cache")  # noqa: PTH111
    return f"{base}/npu-migrate"


def _environment() -> tuple[object, ...]:
    """What is not a file."""
    streams = [(stream.isatty(), stream.encoding, stream.errors) for stream in (sys.stdout, sys.stderr)]
    variables = [os.environ.get(name) for name in _VARIABLES]
    return streams, variables, sys.version, sys.flags, sys.getfilesystemencoding()


def _tool() -> Iterator[object]:
    """What becomes something else when the tool does, or a package that it imports."""
    if getattr(sys, "frozen", False):
        # All that is imported is in the executable, which unpacks it to another folder each time.
        yield sys.executable, stamp_of(os.stat(sys.executable))  # noqa: PTH116 - as above
        return
    yield tuple(sys.path)
    yield from _code_at(_PACKAGE)
    # They become others when a package is installed into a folder that Python imports from.
    yield from stamps_of(folder or "." for folder in sys.path)


def _code_at(folder: str) -> Iterator[tuple[str, object]]:
    """The files of the tool, each with what changes when it is written to."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _code_at(entry.path)
            else:
                yield entry.path, stamp_of(entry.stat())
