"""Items of containers: looked up, unpacked, gone through, stored."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.abstract_run.machine.run import Raised, Run, is_plain
from npu_migrate.abstract_run.machine.values import (
    PLAIN,
    Class,
    External,
    Generator,
    Instance,
    Raising,
    Sequence,
    Table,
    Unknown,
    Value,
    shape,
)

_MOST_ITEMS = 2_000


def item_of(run: Run, owner: Value, item: Value) -> Value:
    """``owner[item]``."""
    if isinstance(item, Unknown):
        item = run.equals.get(item, item)
    if isinstance(owner, Table):
        return _looked_up(run, owner, item)
    owner = fields_of(owner)
    if isinstance(owner, (tuple, Sequence)):
        return _indexed(run, owner, item)
    if isinstance(owner, Instance):
        return run.call(run.attribute(owner, "__getitem__"), item)
    of = getattr(owner, "item", None)
    if of is not None and not isinstance(owner, PLAIN):
        found: Value = of(item)
        return found
    if isinstance(owner, str) and isinstance(item, (int, slice)) and not isinstance(item, bool):
        try:
            return owner[item]
        except (IndexError, TypeError):
            return Unknown()
    if isinstance(owner, (Unknown, External, *PLAIN)):
        if owner is None:
            raise Raised(Raising("TypeError"), fails=True)
        return Unknown()
    raise run.lost(f"an item of {shape(owner)} is not known")


def fields_of(value: Value) -> Value:
    """The values of a named tuple as a tuple; any other value as it is."""
    if isinstance(value, Instance):
        classes = (one for one in value.cls.order if isinstance(one, Class))
        names = next((one.names["_fields"] for one in classes if "_fields" in one.names), ())
        if isinstance(names, tuple) and names:
            return tuple(value.fields.get(str(name)) for name in names)
    return value


def _looked_up(run: Run, table: Table, key: Value) -> Value:
    if not isinstance(key, (Unknown, slice, Sequence, Table)) and key in table.items:
        return table.items[key]
    if isinstance(key, (Sequence, Table)):
        raise Raised(Raising("TypeError"), fails=True)
    if table.default is not None and not isinstance(key, Unknown):
        made = table.items[key] = run.call(table.default)
        run.wrote(table, key, made)
        return made
    if not isinstance(key, Unknown) and not table.vague:
        raise Raised(Raising("KeyError"), fails=True)
    values = list(table.items.values())
    if not values or (all(map(is_plain, values))):
        return Unknown()
    if table.vague and not isinstance(key, Unknown):
        return _one_of(run, values)
    keys = list(table.items)
    taken = run.fork(len(values), [f"the key is {one!r}" for one in keys])
    if isinstance(key, Unknown) and is_plain(keys[taken]):
        run.equals[key] = keys[taken]
    return values[taken]


def _one_of(run: Run, values: list[Value]) -> Value:
    """Any of some values: which one is decided."""
    if all(map(is_plain, values)):
        return Unknown()
    return values[run.fork(len(values), [f"it is item {number}" for number in range(len(values))])]


def _indexed(run: Run, owner: tuple[Value, ...] | Sequence, item: Value) -> Value:
    items = list(owner) if isinstance(owner, tuple) else owner.items
    vague = isinstance(owner, Sequence) and owner.vague
    if isinstance(item, slice):
        if isinstance(item.start, Unknown) or vague:
            return Sequence(list(items), vague=True)
        part = items[item]
        return tuple(part) if isinstance(owner, tuple) else Sequence(part)
    if isinstance(item, int) and not vague:
        if -len(items) <= item < len(items):
            return items[item]
        raise Raised(Raising("IndexError"), fails=True)
    if not items:
        return Unknown()
    if vague and isinstance(item, int) and not isinstance(item, bool) and 0 <= item < len(items):
        return items[item]
    return _one_of(run, items)


def store_item(run: Run, owner: Value, item: Value, value: Value) -> None:
    """``owner[item] = value``."""
    if isinstance(item, Unknown):
        item = run.equals.get(item, item)
    if isinstance(owner, Table):
        if isinstance(item, (Sequence, Table, slice)):
            raise run.lost("a key is not known")
        owner.vague |= isinstance(item, Unknown)
        owner.items[item] = value
        run.wrote(owner, item, value)
    elif isinstance(owner, Sequence):
        if isinstance(item, int) and -len(owner.items) <= item < len(owner.items):
            owner.items[item] = value
        else:
            owner.items.append(value)
            owner.vague = True
        run.wrote(owner, None, value)
    elif isinstance(owner, Instance):
        run.call(run.attribute(owner, "__setitem__"), item, value)
    else:
        setter = getattr(owner, "set_item", None)
        if setter is not None:
            setter(item, value)
            return
        reason = run.libraries.must_not_see(value)
        if reason:
            raise run.lost(f"an item of {shape(owner)} is set: {reason}")


def unpacked(run: Run, value: Value, count: int, *, exact: bool = True) -> list[Value]:
    """The `count` values that `value` is unpacked to."""
    value = fields_of(value)
    if isinstance(value, (tuple, Sequence)):
        items = list(value) if isinstance(value, tuple) else value.items
        if len(items) == count or (not exact and len(items) >= count):
            return items
        if isinstance(value, Sequence) and value.vague:
            return [_one_of(run, items) if items else Unknown() for _ in range(count)]
        raise Raised(Raising("ValueError"), fails=True)
    if isinstance(value, Generator):
        return unpacked(run, tuple(run.items(value)), count, exact=exact)
    if isinstance(value, Table):
        return unpacked(run, tuple(value.items), count, exact=exact)
    of = getattr(value, "item", None)
    if of is not None and not isinstance(value, PLAIN):
        return [of(number) for number in range(count)]
    if isinstance(value, (Unknown, External)):
        return [Unknown() for _ in range(count)]
    if isinstance(value, PLAIN):
        if isinstance(value, str) and len(value) == count:
            return list(value)
        raise Raised(Raising("TypeError"), fails=True)
    if isinstance(value, Instance) or hasattr(value, "iterated"):
        return unpacked(run, tuple(run.items(value)), count, exact=exact)
    raise run.lost(f"{shape(value)} is unpacked")


def items_of(run: Run, value: Value) -> Iterator[Value]:
    """What iterating over a value gives: all items, or two of them where nobody knows how many."""
    if isinstance(value, Unknown):
        value = run.equals.get(value, value)
    value = fields_of(value)
    if isinstance(value, tuple):
        yield from value
    elif isinstance(value, Sequence):
        yield from _at_most(run, value)
    elif isinstance(value, Table):
        yield from list(value.items)
    elif isinstance(value, Generator):
        yield from value.waiting
    elif isinstance(value, str):
        yield from value
    elif isinstance(value, Instance):
        yield from _by_protocol(run, value)
    elif hasattr(value, "iterated") and not isinstance(value, PLAIN):
        yield from value.iterated()
    elif isinstance(value, (Unknown, External)):
        yield Unknown()
        yield Unknown()
    elif isinstance(value, PLAIN):
        raise Raised(Raising("TypeError"), fails=True)
    else:
        raise run.lost(f"{shape(value)} is gone through")


def _at_most(run: Run, value: Sequence) -> Iterator[Value]:
    index = 0
    while index < len(value.items):
        if index > _MOST_ITEMS:
            raise run.lost("a list is longer than is looked at")
        yield value.items[index]
        index += 1


def _by_protocol(run: Run, value: Instance) -> Iterator[Value]:
    over = run.call(run.attribute(value, "__iter__"))
    if not isinstance(over, Instance):
        yield from items_of(run, over)
        return
    while True:
        try:
            yield run.call(run.attribute(over, "__next__"))
        except Raised as raised:
            if isinstance(raised.value, Raising) and raised.value.kind == "StopIteration":
                return
            raise
