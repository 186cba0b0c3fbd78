"""Replacing expressions: by new code, by one of their own parts, or by code that contains them.

New code gets brackets where it would read differently without them, and blanks where it would melt
together with a word beside it.
"""

from __future__ import annotations

import ast
from itertools import takewhile

from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.intents import KeepInner, ReplaceExpression, WrapExpression
from npu_migrate.rewrite.document import Document, Range, Refused, same
from npu_migrate.rewrite.parts import Claim, Insert, Order, Part, Replace, Slot
from npu_migrate.rewrite.tokens import Tokens

_STAND_IN = "__npu_migrate_stand_in__"
_NEEDS_BRACKETS = (ast.Tuple, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Starred)
_LOST_COMMENT = "it would lose a comment"


def compile_replacement(document: Document, intent: ReplaceExpression) -> list[Part]:
    """The parts of a `ReplaceExpression`. Raises `Refused`."""
    return replacement(document, document.expression(intent.place), intent.code)


def replacement(document: Document, node: ast.expr, code: str) -> list[Part]:
    """The parts that put `code` in the place of a node; none if it says the same. Raises `Refused`."""
    start, end = document.range(node)
    if same(expression_of(code), node):
        return []
    if document.tokens.has_comment(start, end):
        raise Refused(_LOST_COMMENT)
    before, after = around(document, node, code)
    return [_claim(document, node, "replaced"), Replace(start, end, before + code + after)]


def compile_keeping(document: Document, intent: KeepInner) -> list[Part]:
    """The parts of a `KeepInner`. Raises `Refused`."""
    outer, inner = document.expression(intent.place), document.expression(intent.inner)
    chain = list(takewhile(lambda above: above is not outer, document.ancestors(inner)))
    if document.tree in chain:
        raise Refused("the part to keep does not belong to the expression")
    outside, inside = document.range(outer), document.with_brackets(inner)
    if document.tokens.has_comment(outside.start, inside.start) or document.tokens.has_comment(
        inside.end, outside.end
    ):
        raise Refused(_LOST_COMMENT)
    before, after = around(document, outer, document.text[inside.start : inside.end])
    parts = (
        _cut(outside.start, inside.start, before, Order(Slot.PREFIX, -outside.end)),
        _cut(inside.end, outside.end, after, Order(Slot.SUFFIX, -outside.start)),
    )
    lost = [node for node in chain if isinstance(node, ast.expr)]
    return [
        _claim(document, outer, "reduced", *inside),
        _claim(document, inner, "moved"),
        *(_claim(document, node, "lost") for node in lost),
        *(Claim(("bindable", *document.range(node)), (False,)) for node in lost),
        *(part for part in parts if part is not None),
    ]


def compile_wrapping(document: Document, intent: WrapExpression) -> list[Part]:
    """The parts of a `WrapExpression`. Raises `Refused`."""
    node = document.expression(intent.place)
    start, end = document.range(node)
    code = document.slice(node)
    before, after = intent.before, intent.after
    wrapped = expression_of(before + _STAND_IN + after)
    if sum(isinstance(one, ast.Name) and one.id == _STAND_IN for one in ast.walk(wrapped)) != 1:
        raise Refused(f"{before!r} and {after!r} are not the two ends of one expression")
    if not _reads(before + code + after, wrapped, node):
        before, after = f"{before}(", f"){after}"
    opening, closing = around(document, node, before + code + after)
    return [
        _claim(document, node, "wrapped", before, after),
        Insert(start, Order(Slot.PREFIX, -end), opening + before),
        Insert(end, Order(Slot.SUFFIX, -start), after + closing),
    ]


def _claim(document: Document, node: ast.expr, *value: object) -> Claim:
    """What becomes of an expression as a whole; two changes would not know of each other's brackets."""
    return Claim(("expression", *document.range(node)), value)


def around(document: Document, node: ast.expr, code: str) -> tuple[str, str]:
    """What must stand before and behind `code` when it takes the place of a node: brackets, blanks, nothing.

    Raises `Refused` when `code` does not fit there at all.
    """
    if _fits(document, node, code):
        opening, closing = "", ""
    elif _fits(document, node, f"({code})"):
        opening, closing = "(", ")"
    else:
        raise Refused("the new expression does not fit in its place")
    left, right = _blanks(document, document.range(node), opening + code + closing)
    return left + opening, closing + right


def expression_of(code: str) -> ast.expr:
    """The expression that `code` is. Raises `Refused`."""
    tokens = Tokens(code)
    try:
        statement = parse(f"({code}\n)").body[0]
    except UNPARSABLE:
        statement = ast.Pass()
    if not isinstance(statement, ast.Expr) or tokens.after(0) is None or not tokens.balanced:
        raise Refused(f"{code!r} is not an expression")
    return statement.value


def _fits(document: Document, node: ast.expr, code: str) -> bool:
    """Whether `code` in the place of a node is read as what it is alone."""
    if Tokens(code).breaks_line(0, len(code)) and not document.in_brackets(node):
        return False
    new = expression_of(code)
    root: ast.AST = node
    for above in document.ancestors(node):
        if isinstance(above, ast.stmt):
            break
        if isinstance(above, ast.expr):
            root = above
    if root is node:
        return not isinstance(new, _NEEDS_BRACKETS) or code.startswith("(")
    outer, inner = document.range(root), document.range(node)
    left, right = document.text[outer.start : inner.start], document.text[inner.end : outer.end]
    frame = _read(f"{left} {_STAND_IN} {right}")
    before, after = _blanks(document, inner, code)
    return frame is not None and _reads(left + before + code + after + right, frame, new)


def _reads(code: str, frame: ast.expr, node: ast.expr) -> bool:
    """Whether `code` reads as `frame` with `node` in the place of the stand-in."""
    read = _read(code)
    return read is not None and same(read, frame, {_STAND_IN: node})


def _read(code: str) -> ast.expr | None:
    try:
        return expression_of(code)
    except Refused:
        return None


def _blanks(document: Document, old: Range, new: str) -> tuple[str, str]:
    """The blanks that keep the text `new` apart from the words beside the range `old`."""
    before, after = document.text[old.start - 1 : old.start], document.text[old.end : old.end + 1]
    left = " " if is_word(before) and (is_word(new[:1]) or new[:1] in "\"'") else ""
    return left, " " if is_word(after) and is_word(new[-1:]) else ""


def is_word(character: str) -> bool:
    """Whether a character may be part of a name or number."""
    return character.isalnum() or character == "_"


def _cut(start: int, end: int, text: str, order: Order) -> Part | None:
    """Replace a range that may be empty, by a text that may be empty."""
    if start < end:
        return Replace(start, end, text)
    return Insert(start, order, text) if text else None
