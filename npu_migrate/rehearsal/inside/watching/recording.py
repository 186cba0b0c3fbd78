"""Fetched values as JSON: small ones whole, large ones as a digest."""

from __future__ import annotations

import hashlib
import math
from typing import Any, Iterable

LARGEST = 64
"""How many elements a value may have that is kept whole."""


def fetched(tensors: Iterable[Any], values: Iterable[Any]) -> dict[str, Any]:
    """The values of `tensors` by their names, in the order in which they were asked for."""
    return {tensor.name: plain(value) for tensor, value in zip(tensors, values)}


def plain(value: Any) -> Any:
    """`value` in the types of JSON; NaN and the infinities are strings."""
    if hasattr(value, "shape") and hasattr(value, "tolist"):
        if value.size > LARGEST:
            return {"shape": list(value.shape), "digest": _digest(value)}
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (int, str)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        return value if math.isfinite(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    return str(type(value).__name__)


def _digest(array: Any) -> str:
    if array.dtype.kind == "O":
        data = repr(array.tolist()).encode("utf-8", "backslashreplace")
    else:
        data = array.tobytes()
    return hashlib.sha256(data).hexdigest()[:16]
