"""Items that leave a list, tuple, set or call; the commas, lines and comments beside them stay in order."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import groupby

from npu_migrate.intents import DropItems
from npu_migrate.rewrite.document import Document, Range, Refused
from npu_migrate.rewrite.parts import Claim, Insert, Order, Part, Replace, Slot


def compile_dropping(document: Document, intent: DropItems) -> list[Part]:
    """The parts of a `DropItems`. Raises `Refused`."""
    container = document.expression(intent.place)
    items = _items(document, container)
    wanted = {place.span for place in intent.items}
    dropped = [number for number, item in enumerate(items) if _span(item) in wanted]
    if len(dropped) != len(wanted):
        raise Refused(f"line {intent.place.span[0]} does not hold the items that should go")
    if isinstance(container, ast.Set) and len(dropped) == len(items):
        raise Refused("a set display cannot be empty")
    ranges = [_extent(document, item) for item in items]
    cuts = [
        _cut(document, ranges, [number for _, number in group])
        for _, group in groupby(enumerate(dropped), lambda pair: pair[1] - pair[0])
    ]
    parts: list[Part] = [
        Claim(("items", *document.range(container)), tuple(sorted(wanted))),
        *(Claim(("expression", *document.range(items[number])), ("dropped",)) for number in dropped),
        *cuts,
    ]
    kept = [number for number in range(len(items)) if number not in dropped]
    if isinstance(container, ast.Tuple) and len(kept) == 1:
        end = ranges[kept[0]].end
        if not _comma_is_left(document, Range(end, document.range(container).end), cuts):
            parts.append(Insert(end, Order(Slot.SUFFIX), ","))
    return parts


def _items(document: Document, container: ast.expr) -> list[ast.expr]:
    if isinstance(container, ast.List | ast.Tuple | ast.Set):
        return list(container.elts)
    if isinstance(container, ast.Call):
        found = [*container.args, *(keyword.value for keyword in container.keywords)]
        return sorted(found, key=lambda item: document.range(item))
    raise Refused("it is no list, tuple, set or call")


def _span(node: ast.expr) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _extent(document: Document, item: ast.expr) -> Range:
    """An item with the brackets around it; a keyword argument with its keyword."""
    start, end = document.with_brackets(item)
    parent = document.parent(item)
    return Range(document.range(parent).start, end) if isinstance(parent, ast.keyword) else Range(start, end)


def _cut(document: Document, ranges: Sequence[Range], numbers: Sequence[int]) -> Replace:
    """Takes out neighbouring items, with the commas that belong to them."""
    first, last = ranges[numbers[0]], ranges[numbers[-1]]
    if document.tokens.has_comment(first.start, last.end):
        raise Refused("it would lose a comment")
    comma = _comma_behind(document, last.end)
    is_last = numbers[-1] + 1 == len(ranges)
    if comma is not None and not (is_last and numbers[0] == 0):
        lines = _whole_lines(document, first.start, comma)
        if lines is not None:
            return Replace(*lines, "")
        if not is_last:
            end = _behind_blanks(document.text, comma)
            ends_line = document.text[end : end + 1] in ("\r", "\n")
            return Replace(_before_blanks(document.text, first.start) if ends_line else first.start, end, "")
    end = comma if comma is not None and numbers[0] == 0 else last.end
    if numbers[0] == 0:
        return Replace(first.start, end, "")
    before = ranges[numbers[0] - 1].end
    if document.tokens.has_comment(before, first.start):
        return Replace(_before_blanks(document.text, first.start), end if comma is None else comma, "")
    return Replace(before, end, "")


def _comma_is_left(document: Document, where: Range, cuts: Sequence[Replace]) -> bool:
    """Whether a range has a comma that no cut takes away."""
    return any(
        document.text[token.start : token.end] == ","
        and not any(cut.start <= token.start < cut.end for cut in cuts)
        for token in document.tokens.between(*where)
    )


def _comma_behind(document: Document, end: int) -> int | None:
    """Where the comma behind an item ends, if there is one."""
    token = document.tokens.after(end)
    if token is None or document.text[token.start : token.end] != ",":
        return None
    return token.end


def _whole_lines(document: Document, start: int, end: int) -> Range | None:
    """The lines that hold nothing but the range `start` to `end`."""
    begin = _before_blanks(document.text, start)
    stop = _behind_blanks(document.text, end)
    newline = next((one for one in ("\r\n", "\n", "\r") if document.text.startswith(one, stop)), None)
    if newline is None or (begin > 0 and document.text[begin - 1] not in "\r\n"):
        return None
    return Range(begin, stop + len(newline))


def _before_blanks(text: str, offset: int) -> int:
    while offset > 0 and text[offset - 1] in " \t":
        offset -= 1
    return offset


def _behind_blanks(text: str, offset: int) -> int:
    while offset < len(text) and text[offset] in " \t":
        offset += 1
    return offset
