"""Exceptions: which handler takes them."""

from __future__ import annotations

import builtins

from npu_migrate.abstract_run.machine.run import Run
from npu_migrate.abstract_run.machine.values import (
    Class,
    External,
    Frame,
    Instance,
    Raising,
    Sequence,
    Unknown,
    Value,
)
from npu_migrate.index.facts import Statement

ANYTHING = "?"
"""The kind of an exception of a library call that nobody knows."""
ENDLESS = "the loop goes on"
"""Not an exception: a loop that is left by nothing that was seen."""
_ALL = frozenset({"Exception", "BaseException"})


def as_exception(run: Run, value: Value) -> Value:
    """What ``raise value`` raises."""
    if isinstance(value, External):
        return Raising(value.name)
    if isinstance(value, Class):
        return run.call(value)
    if isinstance(value, Unknown):
        return Raising(ANYTHING)
    return value


def kind_of(value: Value) -> str:
    """The name of an exception's class."""
    if isinstance(value, Raising):
        return value.kind
    return value.cls.name if isinstance(value, Instance) else ANYTHING


def handler_for(run: Run, frame: Frame, statement: Statement, handlers: int, value: Value) -> int | None:
    """The number of the handler of a ``try`` that takes an exception; None for none."""
    if kind_of(value) == ENDLESS:
        return None
    for number in range(handlers):
        if number >= len(statement.values):
            return number
        if _matches(value, run.evaluate(frame, statement.values[number])):
            return number
    return None


def _matches(value: Value, wanted: Value) -> bool:
    if isinstance(wanted, (tuple, Sequence)):
        items = wanted if isinstance(wanted, tuple) else wanted.items
        return any(_matches(value, one) for one in items)
    if isinstance(wanted, Class):
        return isinstance(value, Instance) and wanted in value.cls.order
    if not isinstance(wanted, External):
        return True
    name = wanted.name.rpartition(".")[2]
    if isinstance(value, Instance):
        names = [base.name for base in value.cls.order if isinstance(base, External)]
        return name in _ALL or any(one.rpartition(".")[2] == name for one in names)
    kind = kind_of(value).rpartition(".")[2]
    if kind in (ANYTHING, name):
        return True
    return _is_below(kind, name)


def _is_below(kind: str, name: str) -> bool:
    one, other = getattr(builtins, kind, None), getattr(builtins, name, None)
    if isinstance(one, type) and isinstance(other, type):
        return issubclass(one, other)
    if isinstance(one, type):
        return False
    return name in _ALL or name == "OpError"
