"""One file as bytes and as text, decoded as CPython decodes it and encoded back byte for byte."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from npu_migrate.places import LineSpan
from npu_migrate.sources.lines import GIT_LINE_END, LineIndex

if TYPE_CHECKING:
    from npu_migrate.places import CellPlace, Range
    from npu_migrate.sources.notebook import Notebook

_NOTEBOOK_SUFFIX = ".ipynb"
_BOM = codecs.BOM_UTF8
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE_END = re.compile(rb"\r\n?|\n")
_BLANK_OR_COMMENT = re.compile(rb"[ \t\f]*(?:#|$)")
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.DOTALL)
_ANY_LINE_END = re.compile(r"\r\n?|\n")
_NEWLINES = ("\n", "\r\n", "\r")


class SourceError(Exception):
    """A file cannot be turned into text, or its text not into bytes; `reason` completes a sentence."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key}: {reason}")
        self.key = key
        self.reason = reason


class UnreadableFile(SourceError):
    """The operating system does not give the file's bytes."""


class UndecodableFile(SourceError):
    """The bytes do not match the declared (or default) encoding, or are no text."""


class NoPythonNotebook(SourceError):
    """The file is a notebook in another language."""


class UnencodableText(SourceError):
    """An edited text cannot be stored in the file's own encoding."""


class UneditableText(SourceError):
    """An edit of the Python text is none that the notebook around it can take."""


@dataclass(frozen=True)
class Source:
    """One file: its bytes as read, and the Python text in it.

    `text` has no BOM and keeps its newlines; `encoding` is a name that `bytes.decode` takes; `newline` is
    the text's most frequent one (``"\\n"`` if it has none). Of a notebook, `text` are the joined code cells;
    `file` has the text of the file itself.
    """

    key: str
    data: bytes
    text: str
    encoding: str
    bom: bool
    newline: str
    notebook: Notebook | None = None

    @cached_property
    def lines(self) -> LineIndex:
        """The line index of `text`, built on first use."""
        return LineIndex(self.text)

    @property
    def file(self) -> Source:
        """The same file with its whole text, of which reports and their edits speak."""
        return self if self.notebook is None else self._whole

    @cached_property
    def _whole(self) -> Source:
        assert self.notebook is not None
        text = self.notebook.text
        return Source(self.key, self.data, text, self.encoding, self.bom, dominant_newline(text))

    @property
    def python(self) -> bytes:
        """The Python text as bytes: those of the file, unless it is a notebook.

        What cells of a notebook hold for elsewhere stands behind it in comments.
        """
        if self.notebook is None:
            return self.data
        joined = self.notebook.joined
        unseen = (joined.written[start:end] for start, end in joined.unseen)
        comments = (f"# {line}\n" for cell in unseen for line in _ANY_LINE_END.split(cell))
        return "".join((self.text, *comments)).encode("utf-8")

    @property
    def pieces(self) -> tuple[tuple[int, str], ...]:
        """The parts of `text` that have to be Python each by itself, with their first lines: the cells."""
        if self.notebook is None:
            return ((1, self.text),)
        joined = self.notebook.joined
        firsts = (self.lines.position(start).line for start in joined.starts)
        return tuple(zip(firsts, joined.python, strict=True))

    def line_as_written(self, line: int) -> str:
        """The 1-based `line` of `text` without its newline, and with what a notebook has there for magics."""
        return (self.lines if self.notebook is None else self.notebook.joined.lines).line(line)

    def place(self, start: int, end: int) -> tuple[Range, CellPlace | None]:
        """Where a stretch of `text`, given by its offsets, stands in the file, and in which cell."""
        if self.notebook is None or not self.notebook.sources:
            return self.file.lines.range(start, end), None
        return (
            self.file.lines.range(*self.notebook.file_range(start, end)),
            self.notebook.joined.place(start, end),
        )

    def file_edit(self, start: int, end: int, text: str) -> tuple[int, int, str]:
        """The edit of ``file.text`` that an edit of `text` comes to; all offsets are code points.

        Raises `UneditableText`.
        """
        if self.notebook is None:
            return start, end, text
        from npu_migrate.sources.cells import UneditableCells

        try:
            return self.notebook.file_edit(start, end, text)
        except UneditableCells as error:
            raise UneditableText(self.key, str(error)) from None

    @cached_property
    def git_lines(self) -> LineIndex:
        """The same as Git and review platforms count: a lone carriage return ends no line."""
        return LineIndex(self.text, GIT_LINE_END)

    def git_span(self, place: Range) -> LineSpan:
        """The lines of a place in `text` as Git counts them."""
        start, end = self.lines.offset_of(place.start), self.lines.offset_of(place.end)
        # What ends at the start of a line does not reach into it.
        inside = max(start, end - 1)
        return LineSpan(self.git_lines.position(start).line, self.git_lines.position(inside).line)

    def with_text(self, text: str) -> Source:
        """The same file with another text, in the same encoding; of a notebook, that text alone.

        Raises `UnencodableText` when the encoding has no bytes for it.
        """
        try:
            body = text.encode(self.encoding)
        except UnicodeError as error:
            raise UnencodableText(self.key, f"cannot be stored as {self.encoding}: {error}") from None
        data = _BOM + body if self.bom else body
        return Source(self.key, data, text, self.encoding, self.bom, dominant_newline(text))

    def spliced(self, edits: Iterable[tuple[int, int, str]]) -> bytes:
        """The file's bytes after `edits` (start and end offsets into `text`, new text), in any order.

        Bytes outside the edits stay as they are even where the encoding has several byte sequences for
        one character. Equal edits are applied once. Raises `UnencodableText` when the result would not
        decode to the edited text, `UneditableText`, and `ValueError` when edits overlap.
        """
        if self.notebook is not None:
            return self.file.spliced(self.file_edit(*edit) for edit in edits)
        pieces: list[str] = []
        chunks: list[bytes] = [_BOM] if self.bom else []
        body = memoryview(self.data)[len(_BOM) if self.bom else 0 :]
        done = done_bytes = 0
        try:
            for start, end, new in sorted(set(edits)):
                if start < done:
                    raise ValueError(f"{self.key}: two edits overlap at offset {start}")
                start_bytes = done_bytes + len(self.text[done:start].encode(self.encoding))
                chunks += (bytes(body[done_bytes:start_bytes]), new.encode(self.encoding))
                pieces += (self.text[done:start], new)
                done, done_bytes = end, start_bytes + len(self.text[start:end].encode(self.encoding))
            chunks.append(bytes(body[done_bytes:]))
            pieces.append(self.text[done:])
            result = b"".join(chunks)
            faithful = result[len(_BOM) if self.bom else 0 :].decode(self.encoding) == "".join(pieces)
        except UnicodeError as error:
            raise UnencodableText(self.key, f"cannot be stored as {self.encoding}: {error}") from None
        if not faithful:
            raise UnencodableText(self.key, f"cannot be edited reliably in the encoding {self.encoding}")
        return result


