"""What functions and methods of Python hand on of what they get: ``zip``, ``sorted``, ``dict.items``."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, Expr, Part, is_starred, last_name
from npu_migrate.index.keys import ANY

_SAME_ITEMS = frozenset({"list", "tuple", "iter"})
"""Functions whose result has the items of their argument, each in its place."""

_SOME_ITEMS = frozenset({"sorted", "reversed", "set", "frozenset"})
"""The same in another order, or without some."""

_METHODS = frozenset({"items", "values"})
"""Methods of dictionaries that hand on their values."""

_PAIRS_OF_SIX = frozenset({"iteritems", "viewitems"})
OF_SIX = _PAIRS_OF_SIX | {"itervalues", "viewvalues"}
"""What ``six`` calls these: functions that get the dictionary."""

Handed = tuple[Expr, tuple[object, ...]]
"""An expression, and the keys that take out of it what is asked for."""


def handed_on(call: Call, keys: tuple[object, ...]) -> Handed | None:
    """Which argument of a call, or part of it, is what `keys` take out of its result; None where that is not
    known.

    Functions are taken for Python's own, or those of ``six`` (`OF_SIX`), by their names: whether they are,
    the caller has to find out.
    """
    if not keys or isinstance(keys[0], Part) or call.keywords or any(map(is_starred, call.args)):
        return None
    func, name = call.func, last_name(call.func)
    if name is None:
        return None
    if name in OF_SIX and len(call.args) == 1:
        return _of_mapping(call.args[0], name in _PAIRS_OF_SIX, keys)
    if isinstance(func, Attribute):
        is_method = name in _METHODS and not call.args
        return _of_mapping(func.value, name == "items", keys) if is_method else None
    return _of_builtin(name, call.args, keys) if call.args else None


def _of_builtin(name: str, args: tuple[Expr, ...], keys: tuple[object, ...]) -> Handed | None:
    if name == "zip":
        index = keys[1] if len(keys) > 1 else None
        # The last one that is handed on is not the last one of the longer arguments.
        place = ANY if isinstance(keys[0], int) and keys[0] < 0 else keys[0]
        return (args[index], (place, *keys[2:])) if isinstance(index, int) and index < len(args) else None
    if name == "enumerate":
        return (args[0], (keys[0], *keys[2:])) if keys[1:2] == (1,) else None
    if len(args) != 1:
        return None
    if name in _SAME_ITEMS:
        return args[0], keys
    return (args[0], (ANY, *keys[1:])) if name in _SOME_ITEMS else None


def _of_mapping(mapping: Expr, is_pairs: bool, keys: tuple[object, ...]) -> Handed | None:
    """A value out of a mapping: of what gives them in pairs it is the second one, the first is no value."""
    if not is_pairs:
        return mapping, (ANY, *keys[1:])
    return (mapping, (ANY, *keys[2:])) if keys[1:2] == (1,) else None
