"""Keyword arguments of calls: replaced where they are, or added behind the last argument.

Adding is left to LibCST, which keeps trailing commas, comments and line breaks apart. It sees only the
skeleton of the call, ``f(a, a)`` with the same layout, so that neither long nor deep arguments matter. A
skeleton on one line has nothing that must be kept apart, and LibCST takes longer to load than all else here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from npu_migrate.intents import SetArgument
from npu_migrate.places import Span
from npu_migrate.rewrite.document import Document, Refused, span_of
from npu_migrate.rewrite.expressions import expression_of, replacement
from npu_migrate.rewrite.parts import AddItem, Claim, Insert, Order, Part, Replace, Slot

if TYPE_CHECKING:
    import libcst as cst

_LONGEST_LINE = 100
_ON_ONE_LINE = re.compile(r"a\((?:a(?: *, *a)*)?\)")
"""A skeleton without line breaks, comments, or a comma at the end."""


def compile_argument(document: Document, intent: SetArgument) -> list[Part]:
    """The parts of a `SetArgument`. Raises `Refused`."""
    call = document.expression(intent.place)
    if not isinstance(call, ast.Call):
        raise Refused(f"line {intent.place.span[0]} does not hold the call that should change")
    for keyword in call.keywords:
        if keyword.arg == intent.keyword:
            return replacement(document, keyword.value, intent.value)
    if any(keyword.arg is None for keyword in call.keywords):
        raise Refused(f"an argument behind ** may already set {intent.keyword}")
    start, end = document.range(call)
    if any(isinstance(one, ast.GeneratorExp) and document.range(one).end == end for one in call.args):
        raise Refused("a generator shares its brackets with the call")
    item = f"{intent.keyword}={intent.value}"
    _check_item(item)
    alone = added(document, intent.place.span, [item])
    since = alone.start if isinstance(alone, Replace) else alone.offset
    return [
        Claim(("argument", start, end, intent.keyword), (intent.value,)),
        AddItem(intent.place.span, since, end, item),
    ]


def added(document: Document, span: Span, items: Sequence[str]) -> Insert | Replace:
    """The change that adds arguments, given as text, to the call at `span`. Raises `Refused`."""
    call = _call_at(document, span)
    end = document.range(call).end
    skeleton, tail = _skeleton(document, call)
    names = {f"__npu_migrate_{number}__": item for number, item in enumerate(items)}
    changed = _with_arguments(skeleton, list(names))
    kept = _common_prefix(skeleton, changed)
    rest = _common_prefix(skeleton[kept:][::-1], changed[kept:][::-1])
    text = changed[kept : len(changed) - rest]
    for name, item in names.items():
        text = text.replace(name, item)
    start, stop = end - (len(skeleton) - kept), end - rest
    if kept < len(skeleton) - tail:
        raise Refused("the arguments of the call were not understood")
    if start < stop:
        return Replace(start, stop, text)
    return Insert(start, Order(Slot.ITEM), _on_a_new_line(document, call, start, text))


def _on_a_new_line(document: Document, call: ast.Call, offset: int, text: str) -> str:
    """The same arguments, on a new line if the call has several and this one would become too long."""
    begin = document.text.rfind("\n", 0, offset) + 1
    end = document.text.find("\n", offset)
    line = document.text[begin : None if end < 0 else end]
    margin = line[: len(line) - len(line.lstrip())]
    begins_with_one = any(
        document.range(one).start == begin + len(margin) for one in (*call.args, *call.keywords)
    )
    if not begins_with_one or not text.startswith(", ") or len(line.rstrip()) + len(text) <= _LONGEST_LINE:
        return text
    return f",{document.newline}{margin}{text.removeprefix(', ')}"


def has_arguments(document: Document, span: Span) -> bool:
    """Whether the call at `span` has any arguments."""
    call = _call_at(document, span)
    return bool(call.args or call.keywords)


def _call_at(document: Document, span: Span) -> ast.Call:
    return next(node for node in document.nodes_at(span) if isinstance(node, ast.Call))


def _common_prefix(one: str, other: str) -> int:
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return length


def _check_item(item: str) -> None:
    call = expression_of(f"f({item})")
    if not isinstance(call, ast.Call) or call.args or len(call.keywords) != 1:
        raise Refused(f"{item!r} is not a keyword argument")


def _skeleton(document: Document, call: ast.Call) -> tuple[str, int]:
    """The call with every name ``a`` in the place of its function and arguments, and the length of its end.

    The end is what follows the last argument, or the opening bracket; there the skeleton is like the text.
    """
    opening = document.tokens.after(document.with_brackets(call.func).end)
    end = document.range(call).end
    if opening is None or document.text[opening.start] != "(":
        raise Refused("the brackets of the call were not found")
    pieces = ["a("]
    done = opening.end
    for argument in sorted((*call.args, *call.keywords), key=lambda node: span_of(node) or ()):
        start, stop = document.range(argument)
        pieces += (document.text[done:start], "a")
        done = stop
    pieces.append(document.text[done:end])
    return "".join(pieces), end - done


def _with_arguments(skeleton: str, names: Sequence[str]) -> str:
    """The call `skeleton` with further arguments, laid out like its last one."""
    if _ON_ONE_LINE.fullmatch(skeleton) is not None:
        before = skeleton.removesuffix(")")
        return f"{', '.join([before, *names]) if 'a' in before[2:] else before + ', '.join(names)})"

    import libcst as cst

    try:
        module = cst.parse_module(f"({skeleton})")
    except cst.ParserSyntaxError:
        raise Refused("the arguments of the call were not understood") from None
    statement = module.body[0]
    line = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    call = line.value if isinstance(line, cst.Expr) else None
    if module.code != f"({skeleton})" or not isinstance(call, cst.Call):
        raise Refused("the arguments of the call were not understood")
    return module.with_deep_changes(call, args=_extended(call, names)).code[1:-1]


def _extended(call: cst.Call, names: Sequence[str]) -> list[cst.Arg]:
    """The arguments of `call` and those named, each on a line of its own if the last argument is."""
    import libcst as cst

    gap = _gap(call)
    *new, final = (cst.Arg(cst.Name(name), comma=cst.Comma(whitespace_after=gap)) for name in names)
    if not call.args:
        return [*new, final.with_changes(comma=cst.MaybeSentinel.DEFAULT)]
    *earlier, last = call.args
    if isinstance(last.comma, cst.Comma):
        gap, closing = _with_comment(gap, last.comma.whitespace_after)
        last = last.with_changes(comma=last.comma.with_changes(whitespace_after=gap))
        final = final.with_changes(comma=cst.Comma(whitespace_after=closing))
    else:
        gap, closing = _with_comment(gap, last.whitespace_after_arg)
        last = last.with_changes(
            comma=cst.Comma(whitespace_after=gap), whitespace_after_arg=cst.SimpleWhitespace("")
        )
        final = final.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=closing)
    return [*earlier, last, *new, final]


def _gap(call: cst.Call) -> cst.BaseParenthesizableWhitespace:
    """What stands before the last argument, without comments and empty lines; a blank if it is no newline."""
    import libcst as cst

    before = call.whitespace_before_args
    if len(call.args) > 1 and isinstance(call.args[-2].comma, cst.Comma):
        before = call.args[-2].comma.whitespace_after
    if call.args and isinstance(before, cst.ParenthesizedWhitespace):
        return before.with_changes(
            first_line=cst.TrailingWhitespace(newline=before.first_line.newline), empty_lines=[]
        )
    return cst.SimpleWhitespace(" ")


def _with_comment(
    gap: cst.BaseParenthesizableWhitespace, closing: cst.BaseParenthesizableWhitespace
) -> tuple[cst.BaseParenthesizableWhitespace, cst.BaseParenthesizableWhitespace]:
    """`gap` and `closing`; a comment beside the last argument stays there if the new one gets a line."""
    import libcst as cst

    if not isinstance(gap, cst.ParenthesizedWhitespace) or not isinstance(
        closing, cst.ParenthesizedWhitespace
    ):
        return gap, closing
    if closing.first_line.comment is None:
        return gap, closing
    bare = cst.TrailingWhitespace(newline=closing.first_line.newline)
    return gap.with_changes(first_line=closing.first_line), closing.with_changes(first_line=bare)
