"""Where statements go: before or after another one, or at the start of a body.

A statement that begins its line gets a line of its own beside it, indented like it. One that shares a line
(behind ``;``, or in ``if x: a()``) is joined with ``;``.
"""

from __future__ import annotations

import ast
import re

from npu_migrate.index.parsing import parse
from npu_migrate.intents import InsertStatement, ReplaceStatement, Side
from npu_migrate.rewrite.document import Document, Refused
from npu_migrate.rewrite.parts import Claim, Insert, Order, Part, Replace, Slot

_REST_OF_LINE = re.compile(r"(?:[ \t\f;]|\\(?:\r\n?|\n))*(?:#[^\r\n]*)?(?=[\r\n]|\Z)")
_COMMENT_LINE = re.compile(r"(?:\r\n?|\n)([ \t]*)#[^\r\n]*")
_HEADING = re.compile(r"\s*#(?:[\W_]*$| *%%| *In\[| ?[-=#*~_]{3})")
"""A comment that only parts what is above from what is below: a line, a frame, the mark of a cell."""
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def compile_insertion(document: Document, intent: InsertStatement) -> list[Part]:
    """The parts of an `InsertStatement`. Raises `Refused`."""
    statement = document.statement(intent.place)
    match intent.side:
        case Side.BEFORE:
            return [before(document, statement, intent.code, intent.rank)]
        case Side.AFTER:
            return [after(document, statement, intent.code, intent.rank)]
        case Side.BODY_START:
            return [at_body_start(document, statement, intent.code, intent.rank)]


def compile_statement_replacement(document: Document, intent: ReplaceStatement) -> list[Part]:
    """The parts of a `ReplaceStatement`; none if the statement says so already. Raises `Refused`."""
    statement = document.statement(intent.place)
    if is_compound(statement):
        raise Refused("only a simple statement can be replaced")
    start, end = document.range(statement)
    if document.tokens.has_comment(start, end):
        raise Refused("it would lose a comment")
    if not intent.code:
        return _taken_out(document, statement)
    code = simple(intent.code)
    if document.text[start:end] == code:
        return []
    return [Claim(("statement", start, end), ("replaced", code)), Replace(start, end, code)]


def _taken_out(document: Document, statement: ast.stmt) -> list[Part]:
    """The line of a statement that goes. Raises `Refused`."""
    start, end = document.range(statement)
    parent = document.parent(statement)
    blocks = [getattr(parent, name, None) for name in ("body", "orelse", "finalbody")]
    if any(isinstance(block, list) and block == [statement] for block in blocks):
        raise Refused("a block needs a statement")
    rest = _REST_OF_LINE.match(document.text, end)
    if own_indentation(document, statement) is None or rest is None or ";" in rest[0]:
        raise Refused("the statement shares its line")
    if "#" in rest[0]:
        raise Refused("it would lose a comment")
    newline = re.compile(r"\r\n?|\n").match(document.text, rest.end())
    last = newline.end() if newline else rest.end()
    return [
        Claim(("statement", start, end), ("replaced", "")),
        Replace(_line_start(document, start), last, ""),
    ]


def before(document: Document, statement: ast.stmt, code: str, rank: int = 0) -> Insert:
    """The insertion of `code` before a statement, its decorators and its comments. Raises `Refused`."""
    if is_elif(document, statement):
        raise Refused("no statement fits before an elif")
    parent = document.parent(statement)
    if (
        isinstance(parent, ast.Module | _Definition)
        and parent.body[0] is statement
        and is_docstring(statement)
    ):
        raise Refused("a docstring must come first")
    start = first_offset(document, statement)
    indentation = own_indentation(document, statement)
    if indentation is None:
        return Insert(start, Order(Slot.INLINE_BEFORE, 0, rank), f"{simple(code)}; ")
    text = lines_of(document, indentation, code) + document.newline
    offset = _above_comments(document, _line_start(document, start), indentation)
    return Insert(offset, Order(Slot.LINE_BEFORE, 0, rank), text)


def _above_comments(document: Document, offset: int, indentation: str) -> int:
    """Where the comment lines begin that stand right above the line at `offset`: they speak of its statement.

    The head of a file does not, nor does a heading, which speaks of all that follows.
    """
    first = offset
    while first:
        start = _line_start(document, first - 1)
        line = document.text[start:first]
        if not line.startswith(f"{indentation}#") or not document.tokens.has_comment(start, first):
            return first
        if _HEADING.match(line):
            return offset
        first = start
    return offset


