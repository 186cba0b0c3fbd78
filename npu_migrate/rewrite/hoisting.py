"""Moving code above a statement that contains it, or into a block of its own: whole lines with their
comments, or one expression.

A statement leaves its block as whole lines. Lines that begin inside a string are moved as they are, because
their indentation belongs to the string. ``pass`` stays behind a lone statement.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from npu_migrate.intents import EncloseStatement, HoistExpression, HoistStatement
from npu_migrate.rewrite.document import Document, Range, Refused
from npu_migrate.rewrite.expressions import around
from npu_migrate.rewrite.parts import Claim, Insert, Order, Part, Replace, Slot
from npu_migrate.rewrite.statements import indentation_unit, is_compound, own_indentation

_BLANKS = re.compile(r"[ \t]*")
_REST_OF_LINE = re.compile(r"[ \t\f;]*(?:#[^\r\n]*)?(?=[\r\n]|\Z)")
_SHARES_LINE = "the statement shares its line with others"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def compile_statement_hoist(document: Document, intent: HoistStatement) -> list[Part]:
    """The parts of a `HoistStatement`. Raises `Refused`."""
    statement, above = document.statement(intent.place), document.statement(intent.above)
    _check_contained(document, statement, above, _SCOPES)
    indentation = own_indentation(document, statement)
    if is_compound(statement) or indentation is None:
        raise Refused(_SHARES_LINE)
    if _REST_OF_LINE.match(document.text, document.range(statement).end) is None:
        raise Refused(_SHARES_LINE)
    target = _indentation_of_target(document, above)
    region = _lines_with_comments(document, statement)

    def moved_to_target(line: str) -> str:
        return target + line[len(indentation) :] if line.startswith(indentation) else line

    text = _with_lines(document, region, moved_to_target)
    block = _block_of(document, statement)
    if len(block) == 1:
        removal = Replace(*region, f"{indentation}pass{_final_newline(document, region)}")
    else:
        removal = Replace(region.start, _behind_blank_lines(document, region), "")
    return [
        _inserted(document, above, statement, text if text[-1:] in "\r\n" else text + document.newline),
        removal,
        *_stays(document, statement, block),
    ]


def compile_expression_hoist(document: Document, intent: HoistExpression) -> list[Part]:
    """The parts of a `HoistExpression`. Raises `Refused`."""
    node, above = document.expression(intent.place), document.statement(intent.above)
    _check_contained(document, node, above, (*_SCOPES, *_COMPREHENSIONS))
    target = _indentation_of_target(document, above)
    start, end = document.range(node)
    opening, closing = ("(", ")") if document.tokens.breaks_line(start, end) else ("", "")
    header = f"{target}{intent.header}{document.newline}" if intent.header else ""
    inner = target + indentation_unit(document, above) if intent.header else target
    begin = f"{inner}{intent.name} = {opening}"
    shift = _shift(document, node, len(inner), len(begin))

    def shifted(line: str) -> str:
        width = len(line) - len(line.lstrip(" "))
        return line if line.startswith("\t") else " " * max(width + shift, 0) + line[width:]

    text = _with_lines(document, Range(start, end), shifted)
    before, after = around(document, node, intent.name)
    return [
        Claim(("expression", start, end), ("hoisted", intent.name)),
        _inserted(document, above, node, f"{header}{begin}{text}{closing}{document.newline}"),
        Replace(start, end, before + intent.name + after),
    ]


def compile_enclosing(document: Document, intent: EncloseStatement) -> list[Part]:
    """The parts of an `EncloseStatement`. Raises `Refused`."""
    statement = document.statement(intent.place)
    indentation = own_indentation(document, statement)
    start, end = document.range(statement)
    if is_compound(statement) or indentation is None or _REST_OF_LINE.match(document.text, end) is None:
        raise Refused(_SHARES_LINE)
    unit = indentation_unit(document, statement)
    strings = [token for token in document.tokens.all if token.kind == "string"]
    first, last = document.lines.ast_position(start)[0], document.lines.ast_position(end)[0]
    beginnings = [document.lines.bounds(line)[0] for line in range(first + 1, last + 1)]
    return [
        Insert(start, Order(Slot.BINDING), f"{intent.header}{document.newline}{indentation}{unit}"),
        *(
            Insert(begin, Order(Slot.PREFIX), unit)
            for begin in beginnings
            if document.text[begin : begin + 1] not in "\r\n"
            and not any(token.start < begin < token.end for token in strings)
        ),
    ]


# -- where it goes -------------------------------------------------------------------------------------


def _check_contained(
    document: Document, node: ast.AST, above: ast.stmt, barriers: tuple[type[ast.AST], ...]
) -> None:
    """Raise `Refused` unless `node` lies in `above` and runs each time, and in the scope, that it does."""
    for around_it in document.ancestors(node):
        if around_it is above:
            return
        if isinstance(around_it, barriers):
            break
    raise Refused("it does not run in the statement above which it should go")


def _indentation_of_target(document: Document, above: ast.stmt) -> str:
    indentation = own_indentation(document, above)
    if indentation is None:
        raise Refused("the statement above which it should go shares its line with others")
    return indentation


def _inserted(document: Document, above: ast.stmt, moved: ast.AST, text: str) -> Insert:
    """The insertion above a statement and its comments; what is moved there keeps its order."""
    rank = document.range(moved).start
    return Insert(_lines_with_comments(document, above).start, Order(Slot.LINE_BEFORE, -1, rank), text)


# -- what is moved -------------------------------------------------------------------------------------


def _lines_with_comments(document: Document, statement: ast.stmt) -> Range:
    """The lines of a statement and of the comments directly above it, the last newline included.

    A comment belongs to the statement if it has a line of its own and the same indentation.
    """
    start, end = document.range(statement)
    first, last = document.lines.ast_position(start)[0], document.lines.ast_position(end)[0]
    indentation = _BLANKS.match(document.lines.line(first))
    while first > 1 and indentation is not None:
        begin, _ = document.lines.bounds(first - 1)
        comment = begin + len(indentation[0])
        token = document.tokens.between(begin, comment + 1)
        if not token or (token[0].kind, token[0].start) != ("comment", comment):
            break
        first -= 1
    return Range(document.lines.bounds(first)[0], _next_line(document, last))


def _next_line(document: Document, line: int) -> int:
    """Where the line behind `line` begins; the end of the text if there is none."""
    return document.lines.bounds(line + 1)[0] if line < document.lines.count else len(document.text)


def _with_lines(document: Document, region: Range, change: Callable[[str], str]) -> str:
    """The text of a region with `change` applied to each of its lines but those that begin in a string.

    A first line that begins before the region stays as it is.
    """
    strings = [token for token in document.tokens.all if token.kind == "string"]
    pieces = []
    start = region.start
    while start < region.end:
        line = document.lines.ast_position(start)[0]
        end = min(_next_line(document, line), region.end)
        piece = document.text[start:end]
        whole = start == document.lines.bounds(line)[0]
        inside = any(token.start < start < token.end for token in strings)
        pieces.append(change(piece) if whole and not inside else piece)
        start = end
    return "".join(pieces)


def _shift(document: Document, node: ast.expr, target: int, begin: int) -> int:
    """By how many columns the further lines of an expression move, so that they look as before.

    Lines below an opening bracket that ends its line hang on the indentation of that line, others are
    aligned with the bracket. `target` is the new indentation, `begin` the new column of the expression.
    """
    start, end = document.range(node)
    line = document.lines.ast_position(start)[0]
    line_start, line_end = document.lines.bounds(line)
    if line_end >= end:
        return 0
    code = [token for token in document.tokens.between(start, line_end) if token.kind != "comment"]
    if code[-1].kind == "opening":
        indentation = _BLANKS.match(document.lines.line(line))
        return target - (len(indentation[0]) if indentation is not None else 0)
    return begin - (start - line_start)


# -- what stays ----------------------------------------------------------------------------------------


def _block_of(document: Document, statement: ast.stmt) -> Sequence[ast.stmt]:
    for _, block in ast.iter_fields(document.parent(statement)):
        if isinstance(block, list) and any(one is statement for one in block):
            return block
    raise Refused("it belongs to no block")


def _stays(document: Document, statement: ast.stmt, block: Sequence[ast.stmt]) -> list[Claim]:
    """Claims that keep one statement in the block: what empties it together has to go one after the other."""
    others = [one for one in block if one is not statement]
    claims = [Claim(("stays", *document.range(statement)), (False,))]
    if others:
        claims.append(Claim(("stays", *document.range(others[-1])), (True,)))
    return claims


def _behind_blank_lines(document: Document, region: Range) -> int:
    """The end of what goes away: blank lines behind it too, where otherwise two gaps would become one.

    There is always a line above: that of the statement around.
    """
    first, last = document.lines.ast_position(region.start)[0], document.lines.ast_position(region.end)[0]
    previous = document.lines.line(first - 1).strip()
    if previous and not previous.endswith(":"):
        return region.end
    while last < document.lines.count and not document.lines.line(last).strip():
        last += 1
    return document.lines.bounds(last)[0]


def _final_newline(document: Document, region: Range) -> str:
    text = document.text[region.start : region.end]
    return text[len(text.rstrip("\r\n")) :]
