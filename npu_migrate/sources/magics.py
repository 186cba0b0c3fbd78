"""IPython's additions to Python in one cell, covered by text of the same length that is plain Python.

What IPython does with a cell is followed here: a line whose first character is one of ``! % ? , ; /`` is
a command, and so is what an assignment gets from ``!`` or ``%``; a line that ends in ``?`` asks for help; a
cell that begins with ``%%`` belongs to that magic. All this holds where a logical line begins, never in
strings, comments or brackets.

A cover consists of underscores: a name that nobody binds, so its value is unknown. Newlines stay.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

_RUNS_BODY = frozenset(
    {"capture", "debug", "memit", "mprun", "prun", "scalene", "snakeviz", "time", "timeit", "wandb"}
)
"""Cell magics that run the rest of the cell as Python in the kernel."""

_NO_PYTHON = frozenset(
    {
        *("", "sx", "system", "bash", "cmd", "sh"),
        *("R", "bigquery", "cython", "javascript", "js", "julia", "perl", "ruby", "sql"),
        *("HTML", "SVG", "css", "html", "latex", "markdown", "md", "svg"),
    }
)
"""Cell magics with bodies in other languages; ``%%!`` has no name."""
_WRITES = frozenset({"file", "writefile"})

_BLANK_LINES = re.compile(r"(?:[ \t\f]*(?:\r\n?|\n))*")
_INDENTATION = re.compile(r"[ \t\f]*")
_CELL_MAGIC = re.compile(r"[ \t]*%%(?P<name>\w*)(?P<help>\?)?")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)?")
_CONTINUED_LINE = re.compile(r"(?:[^\r\n]*\\(?:\r\n|\n))*[^\r\n]*")
_COMMANDS = tuple("!%?,;/")
_ASSIGNED = re.compile(r"[ \t]*(?=!|%[ \t]*[^\W\d])")
_HELP = re.compile(r"%{0,2}(?!\d)[\w*]+(?:\.(?!\d)[\w*]+|\[-?[0-9]+\])*\?\??\Z")
_RUNS_LINE = re.compile(
    r"%(?P<name>time|timeit|prun|memit)[ \t]+(?:-[nrpvDlsT][ \t]*[^\s-]\S*[ \t]+|--?[A-Za-z][\w-]*[ \t]+)*"
)
_TOKEN = re.compile(
    r"""
    (?P<skip>
        [ \t\f]+ | \w+ | \#[^\r\n]* | \\(?:\r\n?|\n)
      | (?:[*/<>]{2}|[-+*/%&|^@<>=!:])=
    )
  | (?P<string>
        \"\"\" [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* (?:\"\"\"|\Z)
      | ''' [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* (?:'''|\Z)
      | " [^"\\\r\n]* (?: \\ (?: \r\n | . ) [^"\\\r\n]* )* "
      | ' [^'\\\r\n]* (?: \\ (?: \r\n | . ) [^'\\\r\n]* )* '
    )
  | (?P<newline>\r\n?|\n)
  | (?P<opening>[(\[{])
  | (?P<closing>[)\]}])
  | (?P<assign>=)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Cover(NamedTuple):
    """The stretch from `start` to `end` of a cell, which is not Python, and what stands there instead.

    `on_top`: it means something else when anything stands before it. `unseen`: it may be Python that runs
    elsewhere.
    """

    start: int
    end: int
    text: str
    on_top: bool = False
    unseen: bool = False


def covers(cell: str) -> tuple[Cover, ...]:
    """All stretches of a cell that are not Python, in order."""
    return tuple(_covers(cell))


def covered(cell: str, stretches: tuple[Cover, ...]) -> str:
    """The cell with its covers in place: as long as before."""
    pieces: list[str] = []
    done = 0
    for one in stretches:
        pieces += (cell[done : one.start], one.text)
        done = one.end
    return "".join((*pieces, cell[done:]))


def _covers(cell: str) -> Iterator[Cover]:
    start = _end(_BLANK_LINES, cell, 0)
    while (magic := _CELL_MAGIC.match(cell, start)) and not magic["help"]:
        if magic["name"] not in _RUNS_BODY:
            unseen = _may_be_python(magic["name"], cell[magic.end() : _end(_LINE, cell, start)])
            yield _cover(cell, start, len(cell), "")._replace(on_top=True, unseen=unseen)
            return
        line_end = _end(_LINE, cell, start)
        yield _cover(cell, start, line_end, "")._replace(on_top=True)
        start = _end(_BLANK_LINES, cell, line_end)
    while start < len(cell):
        cover, start = _logical_line(cell, start)
        if cover is not None:
            yield cover


def _may_be_python(magic: str, arguments: str) -> bool:
    """Whether the body of a cell magic may be Python that does not run in the notebook."""
    if magic in _WRITES:
        return arguments.rstrip().endswith((".py", '.py"', ".py'"))
    if magic == "script":
        return "py" in arguments
    return magic not in _NO_PYTHON


def _logical_line(cell: str, start: int) -> tuple[Cover | None, int]:
    """What is not Python in the logical line that begins at `start`, and where the next one begins."""
    code = _end(_INDENTATION, cell, start)
    indentation = cell[start:code]
    if cell.startswith(_COMMANDS, code):
        return _command(cell, code, indentation)
    end, assigned, question = _statement(cell, code)
    if assigned is not None:
        return _assigned(cell, assigned, indentation)
    following = _end(_LINE, cell, end)
    if question is not None and _HELP.search(cell, code, question):
        return _cover(cell, code, question, indentation), following
    return None, following


class _Statement(NamedTuple):
    """Where a logical line ends, without its newline; where in it an assignment gets something from a
    command; the end of its last token if that is a question mark which ends a line."""

    end: int
    assigned: int | None
    question: int | None


def _statement(cell: str, code: int) -> _Statement:
    """The logical line that begins at `code`, up to a command that is assigned."""
    depth = 0
    assignments = 0
    question: int | None = None
    position = code
    while match := _TOKEN.match(cell, position):
        position = match.end()
        kind = match.lastgroup
        if kind == "newline" and depth == 0:
            return _Statement(match.start(), None, question)
        if not match[0].isspace():
            ends_line = cell[position : position + 1] in ("", "\r", "\n")
            question = position if match[0] == "?" and ends_line else None
        if kind == "opening":
            depth += 1
        elif kind == "closing":
            depth = max(depth - 1, 0)
        elif kind == "assign" and depth == 0:
            assignments += 1
            command = _ASSIGNED.match(cell, position)
            if command and assignments == 1:
                return _Statement(position, command.end(), None)
    return _Statement(len(cell), None, question)


def _command(cell: str, start: int, indentation: str) -> tuple[Cover, int]:
    end = _end(_CONTINUED_LINE, cell, start)
    following = _end(_LINE, cell, end)
    runs = _RUNS_LINE.match(cell, start, end)
    if runs and _is_simple(cell[runs.end() : end]):
        return Cover(start, runs.end(), "_" * (runs.end() - start - 1) + ";"), following
    return _cover(cell, start, end, indentation), following


def _assigned(cell: str, start: int, indentation: str) -> tuple[Cover, int]:
    end = _end(_CONTINUED_LINE, cell, start)
    following = _end(_LINE, cell, end)
    runs = _RUNS_LINE.match(cell, start, end)
    if runs and runs["name"] == "time" and _is_expression(cell[runs.end() : end]):
        return Cover(start, runs.end(), " " * (runs.end() - start)), following
    return _cover(cell, start, end, indentation), following


def _cover(cell: str, start: int, end: int, indentation: str) -> Cover:
    """The cover of a stretch; its second and further lines become statements indented by `indentation`."""
    pieces = []
    position = start
    while position < end:
        line_end = min(_end(_LINE, cell, position), end)
        line = cell[position:line_end]
        content = line.rstrip("\r\n")
        before = "" if position == start else indentation
        filling = "_" * (len(content) - len(before)) if len(content) > len(before) else ""
        pieces.append((before + filling)[: len(content)] + line[len(content) :])
        position = line_end
    return Cover(start, end, "".join(pieces))


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _is_simple(code: str) -> bool:
    """Whether `code` is statements that may share a line."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(body) and not any(hasattr(one, "body") or type(one).__name__ == "Match" for one in body)


def _is_expression(code: str) -> bool:
    try:
        ast.parse(code.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
