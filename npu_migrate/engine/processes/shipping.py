"""Facts as bytes, to send them from one process to another or to keep them.

What comes back is checked: only facts, and what a parser raises, can be made of bytes.
"""

from __future__ import annotations

import builtins
import io
import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from npu_migrate.index import facts as facts_module
from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Conditional,
    Constant,
    FileFacts,
    Keyword,
    Lambda,
    Name,
    Operation,
    Other,
    Subscript,
)
from npu_migrate.index.facts import Mapping as MappingDisplay
from npu_migrate.index.indexing import Failure, Indexed, NotIndexed

_PROTOCOL = 5
_DEEP = 20_000
"""A recursion limit for facts as deep as a parser can make them: pickling goes deeper than building."""

_EXCEPTIONS = (
    IndentationError,
    MemoryError,
    NotIndexed,
    RecursionError,
    SyntaxError,
    TabError,
    UnicodeDecodeError,
    UnicodeEncodeError,
    ValueError,
)
_BUILTINS = frozenset({"Ellipsis", "complex", *(one.__name__ for one in _EXCEPTIONS)} - {"NotIndexed"})


def _by_constructor(kind: type) -> Callable[[Any], tuple[type, tuple[Any, ...]]]:
    """How to pickle a frozen dataclass so that it loads three times as fast as by its own way."""
    values = attrgetter(*(one.name for one in fields(kind)))
    return lambda value: (kind, values(value))


_DISPLAYS = (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Conditional,
    Constant,
    Keyword,
    Lambda,
    MappingDisplay,
    Name,
    Operation,
    Other,
    Subscript,
)


def _of_error(error: Exception) -> tuple[type, tuple[Any, ...]]:
    """What makes the same exception again; the place of a syntax error may have been corrected."""
    if not isinstance(error, SyntaxError):
        return type(error), error.args
    place = error.filename, error.lineno, error.offset, error.text, error.end_lineno, error.end_offset
    return type(error), (error.msg, place)


_REDUCERS: Mapping[type, Callable[[Any], Any]] = {
    complex: lambda value: (complex, (value.real, value.imag)),
    **{kind: _by_constructor(kind) for kind in _DISPLAYS},
    **dict.fromkeys(_EXCEPTIONS, _of_error),
}
"""How to pickle; other libraries' ways, which `copyreg` may hold, do not count."""


class _Unpickler(pickle.Unpickler):
    """Refuses everything but facts, exceptions of the parser and the constants of Python source."""

    def find_class(self, module: str, name: str) -> Any:
        if module == facts_module.__name__:
            return getattr(facts_module, name)
        if module == "builtins" and name in _BUILTINS:
            return getattr(builtins, name)
        if (module, name) in ((Failure.__module__, "Failure"), (NotIndexed.__module__, "NotIndexed")):
            return {"Failure": Failure, "NotIndexed": NotIndexed}[name]
        raise pickle.UnpicklingError(f"{module}.{name} is no part of facts")


def pack(found: Indexed) -> bytes:
    """`found` as bytes, without the key of its file."""
    if isinstance(found, FileFacts):
        found = found._replace(key="")
    try:
        return _pickled(found)
    except RecursionError:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(_DEEP)
        try:
            return _pickled(found)
        finally:
            sys.setrecursionlimit(limit)


def unpack(key: str, packed: bytes) -> Indexed:
    """What was packed, for the file `key`. Raises `pickle.UnpicklingError` for other bytes."""
    found: Indexed = _Unpickler(io.BytesIO(packed)).load()
    return found._replace(key=key) if isinstance(found, FileFacts) else found


def _pickled(found: Indexed) -> bytes:
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, _PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(found)
    return buffer.getvalue()