def decode(key: str, data: bytes) -> Source:
    """Turn a file's bytes into a `Source`, with the encoding that CPython would use.

    Raises `UndecodableFile` when CPython would refuse the bytes: they contain NUL, the declared encoding
    is unknown or contradicts the BOM, or they do not match it. A notebook is UTF-8; one that is damaged or
    too old raises the same, one in another language `NoPythonNotebook`.
    """
    if data.startswith(_UTF16_MARKS):
        raise UndecodableFile(key, "is UTF-16 text, which Python does not read; save it as UTF-8")
    if b"\0" in data:
        raise UndecodableFile(key, "contains NUL bytes")
    bom = data.startswith(_BOM)
    body = data[len(_BOM) :] if bom else data
    encoding = "utf-8" if is_notebook(key) else _encoding(key, body, bom)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        where = f"byte 0x{error.object[error.start]:02x} on line {_line_of(body, error.start)}"
        raise UndecodableFile(key, f"is not valid {encoding}: {where}") from None
    except (LookupError, UnicodeError) as error:
        raise UndecodableFile(key, f"cannot be decoded as {encoding}: {error}") from None
    return _source(key, data, text, encoding, bom)


def from_text(key: str, text: str) -> Source:
    """A `Source` for a text that no file holds; it counts as UTF-8 whatever its cookie says.

    Raises `UndecodableFile` for NUL characters and lone surrogates, and what `decode` raises for notebooks.
    """
    if "\0" in text:
        raise UndecodableFile(key, "contains NUL characters")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise UndecodableFile(key, "contains lone surrogates, which are no characters") from None
    bom = data.startswith(_BOM)
    body = text[1:] if bom else text
    return _source(key, data, body, "utf-8", bom)


def is_notebook(key: str) -> bool:
    """Whether the file of this key is a Jupyter notebook."""
    return key.endswith(_NOTEBOOK_SUFFIX)


def _source(key: str, data: bytes, text: str, encoding: str, bom: bool) -> Source:
    if not is_notebook(key):
        return Source(key, data, text, encoding, bom, dominant_newline(text))
    from npu_migrate.sources.notebook import ForeignLanguage, NotebookError, read_notebook

    try:
        notebook = read_notebook(text)
    except ForeignLanguage as error:
        raise NoPythonNotebook(key, str(error)) from None
    except NotebookError as error:
        raise UndecodableFile(key, str(error)) from None
    python = notebook.joined.text
    return Source(key, data, python, encoding, bom, dominant_newline(python), notebook)


def dominant_newline(text: str) -> str:
    """The most frequent of ``\\n``, ``\\r\\n`` and lone ``\\r``; ``\\n`` when there is none."""
    if "\r" not in text:
        return "\n"
    windows = text.count("\r\n")
    counts = (text.count("\n") - windows, windows, text.count("\r") - windows)
    return _NEWLINES[counts.index(max(counts))]


def _encoding(key: str, body: bytes, bom: bool) -> str:
    declared = _declared_encoding(body)
    if declared is None:
        return "utf-8"
    name = _canonical(declared)
    if bom and name != "utf-8":
        raise UndecodableFile(key, f"begins with a UTF-8 BOM but declares the encoding {declared}")
    try:
        codecs.lookup(name)
    except (LookupError, ValueError):
        raise UndecodableFile(key, f"declares the unknown encoding {declared}") from None
    return name


def _declared_encoding(body: bytes) -> str | None:
    """The PEP 263 cookie in one of the first two lines; the second counts only below a blank or comment."""
    start = 0
    for _ in range(2):
        match = _LINE_END.search(body, start)
        line = body[start : match.start() if match else len(body)]
        cookie = _COOKIE.match(line)
        if cookie:
            return cookie[1].decode("latin-1")
        if match is None or not _BLANK_OR_COMMENT.match(line):
            return None
        start = match.end()
    return None


def _canonical(name: str) -> str:
    """CPython's own short-cuts for the two encodings that it treats specially, `name` for all others."""
    short = name[:12].lower().replace("_", "-")
    if short == "utf-8" or short.startswith("utf-8-"):
        return "utf-8"
    latin = ("latin-1", "iso-8859-1", "iso-latin-1")
    if short in latin or short.startswith(tuple(f"{one}-" for one in latin)):
        return "iso-8859-1"
    return name


def _line_of(body: bytes, offset: int) -> int:
    return sum(1 for _ in _LINE_END.finditer(body, 0, offset)) + 1
