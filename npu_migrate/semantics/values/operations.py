"""Operations and functions over constants, as Python carries them out.

All of them raise what Python raises where an operand does not fit, and `ValueError` where the result would
be too large to be worth having.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_LONGEST_TEXT = 10_000
_LARGEST_NUMBER = 10**30
_LARGEST_EXPONENT = 100
_CONVERSIONS: Mapping[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}
_SIZED = (str, bytes, tuple, list)

BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda item, container: item in container,
    "NotIn": lambda item, container: item not in container,
}
UNARY: Mapping[str, Callable[[Any], Any]] = {
    "USub": operator.neg,
    "UAdd": operator.pos,
    "Invert": operator.invert,
    "Not": operator.not_,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "len": len,
    "abs": abs,
    "max": max,
    "min": min,
    "round": round,
    "sum": sum,
    "tuple": tuple,
    "list": list,
    "math.ceil": math.ceil,
    "math.floor": math.floor,
    "numpy.ceil": lambda number: float(math.ceil(number)),
    "numpy.floor": lambda number: float(math.floor(number)),
    "numpy.int32": int,
    "numpy.int64": int,
    "numpy.float32": float,
}
"""Builtins by their bare names, others by their canonical dotted names."""

TEXT_METHODS = frozenset(
    {
        "format",
        "join",
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "replace",
        "encode",
        "decode",
        "split",
        "title",
        "capitalize",
        "startswith",
        "endswith",
    }
)


def operate(name: str, operands: Sequence[Any]) -> Any:
    """The result of the operation with the ``ast`` class name `name`."""
    if name == "And":
        return next((item for item in operands[:-1] if not item), operands[-1])
    if name == "Or":
        return next((item for item in operands[:-1] if item), operands[-1])
    if len(operands) == 1:
        return _bounded(UNARY[name](operands[0]))
    left, right = operands
    _check_size(name, left, right)
    return _bounded(BINARY[name](left, right))


def call_function(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """The result of a pure function, such as one of `FUNCTIONS`. Raises `ValueError` if it is too large."""
    return _bounded(function(*arguments))


def call_method(name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """The result of one of `TEXT_METHODS`; the first argument is the text itself."""
    text = arguments[0]
    if not isinstance(text, (str, bytes)):
        raise TypeError(name)
    _check_widths(text)
    result = getattr(text, name)(*arguments[1:], **keywords)
    return _bounded(result)


def format_text(conversion: str, value: Any, spec: str = "") -> str:
    """A replacement field of an f-string; `conversion` is ``r``, ``s``, ``a`` or empty."""
    _check_widths(spec)
    if conversion:
        value = _CONVERSIONS[conversion](value)
    text: str = _bounded(format(value, spec))
    return text


def _check_size(name: str, left: Any, right: Any) -> None:
    if name in ("Pow", "LShift"):
        if not isinstance(right, (int, float)) or abs(right) > _LARGEST_EXPONENT:
            raise ValueError(name)
    elif name == "Mult":
        for sized, times in ((left, right), (right, left)):
            if isinstance(sized, _SIZED) and isinstance(times, int) and len(sized) * times > _LONGEST_TEXT:
                raise ValueError(name)
    elif name == "Mod" and isinstance(left, (str, bytes)):
        _check_widths(left)


def _check_widths(template: str | bytes) -> None:
    """Refuses templates with a field width that would make the text huge, as ``{:>999999999}``."""
    digits = 0
    for character in template if isinstance(template, str) else template.decode("latin-1"):
        digits = digits + 1 if character.isdigit() else 0
        if digits > 4:
            raise ValueError(template)


def _bounded(result: Any) -> Any:
    if isinstance(result, _SIZED) and len(result) > _LONGEST_TEXT:
        raise ValueError("too long")
    if isinstance(result, complex):
        raise ValueError("complex")
    if isinstance(result, int) and abs(result) > _LARGEST_NUMBER:
        raise ValueError("too large")
    return result
