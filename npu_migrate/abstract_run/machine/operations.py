"""Truth, comparison and arithmetic of values."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Items
from typing import Any

from npu_migrate.abstract_run.machine.run import Run, is_plain
from npu_migrate.abstract_run.machine.values import (
    PLAIN,
    External,
    Raising,
    Sequence,
    Table,
    Unknown,
    Value,
)

_LONGEST = 2_000
"""Texts and lists that are longer are not worth to be known."""
_LARGEST = 1 << 64
_PLAIN_TEMPLATE = re.compile(r"(?:[^%]|%[sd])*\Z")

_ARITHMETIC: Mapping[str, Callable[[Any, Any], object]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "BitOr": operator.or_,
    "BitAnd": operator.and_,
}
_COMPARISONS: Mapping[str, Callable[[Any, Any], object]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}
COMPARING = frozenset({*_COMPARISONS, "Is", "IsNot", "In", "NotIn"})
_OPPOSITE = {"NotEq": "Eq", "IsNot": "Is", "NotIn": "In"}


def known_truth(run: Run, value: Value) -> bool | None:
    """Whether a value counts as true; None where that is open."""
    if isinstance(value, Unknown):
        if value in run.equals:
            return known_truth(run, run.equals[value])
        return run.truths.get(value)
    if isinstance(value, PLAIN):
        return bool(value)
    if isinstance(value, tuple):
        return bool(value)
    if isinstance(value, (Sequence, Table)):
        return None if value.vague else bool(value.items)
    truth = getattr(value, "truth", True)
    return truth if isinstance(truth, bool) else None


def truth(run: Run, value: Value) -> bool:
    """Whether a value counts as true; decided where that is open."""
    known = known_truth(run, value)
    if known is not None:
        return known
    if isinstance(value, Unknown):
        return run.truth_of(value)
    return run.fork(2, ("the condition holds", "the condition fails")) == 0


def combined(run: Run, kind: str, operands: Items[Value]) -> Value:
    """The value of an operation that is neither ``and``, ``or`` nor about tensors."""
    if len(operands) == 1:
        return _unary(run, kind, operands[0])
    left, right = operands[0], operands[1]
    if kind in COMPARING:
        return compared(run, kind, left, right)
    work = _ARITHMETIC.get(kind)
    if isinstance(left, Sequence) and isinstance(right, (Sequence, Unknown)) and kind == "Add":
        more = right.items if isinstance(right, Sequence) else []
        vague = left.vague or isinstance(right, Unknown) or right.vague
        return Sequence([*left.items, *more], vague)
    if isinstance(left, Sequence) and kind == "Mult":
        if isinstance(right, int) and len(left.items) * right < _LONGEST and not left.vague:
            return Sequence(left.items * right)
        return Sequence(left.items, vague=True)
    if isinstance(left, tuple) and isinstance(right, tuple) and kind == "Add":
        return left + right
    if isinstance(left, str) and kind == "Mod":
        return _filled(left, right)
    if work is None or not _is_small(left) or not _is_small(right):
        return Unknown()
    try:
        result = work(left, right)
    except (TypeError, ValueError, ArithmeticError):
        return Unknown()
    return result if _is_small(result) else Unknown()


def _filled(template: str, values: Value) -> Value:
    """``template % values``, where that only puts known texts and whole numbers in."""
    known = values if isinstance(values, tuple) else (values,)
    if _PLAIN_TEMPLATE.match(template) and all(isinstance(one, (str, int)) for one in known):
        try:
            result = template % known
        except TypeError:
            return Unknown("a text")
        if _is_small(result):
            return result
    return Unknown("a text")


def _unary(run: Run, kind: str, value: Value) -> Value:
    if kind == "Not":
        known = known_truth(run, value)
        if known is not None:
            return not known
        return not truth(run, value)
    if kind == "USub" and isinstance(value, (int, float)):
        return -value
    return Unknown()


def compared(run: Run, kind: str, left: Value, right: Value) -> Value:
    """The value of a comparison."""
    left, right = run.equals.get(left, left) if isinstance(left, Unknown) else left, right
    if isinstance(right, Unknown):
        right = run.equals.get(right, right)
    if kind in ("In", "NotIn"):
        found = _contains(right, left)
        return Unknown() if found is None else found is (kind == "In")
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        if left is right:
            return kind in ("Eq", "Is", "LtE", "GtE")
        if isinstance(right, Unknown) and not isinstance(left, Unknown):
            left, right = right, left
            kind = {"Lt": "Gt", "Gt": "Lt", "LtE": "GtE", "GtE": "LtE"}.get(kind, kind)
        if isinstance(left, Unknown):
            return _condition(run, kind, left, right)
    if kind in ("Is", "IsNot"):
        same = left is right or (isinstance(left, (External, *PLAIN)) and left == right)
        return same is (kind == "Is")
    work = _COMPARISONS[kind]
    if is_plain(left) and is_plain(right):
        if isinstance(left, tuple) or isinstance(right, tuple):
            return _compared_tuples(left, right, kind)
        try:
            return bool(work(left, right))
        except TypeError:
            return Unknown()
    if kind in ("Eq", "NotEq"):
        if isinstance(left, Sequence) and isinstance(right, Sequence):
            return Unknown()
        return (left is right) is (kind == "Eq")
    return Unknown()


def _compared_tuples(left: Value, right: Value, kind: str) -> Value:
    if any(isinstance(one, Unknown) for both in (left, right) if isinstance(both, tuple) for one in both):
        return Unknown()
    if kind in ("Eq", "NotEq"):
        return (left == right) is (kind == "Eq")
    return Unknown()


def _condition(run: Run, kind: str, left: Unknown, right: Value) -> Unknown:
    """The unknown result of comparing an unknown value: the same one each time the same is compared."""
    question = (kind, left, right) if is_plain(right) else (kind, left, id(right))
    found = run.conditions.get(question)
    if found is None:
        found = run.conditions[question] = Unknown("a condition")
        if kind in ("Eq", "NotEq", "Is", "IsNot") and is_plain(right) and not isinstance(right, Unknown):
            run.tests[found] = (kind, left, right)
        opposite = _OPPOSITE.get(kind)
        other = run.conditions.get((opposite, left, right)) if opposite and is_plain(right) else None
        if other is not None and other in run.truths:
            run.truths[found] = not run.truths[other]
    return found


def _contains(container: Value, item: Value) -> bool | None:
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    if isinstance(container, (Sequence, tuple)):
        items = container if isinstance(container, tuple) else tuple(container.items)
        if any(one is item or (is_plain(one) and is_plain(item) and one == item) for one in items):
            return True
        vague = isinstance(container, Sequence) and container.vague
        open_ = isinstance(item, Unknown) or any(isinstance(one, Unknown) for one in items)
        return None if vague or open_ else False
    if isinstance(container, Table) and not isinstance(item, (Unknown, Sequence, Table, Raising)):
        if item in container.items:
            return True
        return None if container.vague else False
    return None


def _is_small(value: Value) -> bool:
    if isinstance(value, (str, bytes)):
        return len(value) <= _LONGEST
    if isinstance(value, (bool, int)):
        return -_LARGEST < value < _LARGEST
    return isinstance(value, float)
