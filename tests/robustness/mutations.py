"""The same program in other words: changes of a script that change neither what it does nor its findings.

A mutation is made on a text and on its fixed form alike, so nothing in it is left to chance.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from typing import NamedTuple

RENAMED = "_renamed"
_GIVEN_BY_FIXES = frozenset({"custom_op", "first_use_iterator_1", "iterator", "npu_config"})
"""Names that fixes choose while they are free."""


class Mutation(NamedTuple):
    """`of` makes, out of a script and the texts around it, the change for this script and for its fixed form.

    Both raise `DoesNotApply` for a text for which it would mean another thing. A fix may be refused for the
    comments that it adds.
    """

    name: str
    of: Callable[[str, str], Callable[[str], str]]
    adds_comments: bool = False


class DoesNotApply(Exception):
    """The mutation would change what the program does, or nothing at all."""


# -- layout --------------------------------------------------------------------------------------------


def windows_newlines(text: str) -> str:
    return text.replace("\n", "\r\n")


def byte_order_mark(text: str) -> str:
    if re.search(r"coding[:=]", "".join(text.splitlines()[:2])):
        raise DoesNotApply
    return "\ufeff" + text


def tabs(text: str) -> str:
    """Each four blanks of indentation become a tab."""
    lines = text.split("\n")
    for number in _lines_that_begin_statements(text):
        line = lines[number]
        blanks = len(line) - len(line.lstrip(" "))
        if blanks % 4:
            raise DoesNotApply
        lines[number] = "\t" * (blanks // 4) + line[blanks:]
    return "\n".join(lines)


def comments_and_blank_lines(text: str) -> str:
    """A blank line and a comment above each statement."""
    _require_no_suppression(text)
    lines = text.split("\n")
    for number in sorted(_lines_that_begin_statements(text), reverse=True):
        line = lines[number]
        if number == 0 or lines[number - 1].rstrip().endswith("\\"):
            continue
        indent = line[: len(line) - len(line.lstrip())]
        lines[number:number] = ["", f"{indent}# a note: make_one_shot_iterator(), iterations_per_loop=10"]
    return "\n".join(lines)


def comments_at_line_ends(text: str) -> str:
    """A comment behind each line that ends a statement and has none."""
    lines = text.split("\n")
    for token in _tokens(text):
        if token.type == tokenize.NEWLINE and "#" not in lines[token.start[0] - 1]:
            lines[token.start[0] - 1] += "  # 好"
    return "\n".join(lines)


def wrapped_in_brackets(text: str) -> str:
    """A newline behind each opening bracket and each comma inside brackets, outside of f-strings."""
    _require_no_suppression(text)
    parts: list[str] = []
    position = 0
    starts = _line_offsets(text)
    depth = 0
    for token in _tokens(text):
        if token.type != tokenize.OP:
            continue
        end = starts[token.end[0] - 1] + token.end[1]
        if token.string in "([{":
            depth += 1
        elif token.string in ")]}":
            depth -= 1
        breaks = token.string in "([{" or (token.string == "," and depth)
        if breaks and not _rest_of_line(text, end).lstrip().startswith("#"):
            parts += [text[position:end], "\n        "]
            position = end
    return "".join([*parts, text[position:]])


def backslashes(text: str) -> str:
    """A continued line behind each ``=`` of an assignment."""
    _require_no_suppression(text)
    parts: list[str] = []
    position = 0
    starts = _line_offsets(text)
    depth = 0
    for token in _tokens(text):
        if token.type != tokenize.OP:
            continue
        depth += (token.string in "([{") - (token.string in ")]}")
        if token.string == "=" and depth == 0:
            end = starts[token.end[0] - 1] + token.end[1]
            parts += [text[position:end], " \\\n      "]
            position = end
    return "".join([*parts, text[position:]])


def other_quotes(text: str) -> str:
    """Strings in the other kind of quotes, where they hold neither kind nor an escape."""

    def turned(token: tokenize.TokenInfo) -> str | None:
        match = re.fullmatch(r"([a-zA-Z]*)(['\"])([^'\"\\]*)\2", token.string)
        if match is None or token.type != tokenize.STRING:
            return None
        quote = "'" if match[2] == '"' else '"'
        return f"{match[1]}{quote}{match[3]}{quote}"

    return _with_tokens(text, turned)


def black(text: str) -> str:
    """The layout that Black gives; it parts statements that share a line, which fixes do not move then."""
    _require_no_suppression(text)
    if any(token.string == ";" for token in _tokens(text)):
        raise DoesNotApply
    import black as formatter

    return formatter.format_str(text, mode=formatter.Mode())


# -- names ---------------------------------------------------------------------------------------------


def renamed_tensorflow(script: str, around: str) -> Callable[[str], str]:
    """``import tensorflow as tf`` becomes ``import tensorflow as tf_renamed``."""
    tree = ast.parse(script)
    found = [
        alias
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.asname == "tf"
    ]
    if (
        "import *" in around
        or not found
        or {alias.name for alias in found} - {"tensorflow", "tensorflow.compat.v1"}
    ):
        raise DoesNotApply
    return lambda text: _renamed(text, {"tf": "tf" + RENAMED})


def renamed_variables(script: str, around: str) -> Callable[[str], str]:
    """Another name for each variable that only this file can see and that no text in it mentions."""
    tree = ast.parse(script)
    bound: set[str] = set()
    spared = {*re.findall(r"\w+", around), *_GIVEN_BY_FIXES}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        else:
            spared.update(_fixed_names(node))
    names = {name: name + RENAMED for name in bound - spared if not name.startswith("_")}
    if not names or "import *" in around:
        raise DoesNotApply
    return lambda text: _renamed(text, names)


def _fixed_names(node: ast.AST) -> Iterator[str]:
    """The names at a node that cannot be changed there alone."""
    if isinstance(node, ast.alias):
        yield from (node.name.partition(".")[0], node.asname or "")
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield node.name
    elif isinstance(node, ast.ClassDef):
        yield node.name
        yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
    elif isinstance(node, ast.JoinedStr):
        # To Python before 3.12 an f-string is one token.
        yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
    elif isinstance(node, (ast.arg, ast.keyword)):
        yield node.arg or ""
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.ExceptHandler):
        yield node.name or ""
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from re.findall(r"\w+", node.value)
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names


# -- places --------------------------------------------------------------------------------------------


def with_a_docstring(text: str) -> str:
    if ast.get_docstring(ast.parse(text)) is not None:
        raise DoesNotApply
    return f'"""Trains. 训练 🚀"""\n{text}'


def _fixed(change: Callable[[str], str]) -> Callable[[str, str], Callable[[str], str]]:
    """A mutation that is the same change for every script."""
    return lambda script, around: change


MUTATIONS = (
    Mutation("windows newlines", _fixed(windows_newlines)),
    Mutation("byte order mark", _fixed(byte_order_mark)),
    Mutation("tabs", _fixed(tabs)),
    Mutation("comments and blank lines", _fixed(comments_and_blank_lines), adds_comments=True),
    Mutation("comments at line ends", _fixed(comments_at_line_ends), adds_comments=True),
    Mutation("wrapped in brackets", _fixed(wrapped_in_brackets)),
    Mutation("backslashes", _fixed(backslashes)),
    Mutation("other quotes", _fixed(other_quotes)),
    Mutation("black", _fixed(black)),
    Mutation("with a docstring", _fixed(with_a_docstring)),
    Mutation("renamed tensorflow", renamed_tensorflow),
    Mutation("renamed variables", renamed_variables),
)


# -- helpers -------------------------------------------------------------------------------------------


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(text).readline)


def _require_no_suppression(text: str) -> None:
    """A comment that suppresses holds for its line: what leaves the line is no longer suppressed."""
    if "npu-migrate:" in text:
        raise DoesNotApply


def _line_offsets(text: str) -> list[int]:
    offsets = [0]
    for line in text.split("\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    return offsets


def _rest_of_line(text: str, offset: int) -> str:
    return text[offset:].partition("\n")[0]


def _lines_that_begin_statements(text: str) -> set[int]:
    """The 0-based numbers of the lines on which a logical line begins."""
    found: set[int] = set()
    fresh = True
    for token in _tokens(text):
        if token.type in (
            tokenize.NL,
            tokenize.COMMENT,
            tokenize.INDENT,
            tokenize.DEDENT,
            tokenize.ENDMARKER,
        ):
            continue
        if fresh:
            found.add(token.start[0] - 1)
        fresh = token.type == tokenize.NEWLINE
    return found


def _with_tokens(text: str, changed: Callable[[tokenize.TokenInfo], str | None]) -> str:
    starts = _line_offsets(text)
    parts: list[str] = []
    position = 0
    for token in _tokens(text):
        new = changed(token)
        if new is not None:
            start = starts[token.start[0] - 1] + token.start[1]
            parts += [text[position:start], new]
            position = starts[token.end[0] - 1] + token.end[1]
    return "".join([*parts, text[position:]])


def _renamed(text: str, names: dict[str, str]) -> str:
    """The text with names changed where they are variables: not behind a dot, nor as a keyword argument."""
    places = {
        (node.lineno, node.col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and node.id in names
    }
    before: list[str] = []

    def changed(token: tokenize.TokenInfo) -> str | None:
        column = len(token.line[: token.start[1]].encode()) if token.line else token.start[1]
        is_alias = bool(before) and before[-1] == "as"
        before.append(token.string)
        if token.type != tokenize.NAME or token.string not in names:
            return None
        if (token.start[0], column) in places or is_alias:
            return names[token.string]
        return None

    return _with_tokens(text, changed)
