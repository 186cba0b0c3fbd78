"""The import statements of a file, found by scanning its bytes.

Parsing every file of a large tree only to learn who imports whom would cost several times what the rest
of a run costs. The scan may report an import that is only an example in a docstring: that makes a program
larger, never wrong.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

STAR = "*"
"""The imported name of ``from module import *``."""

OPEN = "?"
"""The end of an imported name of which only the beginning is known: ``import_module("models." + name)``."""


class ImportedModule(NamedTuple):
    """One module that a statement imports.

    `module` is its dotted name (empty in ``from . import x``), `level` the number of leading dots, `names`
    what a ``from`` statement imports out of it: each may be a submodule. ``import a.b`` has no names. A name
    that ends with `OPEN` stands for all submodules that begin so.
    """

    module: str
    level: int = 0
    names: tuple[str, ...] = ()


_KEYWORD = b"import"
_DYNAMIC = (b"import_module", b"__import__")
_WORD = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*"
_DOTTED = rb"%b(?:\.%b)*" % (_WORD, _WORD)
_BLANK = rb"(?:[ \t\f]|\\\n)"
_IN_BRACKETS = rb"\((?P<bracketed>(?:[\w\s,\\\x80-\xff]|#[^\n]*)*)\)"
_ON_LINE = rb"(?P<plain>(?:[\w., \t\f*\x80-\xff]|\\\n)+)(?=[;#\n]|\Z)"
_STATEMENT = re.compile(
    rb"%b*(?:from%b*(?P<dots>[. \t]*)(?P<source>%b)?%b*)?(?P<keyword>import)(?![\w\x80-\xff])%b*(?:%b|%b)"
    % (_BLANK, _BLANK, _DOTTED, _BLANK, _BLANK, _IN_BRACKETS, _ON_LINE)
)
_ITEM = re.compile(rb"\s*(%b)(?:\s+as\s+%b)?\s*" % (_DOTTED, _WORD))
_COMMENT = re.compile(rb"#[^\n]*")
_EMPTY_LINES = re.compile(rb"(?:[ \t\f]*(?:#[^\n]*)?\n)*")
_DOCSTRING = re.compile(rb"[rRuU]?(\"\"\"|'''|\"|')(?:\\.|(?!\1|\\).)*\1", re.DOTALL)
_BEHIND = re.compile(rb"[ \t\f]*(?:;[ \t\f]*)?(?:#[^\n]*)?(?:\n|\Z)?")
_DYNAMIC_CALL = re.compile(rb"\b(?:import_module|__import__)\(\s*['\"](%b)['\"]\s*[,)]" % _DOTTED)
_DOTTED_TEXT = re.compile(rb"['\"](%b\.%b)['\"](?!\s*\+)" % (_DOTTED, _WORD))
_RELATIVE_TEXT = re.compile(rb"['\"](\.+)(%b)['\"](?!\s*\+)" % _DOTTED)
_RELATIVE_CALL = re.compile(
    rb"\bimport_module\(\s*[rRfF]?['\"](?P<dots>\.+)(?P<text>[\w.\x80-\xff]*)"
    rb"(?:['\"]\s*(?P<more>[+%]|\.\s*format\b)?|(?P<gap>%[sr]|\{))"
    rb"(?P<behind>[^()]*(?:\([^()]*\)[^()]*)*\))?"
)
_PACKAGE = re.compile(
    rb",\s*(?:package\s*=\s*)?(?:['\"](?P<named>%b)['\"]|(?P<module>%b)\.__(?:name|package)__)\s*,?\s*\)\Z"
    % (_DOTTED, _DOTTED)
)
_FILE_ENDINGS = frozenset(
    b"bmp ckpt csv gif gz h5 hdf5 html ini ipynb jpeg jpg json jsonl md mp4 npy npz pb pbtxt pkl png py sh"
    b" tar tfrecord tfrecords toml tsv txt wav xml yaml yml zip".split()
)
"""What texts end with that are names of files, not of modules."""

_TEXT = re.compile(rb"(['\"])(?:\\.|(?!\1|\\).)*\1")
_OPEN_TEXT = re.compile(rb"['\"](%b)\.(\w*)(?:['\"]\s*\+|%%[sr]|\{)" % _DOTTED)


def scan_imports(data: bytes) -> tuple[ImportedModule, ...]:
    """All imports of a file, at any depth, each once, in the order in which they first appear.

    Understands brackets, backslashes, comments, ``;`` and one-line suites, and
    ``importlib.import_module("literal")``. A file that imports by a function also imports what its texts
    name, with a dot: ``"models.lenet"``, ``"models." + name``, ``f"models.{name}"``, ``".lenet"``, but not
    files. Bytes that are not Python yield what looks like an import.
    """
    text = with_line_feeds(data.removeprefix(codecs.BOM_UTF8))
    found = dict.fromkeys(_statements(text))
    if any(word in text for word in _DYNAMIC):
        found |= dict.fromkeys(_by_function(text))
    return tuple(found)


def _by_function(text: bytes) -> Iterator[ImportedModule]:
    for match in _DYNAMIC_CALL.finditer(text):
        yield ImportedModule(_text(match[1]))
    for match in _DOTTED_TEXT.finditer(text):
        if not _is_file(match[1]):
            yield ImportedModule(_text(match[1]))
    for match in _OPEN_TEXT.finditer(text):
        yield ImportedModule(_text(match[1]), 0, (_text(match[2]) + OPEN,))
    for match in _RELATIVE_TEXT.finditer(text):
        if not _is_file(match[2]):
            yield ImportedModule(_text(match[2]), len(match[1]))
    for match in _RELATIVE_CALL.finditer(text):
        yield from _by_relative_call(match)


def _is_file(text: bytes) -> bool:
    """Whether a text with dots rather names a file: ``config.json``."""
    return text.rpartition(b".")[2].lower() in _FILE_ENDINGS


def _by_relative_call(match: re.Match[bytes]) -> Iterator[ImportedModule]:
    """What ``import_module("." + name, "models")`` imports; with ``__package__`` a module beside its file."""
    level, text = len(match["dots"]), _text(match["text"])
    names: tuple[str, ...] = ()
    if match["more"] or match["gap"]:
        text, _, beginning = text.rpartition(".")
        names = (beginning + OPEN,)
    package = _PACKAGE.search(match["behind"] or b"")
    if package is None:
        yield ImportedModule(text, level, names)
        return
    above = _text(package["named"] or package["module"]).split(".")
    base = above[: len(above) - level + 1]
    module = ".".join([*base, text] if text else base)
    if base:
        yield ImportedModule(module, 0, names)


def leading_imports(data: bytes) -> tuple[ImportedModule, ...]:
    """The imports that a file executes before it does anything else, each once, in order.

    May end early, as before a ``try``, but has none that comes behind another statement.
    """
    text = with_line_feeds(data.removeprefix(codecs.BOM_UTF8))
    found: dict[ImportedModule, None] = {}
    position = _end(_EMPTY_LINES, text, 0)
    position = _end(_BEHIND, text, _end(_DOCSTRING, text, position))
    while True:
        position = _end(_EMPTY_LINES, text, position)
        match = _STATEMENT.match(text, position)
        if match is None:
            return tuple(found)
        found |= dict.fromkeys(_imported(match))
        position = _end(_BEHIND, text, match.end())


def _end(pattern: re.Pattern[bytes], text: bytes, position: int) -> int:
    """Where what may stand at `position` ends."""
    match = pattern.match(text, position)
    return position if match is None else match.end()


def with_line_feeds(data: bytes) -> bytes:
    """The same lines, each ended by a line feed."""
    if b"\r" not in data:
        return data
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _statements(text: bytes) -> Iterator[ImportedModule]:
    position = text.find(_KEYWORD)
    while position >= 0:
        for start in _starts(text, position):
            match = _STATEMENT.match(text, start)
            if match is not None and match.start("keyword") == position:
                yield from _imported(match)
        position = text.find(_KEYWORD, position + len(_KEYWORD))


def _starts(text: bytes, position: int) -> tuple[int, ...]:
    """Where the statement with the keyword at `position` may begin, if it is one.

    What stands before it on its line can only be another statement or the head of a one-line suite, or a
    comment. Where a text goes on over several lines it cannot be told what is a comment.
    """
    line = text.rfind(b"\n", 0, position) + 1
    while text.endswith(b"\\\n", 0, line):
        line = text.rfind(b"\n", 0, line - 1) + 1
    behind = max(text.rfind(b";", line, position), text.rfind(b":", line, position))
    if behind < 0:
        return (line,)
    if text.find(b"#", line, behind) < 0:
        return (behind + 1,)
    before, sign, _ = _TEXT.sub(b"", text[line:behind]).partition(b"#")
    if not sign:
        return (behind + 1,)
    is_open = b"'" in before or b'"' in before
    is_open = is_open or b"'''" in text[line:behind] or b'"""' in text[line:behind]
    return (line, behind + 1) if is_open else (line,)


def _imported(match: re.Match[bytes]) -> Iterator[ImportedModule]:
    listed = match["plain"]
    if listed is None:
        listed = _COMMENT.sub(b"", match["bracketed"])
    items = listed.replace(b"\\\n", b" ").split(b",")
    if not items[-1].strip():
        items.pop()
    source, dots = match["source"], match["dots"]
    if dots is None:
        names = _names(items)
        yield from (ImportedModule(name) for name in names or ())
        return
    if [item.strip() for item in items] == [b"*"]:
        imported: tuple[str, ...] | None = (STAR,)
    else:
        imported = _names(items)
    if imported and (source or dots.strip()):
        yield ImportedModule(_text(source or b""), dots.count(b"."), imported)


def _names(items: list[bytes]) -> tuple[str, ...] | None:
    """The imported names without their aliases; ``None`` if one of the items is no name (prose)."""
    matches = [_ITEM.fullmatch(item) for item in items]
    if not all(matches):
        return None
    return tuple(_text(match[1]) for match in matches if match)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")
