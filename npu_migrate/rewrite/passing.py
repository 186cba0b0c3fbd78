"""Passing the receiver of a method call to a function instead."""

from __future__ import annotations

import ast

from npu_migrate.rewrite.document import Document, Range, Refused
from npu_migrate.rewrite.expressions import expression_of, is_word
from npu_migrate.rewrite.intents import PassToFunction
from npu_migrate.rewrite.parts import Claim, Insert, Order, Part, Replace, Slot

_BARE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Tuple, ast.GeneratorExp)
"""What means something else, or nothing, as an argument without brackets of its own."""


def compile_passing(document: Document, intent: PassToFunction) -> list[Part]:
    """The parts of a `PassToFunction`. Raises `Refused`.

    Brackets that hold nothing but the call, or nothing but its receiver, become those of the new call.
    """
    call = document.expression(intent.place)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        raise Refused("it is not the call of a method")
    if call.args or call.keywords:
        raise Refused("the call has arguments")
    expression_of(intent.function)
    receiver = call.func.value
    outside, inside = document.range(call), document.with_brackets(receiver)
    around = document.with_brackets(call)
    if inside != document.range(receiver) and not isinstance(receiver, _BARE):
        start, opening, closing = outside.start, intent.function, ""
    elif around != outside and not isinstance(receiver, _BARE):
        start, opening, closing = _outermost_opening(document, outside), intent.function, ""
    else:
        start, opening, closing = outside.start, f"{intent.function}(", ")"
    if is_word(document.text[start - 1 : start]):
        opening = f" {opening}"
    return [
        Claim(("expression", *outside), ("passed", intent.function)),
        Claim(("expression", *document.range(call.func)), ("lost",)),
        Claim(("bindable", *document.range(call.func)), (False,)),
        Insert(start, Order(Slot.PREFIX, -outside.end), opening),
        *_without_method(document, Range(inside.end, outside.end), closing),
    ]


def _outermost_opening(document: Document, call: Range) -> int:
    """The bracket directly around a call."""
    opening = document.tokens.before(call.start)
    assert opening is not None
    return opening.start


def _without_method(document: Document, tail: Range, closing: str) -> list[Part]:
    """The parts that take away ``.method()`` and leave `closing` and the comments in between."""
    if not document.tokens.has_comment(*tail):
        return [Replace(tail.start, tail.end, closing)]
    parts: list[Part] = []
    code = [
        one for one in document.tokens.between(*tail) if one.kind in ("other", "name", "opening", "closing")
    ]
    for number, token in enumerate(code, 1):
        parts.append(Replace(token.start, token.end, closing if number == len(code) else ""))
    return parts
