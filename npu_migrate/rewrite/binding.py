"""Giving an expression a name: ``A E B`` becomes ``name = E`` and, on a line behind it, ``A name B``.

The expression stays where it is and what stood before it moves behind it, so that other changes inside the
expression still apply.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from npu_migrate.intents import BindExpression
from npu_migrate.rewrite.document import Document, Refused
from npu_migrate.rewrite.expressions import is_word
from npu_migrate.rewrite.parts import Claim, Insert, Order, Part, Replace, Slot
from npu_migrate.rewrite.statements import is_elif, one_line, own_indentation, simple

_WIDEST = 200
"""How far code is indented at most."""

_CONDITIONAL = "it is evaluated only under a condition, repeatedly or later"


def compile_binding(document: Document, intent: BindExpression) -> list[Part]:
    """The parts of a `BindExpression`. Raises `Refused`."""
    node = document.expression(intent.place)
    statement = document.statement_of(node)
    check_evaluated_first(document, statement, node)
    start, end = document.range(node)
    if isinstance(node, ast.NamedExpr):
        raise Refused("an assignment expression cannot be given another name")
    parent = document.parent(node)
    if (
        isinstance(node, ast.GeneratorExp)
        and isinstance(parent, ast.Call)
        and document.range(parent).end == end
    ):
        raise Refused("a generator shares its brackets with a call")

    begin = document.range(statement).start
    indentation = own_indentation(document, statement)
    then: Sequence[str]
    if indentation is None:
        separator, then = "; ", [simple(code) for code in intent.then]
    else:
        separator, then = document.newline + indentation, [one_line(code) for code in intent.then]

    opening, closing = ("(", ")") if document.tokens.breaks_line(start, end) else ("", "")
    moved = document.text[begin:start]
    rest = (
        []
        if _is_whole(statement, node, moved)
        else [_glued(moved, intent.name, document.text[end : end + 1])]
    )
    binding = f"{intent.name} = {opening}"
    suffix = closing + "".join(separator + code for code in (*then, *rest))

    parts: list[Part] = [
        Claim(("binding", begin), (start, end, intent.name, tuple(intent.then))),
        Claim(("bindable", start, end), (True,)),
        *_moved_beginnings(document, node, begin),
    ]
    if moved:
        parts.append(Replace(begin, start, binding))
    else:
        parts.append(Insert(begin, Order(Slot.BINDING), binding))
    if suffix:
        parts.append(Insert(end, Order(Slot.SUFFIX, -start, 1), suffix))
    if moved and indentation is not None and not opening:
        parts += _moved_lines(document, start, end, indentation, len(indentation) + len(binding))
    return parts


def _moved_lines(
    document: Document, start: int, end: int, indentation: str, column: int
) -> Iterator[Replace]:
    """What moves the further lines of an expression with its first one, which gets to `column`.

    They are those of the bracket that the first line opens, or belong below the line that this one was.
    Nothing is moved if one of them lies otherwise.
    """
    tokens = document.tokens.between(start, end)
    if any(token.kind == "continuation" for token in tokens):
        return
    before = document.text.rfind("\n", 0, start) + 1
    old = start - before
    ends = [token.end for token in tokens if token.kind == "newline"]
    blanks = {one: _blanks_at(document, one) for one in ends if document.text[one : one + 1] not in "\r\n"}
    if any("\t" in one for one in (indentation, *blanks.values())):
        return
    nearest = min((len(one) for one in blanks.values()), default=0)
    after = [other.kind for one, other in pairwise(tokens) if one.kind == "opening"]
    is_below_bracket = nearest > old and bool(after) and after[0] not in ("newline", "comment")
    shift = column - old if is_below_bracket else len(indentation) - len(_blanks_at(document, before))
    if shift and nearest + shift >= len(indentation):
        for line, one in blanks.items():
            yield Replace(line, line + len(one), " " * (len(one) + shift))


def _blanks_at(document: Document, line: int) -> str:
    """What a line begins with."""
    text = document.text[line : line + _WIDEST]
    return text[: len(text) - len(text.lstrip(" \t"))]


def _moved_beginnings(document: Document, node: ast.expr, begin: int) -> Iterator[Claim]:
    """Claims on the expressions that begin with the statement and end behind its new one."""
    for above in document.ancestors(node):
        if isinstance(above, ast.stmt):
            return
        if isinstance(above, ast.expr) and document.range(above).start == begin:
            yield Claim(("expression", *document.range(above)), ("divided",))


def check_evaluated_first(document: Document, statement: ast.stmt, node: ast.expr) -> None:
    """Raise `Refused` unless a statement always evaluates a node once, and nothing impure before it."""
    child: ast.AST = node
    for parent in document.ancestors(node):
        if parent is statement:
            break
        if not all(is_pure(one) for one in _evaluated_before(parent, child)):
            raise Refused("something that may have effects is evaluated before it")
        child = parent
    match statement:
        case ast.Expr() | ast.Return() | ast.Assign() | ast.AnnAssign() if child is statement.value:
            return
        case ast.AugAssign() if child is statement.value:
            if is_pure(statement.target):
                return
            raise Refused("something that may have effects is evaluated before it")
        case ast.Raise() if child is statement.exc:
            return
        case ast.With() | ast.AsyncWith() if child is statement.items[0]:
            return
        case ast.For() | ast.AsyncFor() if child is statement.iter:
            return
        case ast.If() if child is statement.test and not is_elif(document, statement):
            return
    raise Refused(_CONDITIONAL)


def is_pure(node: ast.AST) -> bool:
    """Whether evaluating a node early or late makes no difference: names, their attributes, constants, and
    ``super()``.
    """
    match node:
        case ast.Call(func=ast.Name(id="super"), args=arguments, keywords=[]):
            return all(is_pure(argument) for argument in arguments)
        case ast.Name() | ast.Constant():
            return True
        case ast.Lambda(args=ast.arguments(defaults=defaults, kw_defaults=keyword_defaults)):
            return all(default is None or is_pure(default) for default in (*defaults, *keyword_defaults))
        case ast.Attribute(value=value):
            return is_pure(value)
        case ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return all(is_pure(element) for element in elements)
        case ast.keyword(arg=str(), value=value):
            return is_pure(value)
    return False


def _evaluated_before(parent: ast.AST, child: ast.AST) -> list[ast.AST]:
    """What `parent` evaluates before its part `child`, which it must evaluate exactly once.

    Raises `Refused` if it may evaluate it never, later or several times.
    """
    match parent:
        case ast.Call(func=func, args=arguments, keywords=keywords):
            return _up_to(child, [func, *arguments, *keywords])
        case ast.BinOp(left=left, right=right):
            return _up_to(child, [left, right])
        case ast.Compare(left=left, comparators=[first, *_]):
            return _up_to(child, [left, first])
        case ast.BoolOp(values=[first, *_]):
            return _up_to(child, [first])
        case ast.IfExp(test=test):
            return _up_to(child, [test])
        case ast.Subscript(value=value, slice=index):
            return _up_to(child, [value, index])
        case ast.Slice():
            return _up_to(child, [one for one in (parent.lower, parent.upper, parent.step) if one])
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return _up_to(child, list(elements))
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return _up_to(child, [one for pair in pairs for one in pair if one is not None])
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return _up_to(child, [parent.generators[0]])
        case ast.comprehension(iter=iterable):
            return _up_to(child, [iterable])
        case ast.withitem(context_expr=context):
            return _up_to(child, [context])
        case (
            ast.Attribute() | ast.keyword() | ast.UnaryOp() | ast.Starred() | ast.Await()
            | ast.Yield() | ast.YieldFrom() | ast.NamedExpr()
        ):  # fmt: skip
            return []
    raise Refused(_CONDITIONAL)


def _up_to(child: ast.AST, parts: list[ast.AST]) -> list[ast.AST]:
    for position, part in enumerate(parts):
        if part is child:
            return parts[:position]
    raise Refused(_CONDITIONAL)


def _is_whole(statement: ast.stmt, node: ast.expr, moved: str) -> bool:
    """Whether nothing but the bare name would be left of the statement."""
    return isinstance(statement, ast.Expr) and statement.value is node and not moved


def _glued(left: str, name: str, right: str) -> str:
    """`left` and `name`, with blanks where `name` would melt together with what is beside it."""
    before = " " if is_word(left[-1:]) else ""
    after = " " if is_word(right) else ""
    return f"{left}{before}{name}{after}"