def after(document: Document, statement: ast.stmt, code: str, rank: int = 0) -> Insert:
    """The insertion of `code` behind a statement with all it contains. Raises `Refused`."""
    if is_elif(document, statement):
        raise Refused("a statement behind an elif would belong to the if above it")
    start, end = document.range(statement)
    indentation = own_indentation(document, statement)
    rest = _REST_OF_LINE.match(document.text, end)
    if indentation is None or (rest is None and not is_compound(statement)):
        return Insert(end, Order(Slot.INLINE_AFTER, 0, rank), f"; {simple(code)}")
    if rest is None:
        raise Refused("the statement does not end its line")
    offset = rest.end()
    if is_compound(statement):
        offset = _behind_deeper_comments(document, offset, indentation)
    text = document.newline + lines_of(document, indentation, code)
    return Insert(offset, Order(Slot.LINE_AFTER, -start, rank), text)


def at_body_start(document: Document, statement: ast.stmt, code: str, rank: int = 0) -> Insert:
    """The insertion of `code` as first statement of a body, behind its docstring. Raises `Refused`."""
    body = getattr(statement, "body", None)
    if not isinstance(body, list) or not body:
        raise Refused("the statement has no body")
    first: ast.stmt = body[0]
    if isinstance(statement, _Definition) and is_docstring(first):
        return after(document, first, code, rank)
    indentation = own_indentation(document, first)
    colon = document.tokens.before(first_offset(document, first))
    rest = _REST_OF_LINE.match(document.text, colon.end) if colon else None
    if indentation is None or rest is None:
        return before(document, first, code, rank)
    text = document.newline + lines_of(document, indentation, code)
    return Insert(rest.end(), Order(Slot.LINE_AFTER, 0, rank), text)


def own_indentation(document: Document, statement: ast.stmt) -> str | None:
    """What stands before a statement that begins its line; ``None`` for one that shares a line.

    Raises `Refused` where a backslash makes the indentation that of another line.
    """
    start = first_offset(document, statement)
    previous = document.tokens.before(start)
    between = document.tokens.between(previous.end if previous else 0, start)
    if previous is not None and not any(token.kind == "newline" for token in between):
        return None
    line_start = _line_start(document, start)
    if any(token.kind == "continuation" and token.end == line_start for token in between):
        raise Refused("a backslash continues the line before the statement")
    return document.text[line_start:start].rpartition("\f")[2]


def indentation_unit(document: Document, statement: ast.stmt) -> str:
    """By what a statement is indented deeper than the one around it; four blanks if that cannot be told."""
    own = own_indentation(document, statement)
    parent = document.parent(statement)
    outer = own_indentation(document, parent) if isinstance(parent, ast.stmt) else None
    if own is None or outer is None or not own.startswith(outer) or own == outer:
        return "\t" if own and own.endswith("\t") else "    "
    return own[len(outer) :]


def first_offset(document: Document, statement: ast.stmt) -> int:
    """Where a statement begins, with its decorators."""
    decorators = getattr(statement, "decorator_list", None)
    if not decorators:
        return document.range(statement).start
    token = document.tokens.before(document.range(decorators[0]).start)
    while token is not None and document.text[token.start : token.end] != "@":
        token = document.tokens.before(token.start)
    if token is None:
        raise Refused("its decorators were not found")
    return token.start


def is_elif(document: Document, statement: ast.stmt) -> bool:
    """Whether a statement is the ``elif`` part of the one above."""
    return isinstance(statement, ast.If) and document.slice(statement).startswith("elif")


def is_compound(statement: ast.stmt) -> bool:
    """Whether a statement contains others."""
    return hasattr(statement, "body") or isinstance(statement, getattr(ast, "Match", ()))


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a plain string."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def lines_of(document: Document, indentation: str, code: str) -> str:
    """The lines of `code`, indented, without the end of the last one.

    Raises `Refused` if they are no complete statements; only a header may be followed by further lines.
    """
    body = _statements(code)
    if "\n" in code and not (len(body) == 1 and is_compound(body[0])):
        raise Refused(f"{code!r} is not a statement with its block")
    return document.newline.join(indentation + line for line in code.split("\n"))


def one_line(code: str) -> str:
    """`code`, if it is one line with complete statements; else raises `Refused`."""
    _statements(code)
    if "\n" in code:
        raise Refused(f"{code!r} is not a statement of one line")
    return code


def simple(code: str) -> str:
    """`code`, if it may stand beside others on a line; else raises `Refused`."""
    if any(is_compound(statement) for statement in _statements(code)):
        raise Refused(f"{code!r} cannot share a line with other statements")
    return one_line(code)


def _statements(code: str) -> list[ast.stmt]:
    try:
        body = parse(code).body
    except SyntaxError:
        body = []
    if not body or "\r" in code:
        raise Refused(f"{code!r} is not a statement")
    return body


def _line_start(document: Document, offset: int) -> int:
    return document.lines.bounds(document.lines.ast_position(offset)[0])[0]


def _behind_deeper_comments(document: Document, offset: int, indentation: str) -> int:
    """The end of the comment lines that follow and are indented deeper: they belong to the block above."""
    width = len(indentation.expandtabs())
    while match := _COMMENT_LINE.match(document.text, offset):
        if len(match[1].expandtabs()) <= width:
            break
        offset = match.end()
    return offset
