"""The sentences in the source that a user reads, as templates: what a catalogue has to translate.

A template has a name in braces for each part that is filled in. The parts of a sentence that are constants of
the same module stand in it as they are, and a choice between two words makes two templates.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "npu_migrate"
ROOMS = (
    "abstract_run",
    "engine",
    "knowledge",
    "rehearsal",
    "reports",
    "review/narrowing.py",
    "rewrite",
    "rules",
    "run_codes.py",
    "semantics",
    "sources",
    "training",
    "posting/placing.py",
    "posting/planning.py",
    "posting/reading.py",
    "posting/texts.py",
    "cache/folder.py",
    "cache/ownership.py",
    "progress_bar.py",
    "commands/__init__.py",
    "commands/accepting.py",
    "commands/caching.py",
    "commands/fixes.py",
    "commands/telling.py",
    "commands/rehearsing/reporting.py",
    "commands/rehearsing/running.py",
    "lsp/session/session.py",
    "lsp/showing",
)
_NOT_OURS = (
    "rehearsal/inside/",
    "commands/options.py",
    "commands/rehearsing/options.py",
    "commands/rehearsing/command.py",
)
"""What runs in the Python of a script has no sentences; errors of usage stay English."""

_READ_EXCEPTIONS = frozenset(
    {"CacheUnusable", "NotebookError", "Refused", "SourceError", "UndecodableFile", "UnreadableFile"}
)
"""Exceptions whose texts are parts of findings."""

_LETTERS = re.compile("[A-Za-z]{2}")
_FIELD = re.compile(r"\{([^{}]*)\}")
_CODE = re.compile(
    r"[\n^$]|\(\?|\\[a-z]|^(from|import|def|for|with) \S+(:| import| in)|^\{\w+\}\S* = \S+$|<!--|%[YmdH]"
)
_SAID = re.compile(r"""\b(?:say|number)\((?:[\w.]+(?: \| length)?, )?(["'])((?:(?!\1).)+)\1(?=\))""")
"""What a template of Jinja2 has translated; a noun behind a number too."""

_COUNTED = "number_of"
_SPOKEN = "say"
BY_HAND = (
    "{number} error",
    "{number} errors",
    "{number} warning",
    "{number} warnings",
    "not analysed: not valid Python 3: {msg} (Python 2 syntax?)",
    "the iterator is made here",
    "the variable is made here",
    "the modification is made here",
    "the table is made here",
    "no session that runs it trains",
    "not set",
    "Fix: {title}.",
    "Unsafe fix: {title}.",
    "Severity: {severity}. Fix: {fix}.",
    "deprecated",
    "after the fix the program ends here",
    "rank {rank} failed; the ranks are not compared",
    "and {number} more line",
    "and {number} more lines",
    "{number} file: {parts}.",
    "{number} files: {parts}.",
    "1 file could not be analysed: what it holds is unknown. See the NPU9xx findings.",
    "{failed} files could not be analysed: what they hold is unknown. See the NPU9xx findings.",
    "{safe} safe, {unsafe} unsafe",
    ", {hidden} of them suppressed or baselined",
    *("error", "errors", "warning", "warnings", "info", "total"),
    *("rule", "folder", "program", "suppressed", "baselined", "safe", "unsafe", "manual"),
    *("Unsupported", "Needs change", "Unknown", "No effect", "Not checked"),
    "{name} takes {legal}",
    "{name} takes {legal}, is {default} by default",
    "{name} takes {legal}, is there since {release}",
    "{name} takes {legal}, is {default} by default, is there since {release}",
    "{name} is {default} by default",
    "{name} is {default} by default, is there since {release}",
)
"""Templates that stand in several places of the source."""

_LONGEST = 16
"""So many templates a sentence may come to."""


def templates() -> dict[str, list[str]]:
    """All templates in the source, each with the places where it stands, in the order of files and lines."""
    found: dict[str, list[str]] = {text: [] for text in BY_HAND}
    for path in _files():
        for text, line in templates_of(ast.parse(path.read_text("utf-8"))):
            places = found.setdefault(text, [])
            place = f"{path.relative_to(ROOT).as_posix()}:{line}"
            if place not in places:
                places.append(place)
    for path in sorted((PACKAGE / "reports" / "html" / "templates").glob("*.html")):
        source = path.read_text("utf-8")
        for match in _SAID.finditer(source):
            line = source.count("\n", 0, match.start()) + 1
            counted = match[0].startswith("number")
            for text in _counted(match[2]) if counted else [match[2]]:
                found.setdefault(text, []).append(f"{path.relative_to(ROOT).as_posix()}:{line}")
    return found


def not_translated() -> frozenset[str]:
    """The templates that no user reads as a sentence: code, patterns, names, reasons that are not told."""
    return frozenset((Path(__file__).parent / "not_translated.txt").read_text("utf-8").split("\n")) - {""}


def _counted(noun: str) -> list[str]:
    """The templates of a number of things."""
    return [f"{{number}} {noun}", f"{{number}} {noun}s"]


def _files() -> Iterator[Path]:
    for room in ROOMS:
        path = PACKAGE / room
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if not file.relative_to(PACKAGE).as_posix().startswith(_NOT_OURS):
                yield file


def templates_of(module: ast.Module) -> Iterator[tuple[str, int]]:
    constants = dict(_constants(module))
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            for argument in call.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    if call.func.id == _COUNTED:
                        yield from ((text, call.lineno) for text in _counted(argument.value))
                    elif call.func.id == _SPOKEN:
                        yield argument.value, call.lineno
    for node in _readable(module, frozenset(_unread(module))):
        for text in _spellings(node, constants):
            if _is_sentence(text):
                yield text, node.lineno


def _constants(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The constants of a module that are texts."""
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _is_text(node.value):
            yield node.targets[0].id, node.value


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _unread(module: ast.Module) -> Iterator[int]:
    """By identity: docstrings, and what an exception or an assertion says that nobody is told."""
    for node in ast.walk(module):
        for statement in getattr(node, "body", ()) if not isinstance(node, (ast.Lambda, ast.IfExp)) else ():
            if isinstance(statement, ast.Expr) and _is_text(statement.value):
                yield id(statement.value)
        if isinstance(node, ast.Assert) and node.msg is not None:
            yield id(node.msg)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            raised = node.exc.func
            name = raised.attr if isinstance(raised, ast.Attribute) else getattr(raised, "id", "")
            if name not in _READ_EXCEPTIONS:
                yield id(node.exc)
        if isinstance(node, ast.keyword) and node.arg in ("summary", "documentation", "default"):
            yield id(node.value)


def _readable(node: ast.AST, unread: frozenset[int]) -> Iterator[ast.expr]:
    if id(node) in unread:
        return
    if _is_text(node):
        assert isinstance(node, ast.expr)
        yield node
        for part in ast.walk(node):
            if isinstance(part, ast.FormattedValue):
                yield from _readable(part.value, unread)
        return
    for child in ast.iter_child_nodes(node):
        yield from _readable(child, unread)


def _spellings(node: ast.expr, constants: Mapping[str, ast.expr]) -> Iterable[str]:
    """The templates that a text may come to."""
    if isinstance(node, ast.Constant):
        return [_named(str(node.value).strip())]
    if not isinstance(node, ast.JoinedStr):
        return []
    choices = [tuple(_part(part, constants)) for part in node.values]
    made = ["".join(one) for one in product(*choices)]
    return [_named(one.strip()) for one in made[:_LONGEST]]


def _part(part: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    if isinstance(part, ast.Constant):
        yield str(part.value)
        return
    assert isinstance(part, ast.FormattedValue)
    value = part.value
    if isinstance(value, ast.Name) and value.id in constants and part.conversion == -1:
        yield from _spellings(constants[value.id], constants)
    elif isinstance(value, ast.IfExp) and _is_text(value.body) and _is_text(value.orelse):
        yield from _spaced(value.body, constants)
        yield from _spaced(value.orelse, constants)
    elif isinstance(value, (ast.Name, ast.Attribute)):
        yield "{" + (value.id if isinstance(value, ast.Name) else value.attr).strip("_").lower() + "}"
    else:
        yield "{value}"


def _spaced(node: ast.expr, constants: Mapping[str, ast.expr]) -> Iterable[str]:
    """As `_spellings`, with the blanks at both ends, which belong to the sentence around it."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    return _spellings(node, constants)


def _named(text: str) -> str:
    """`text` with each field as a plain name, and no name twice."""
    seen: dict[str, int] = {}

    def renamed(match: re.Match[str]) -> str:
        name = re.sub(r"\W.*", "", match[1]) or "value"
        seen[name] = seen.get(name, 0) + 1
        return "{" + (name if seen[name] == 1 else f"{name}{seen[name]}") + "}"

    return _FIELD.sub(renamed, text.replace("{{", "{").replace("}}", "}"))


def _is_sentence(text: str) -> bool:
    words = _FIELD.sub("", text)
    if not _LETTERS.search(words) or not _LETTERS.search(words.replace("NPU", "")):
        return False
    return " " in text and not _CODE.search(text)
