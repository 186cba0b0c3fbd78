"""The methods of lists, dicts, texts and generators."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from types import GeneratorType

from npu_migrate.abstract_run.libraries.world import World
from npu_migrate.abstract_run.machine.containers import item_of
from npu_migrate.abstract_run.machine.run import Raised, is_plain
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Descriptor,
    External,
    Generator,
    Method,
    Native,
    Raising,
    Sequence,
    Table,
    Unknown,
    Value,
)


def all_items(world: World, value: Value) -> tuple[list[Value], bool]:
    """The items of a value, and whether there may be others."""
    vague = bool(getattr(value, "vague", False)) or isinstance(value, (Unknown, External))
    vague = vague or getattr(value, "is_closed", True) is False
    return list(world.run.items(value)), vague


def updated(table: Table, world: World, source: Value) -> None:
    """Add to a dict what ``update`` gets."""
    if isinstance(source, Table):
        table.items |= source.items
        table.vague |= source.vague
        return
    items, vague = all_items(world, source)
    table.vague |= vague
    for item in items:
        key = item_of(world.run, item, 0)
        if isinstance(key, (Unknown, Sequence, Table)):
            table.vague = True
            key = Unknown()
        table.items[key] = item_of(world.run, item, 1)


def method_of(world: World, owner: Value, name: str) -> Value:
    """A method of a list, dict, text or number."""
    if isinstance(owner, Sequence) and name in _LIST:
        return Native(name, lambda arguments: _LIST[name](world, owner, arguments))
    if isinstance(owner, Table) and name in _DICT:
        return Native(name, lambda arguments: _DICT[name](world, owner, arguments))
    if isinstance(owner, str):
        return Native(name, lambda arguments: _text_method(world, owner, name, arguments))
    if isinstance(owner, Descriptor) and name in ("setter", "deleter", "getter"):
        return Native(name, lambda arguments: _with_setter(owner, name, arguments))
    if isinstance(owner, Generator) and name in ("__next__", "next", "close", "send"):
        if name == "close":
            return Native(name, lambda _: None)
        return Native(name, lambda _: next_of(owner))
    if isinstance(owner, (Sequence, Table, tuple, Generator)):
        if not any(hasattr(kind, name) for kind in _kinds(owner)):
            raise Raised(Raising("AttributeError"), fails=True)
        if is_plain(owner):
            return Native(name, lambda _: Unknown())
        raise world.run.lost(f"`{name}` of a container is not followed")
    if isinstance(owner, Method):
        return world.run.attribute(owner.function, name)
    return Unknown(name)


def _kinds(owner: Value) -> tuple[type, ...]:
    """The types of Python that a container may be."""
    if isinstance(owner, Sequence):
        return (list, set, deque)
    if isinstance(owner, Table):
        return (dict, OrderedDict, defaultdict)
    return (tuple,) if isinstance(owner, tuple) else (GeneratorType,)


def next_of(owner: Generator) -> Value:
    """The next value of a generator. Raises `Raised` at its end."""
    for item in owner.waiting:
        return item
    raise Raised(Raising("StopIteration"))


def _with_setter(owner: Descriptor, name: str, arguments: Arguments) -> Value:
    setter = arguments.positional[0] if name == "setter" else owner.setter
    return Descriptor("property", owner.function, setter)


def _append(world: World, owner: Sequence, arguments: Arguments) -> Value:
    value = arguments.positional[-1]
    owner.items.append(value)
    world.run.wrote(owner, None, value)
    return None


def _extend(world: World, owner: Sequence, arguments: Arguments) -> Value:
    items, vague = all_items(world, arguments.positional[0])
    owner.vague |= vague
    for item in items:
        owner.items.append(item)
        world.run.wrote(owner, None, item)
    return None


def _insert(world: World, owner: Sequence, arguments: Arguments) -> Value:
    at, value = arguments.positional[:2]
    owner.items.insert(at if isinstance(at, int) else 0, value)
    world.run.wrote(owner, None, value)
    return None


def _pop(world: World, owner: Sequence, arguments: Arguments) -> Value:
    at = arguments.positional[0] if arguments.positional else -1
    world.run.version += 1
    if owner.vague or not isinstance(at, int):
        return item_of(world.run, owner, at)
    if not owner.items:
        raise Raised(Raising("IndexError"), fails=True)
    return owner.items.pop(at)


def _forgotten(world: World, owner: Sequence, arguments: Arguments) -> Value:
    owner.vague = True
    world.run.version += 1
    return None


def _copied(world: World, owner: Sequence, arguments: Arguments) -> Value:
    return Sequence(list(owner.items), owner.vague, owner.kind)


def _cleared(world: World, owner: Sequence, arguments: Arguments) -> Value:
    owner.items.clear()
    world.run.version += 1
    return None


_LIST: Mapping[str, Callable[[World, Sequence, Arguments], Value]] = {
    "append": _append,
    "add": _append,
    "extend": _extend,
    "update": _extend,
    "insert": _insert,
    "pop": _pop,
    "remove": _forgotten,
    "discard": _forgotten,
    "sort": _forgotten,
    "reverse": _forgotten,
    "copy": _copied,
    "clear": _cleared,
    "index": lambda world, owner, arguments: Unknown("an index"),
    "count": lambda world, owner, arguments: Unknown("a count"),
}


def _got(world: World, owner: Table, arguments: Arguments) -> Value:
    key = arguments.positional[0]
    default = arguments.positional[1] if len(arguments.positional) > 1 else arguments.keywords.get("default")
    if isinstance(key, Unknown) or (owner.vague and key not in owner.items):
        if is_plain(default) and all(map(is_plain, owner.items.values())):
            return Unknown()
        if owner.items and not world.run.fork(2, ("the key is there", "the key is not there")):
            return item_of(world.run, owner, key)
        return default
    return owner.items.get(key, default)


def _set_default(world: World, owner: Table, arguments: Arguments) -> Value:
    key = arguments.positional[0]
    default = arguments.positional[1] if len(arguments.positional) > 1 else None
    if isinstance(key, Unknown) or owner.vague:
        raise world.run.lost("it is not known whether a dict has a key")
    if key not in owner.items:
        owner.items[key] = default
        world.run.wrote(owner, key, default)
    return owner.items[key]


def _updated(world: World, owner: Table, arguments: Arguments) -> Value:
    for source in arguments.positional:
        updated(owner, world, source)
    owner.items.update(arguments.keywords)
    world.run.version += 1
    return None


def _popped(world: World, owner: Table, arguments: Arguments) -> Value:
    found = _got(world, owner, arguments)
    key = arguments.positional[0]
    world.run.version += 1
    if not isinstance(key, Unknown):
        if key not in owner.items and len(arguments.positional) < 2 and not owner.vague:
            raise Raised(Raising("KeyError"), fails=True)
        owner.items.pop(key, None)
    return found


_DICT: Mapping[str, Callable[[World, Table, Arguments], Value]] = {
    "get": _got,
    "setdefault": _set_default,
    "update": _updated,
    "pop": _popped,
    "keys": lambda world, owner, arguments: Sequence(list(owner.items), owner.vague),
    "values": lambda world, owner, arguments: Sequence(list(owner.items.values()), owner.vague),
    "items": lambda world, owner, arguments: Sequence(list(owner.items.items()), owner.vague),
    "iteritems": lambda world, owner, arguments: Sequence(list(owner.items.items()), owner.vague),
    "itervalues": lambda world, owner, arguments: Sequence(list(owner.items.values()), owner.vague),
    "copy": lambda world, owner, arguments: Table(dict(owner.items), owner.vague),
}

_TEXT = frozenset(
    {
        "lower",
        "upper",
        "strip",
        "lstrip",
        "rstrip",
        "startswith",
        "endswith",
        "replace",
        "capitalize",
        "title",
    }
    | {"split", "join", "isdigit"}
)


def _text_method(world: World, owner: str, name: str, arguments: Arguments) -> Value:
    values = [_as_python(one) for one in arguments.positional]
    if (
        name in _TEXT
        and not arguments.keywords
        and all(isinstance(one, (str, int, tuple, list)) for one in values)
    ):
        try:
            made = getattr(owner, name)(*values)
        except (TypeError, ValueError):
            return Unknown("a text")
        return Sequence(list(made)) if isinstance(made, list) else made
    return Unknown("a text")


def _as_python(value: Value) -> Value:
    if isinstance(value, Sequence) and not value.vague:
        return value.items if all(isinstance(one, str) for one in value.items) else None
    return value
