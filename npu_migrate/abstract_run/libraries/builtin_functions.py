"""Python's built-in functions, and the methods of lists, dicts and texts."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping

from npu_migrate.abstract_run.libraries.container_methods import all_items, updated
from npu_migrate.abstract_run.libraries.world import World
from npu_migrate.abstract_run.machine.attributes import has_attribute, inherited_by_super, set_attribute
from npu_migrate.abstract_run.machine.containers import fields_of
from npu_migrate.abstract_run.machine.operations import known_truth
from npu_migrate.abstract_run.machine.run import Raised
from npu_migrate.abstract_run.machine.values import (
    A_LENGTH,
    PLAIN,
    Arguments,
    Class,
    Descriptor,
    External,
    Function,
    Generator,
    Instance,
    Method,
    Native,
    Partial,
    Raising,
    Sequence,
    Table,
    Unknown,
    Value,
)

_LONGEST_RANGE = 64

Builtin = Callable[[World, Arguments], Value]


def _nothing(world: World, arguments: Arguments) -> Value:
    return None


def _length(world: World, arguments: Arguments) -> Value:
    value = fields_of(arguments.positional[0])
    if isinstance(value, (str, bytes, tuple)):
        return len(value)
    if isinstance(value, (Sequence, Table)):
        return Unknown(A_LENGTH) if value.vague else len(value.items)
    if isinstance(value, Instance):
        return world.run.call(world.run.attribute(value, "__len__"))
    return Unknown(A_LENGTH)


def _range(world: World, arguments: Arguments) -> Value:
    bounds = arguments.positional
    if bounds and all(isinstance(one, int) for one in bounds):
        whole = range(*(one for one in bounds if isinstance(one, int)))
        return Sequence(list(whole[:_LONGEST_RANGE]), vague=len(whole) > _LONGEST_RANGE)
    return Unknown("a range")


def _zip(world: World, arguments: Arguments) -> Value:
    vague = arguments.vague
    columns = []
    for one in arguments.positional:
        items, open_ = all_items(world, one)
        vague = vague or open_
        columns.append(items)
    if any(isinstance(one, Generator) for one in arguments.positional):
        world.run.version += 1
    return Sequence([tuple(row) for row in zip(*columns, strict=False)], vague)


def _enumerate(world: World, arguments: Arguments) -> Value:
    source = arguments.positional[0]
    start = arguments.positional[1] if len(arguments.positional) > 1 else arguments.keywords.get("start", 0)
    first = start if isinstance(start, int) else 0
    if isinstance(source, Generator):
        return Generator((number, item) for number, item in enumerate(source.waiting, first))
    items, vague = all_items(world, source)
    known = not vague and isinstance(start, int)
    return Sequence(
        [(number if known else Unknown("a number"), item) for number, item in enumerate(items, first)], vague
    )


def _list(world: World, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Sequence([])
    items, vague = all_items(world, arguments.positional[0])
    return Sequence(items, vague)


def _tuple(world: World, arguments: Arguments) -> Value:
    if not arguments.positional:
        return ()
    items, vague = all_items(world, arguments.positional[0])
    return Sequence(items, vague=True) if vague else tuple(items)


def _sorted(world: World, arguments: Arguments) -> Value:
    items, vague = all_items(world, arguments.positional[0])
    texts = [one for one in items if isinstance(one, str)]
    if len(texts) == len(items) and not arguments.keywords:
        return Sequence([*sorted(texts)], vague)
    return Sequence(items, vague)


def _reversed(world: World, arguments: Arguments) -> Value:
    items, vague = all_items(world, arguments.positional[0])
    return Sequence(items[::-1], vague)


def _dict(world: World, arguments: Arguments) -> Value:
    table = Table({}, arguments.vague)
    for source in arguments.positional[:1]:
        updated(table, world, source)
    table.items.update(arguments.keywords)
    return table


def _map(world: World, arguments: Arguments) -> Value:
    function, *sources = arguments.positional
    if len(sources) == 1 and isinstance(sources[0], Generator):
        waiting = sources[0].waiting
        return Generator(world.run.call(function, item) for item in waiting)
    columns = [all_items(world, source) for source in sources]
    rows = list(zip(*(items for items, _ in columns), strict=False))
    vague = any(open_ for _, open_ in columns)
    return (
        Generator(iter([world.run.call(function, *row) for row in rows]))
        if not vague
        else Sequence([world.run.call(function, *row) for row in rows], vague=True)
    )


def _filter(world: World, arguments: Arguments) -> Value:
    items, vague = all_items(world, arguments.positional[1])
    kept = []
    for item in items:
        function = arguments.positional[0]
        test = item if function is None else world.run.call(function, item)
        known = known_truth(world.run, test)
        vague = vague or known is None
        if known is not False:
            kept.append(item)
    return Sequence(kept, vague)


def _next(world: World, arguments: Arguments) -> Value:
    source = arguments.positional[0]
    if isinstance(source, Generator):
        world.run.version += 1
        for item in source.waiting:
            return item
        if len(arguments.positional) > 1:
            return arguments.positional[1]
        raise Raised(Raising("StopIteration"))
    if isinstance(source, Instance):
        return world.run.call(world.run.attribute(source, "__next__"))
    reason = world.run.libraries.must_not_see(source)
    if reason:
        raise world.run.lost(f"`next` of something that is not known: {reason}")
    return Unknown()


def _iter(world: World, arguments: Arguments) -> Value:
    source = arguments.positional[0]
    if isinstance(source, (Generator, Unknown)) or (
        isinstance(source, Instance) and len(arguments.positional) == 1
    ):
        return (
            source
            if not isinstance(source, Instance)
            else world.run.call(world.run.attribute(source, "__iter__"))
        )
    if len(arguments.positional) > 1:
        raise world.run.lost("`iter` with two arguments is not followed")
    return Generator(world.run.items(source))


def _folded(world: World, arguments: Arguments) -> Value:
    """``sum``, ``min``, ``max``, ``any``, ``all``: go through everything."""
    items, _ = (
        all_items(world, arguments.positional[0])
        if len(arguments.positional) == 1
        else (
            arguments.positional,
            False,
        )
    )
    modelled = next((one for one in items if hasattr(one, "combined")), None)
    if modelled is not None:
        value: Value = modelled.combined(items)
        return value
    if any(isinstance(one, Unknown) and one.what == A_LENGTH for one in items):
        return Unknown(A_LENGTH)
    return Unknown()


def _extreme(choose: Callable[..., int]) -> Builtin:
    """``min`` or ``max``, of numbers that are known."""

    def model(world: World, arguments: Arguments) -> Value:
        numbers = [one for one in arguments.positional if isinstance(one, int)]
        if len(numbers) > 1 and len(numbers) == len(arguments.positional):
            return choose(numbers)
        return _folded(world, arguments)

    return model


def _isinstance(world: World, arguments: Arguments) -> Value:
    value, wanted = arguments.positional[:2]
    choices = wanted if isinstance(wanted, tuple) else (wanted,)
    answers = [_is_one(value, one) for one in choices]
    if True in answers:
        return True
    return Unknown("whether it is one") if None in answers else False


def _is_one(value: Value, wanted: Value) -> bool | None:
    if isinstance(value, Instance):
        return wanted in value.cls.order if isinstance(wanted, (Class, External)) else None
    if isinstance(wanted, Class):
        return None if isinstance(value, Unknown) else False
    if not isinstance(wanted, External) or isinstance(value, Unknown):
        return None
    short = wanted.name.rpartition(".")[2]
    kind = getattr(builtins, short, None)
    if isinstance(value, PLAIN) and isinstance(kind, type):
        return isinstance(value, kind)
    if isinstance(value, tuple):
        return short in ("tuple", "Iterable", "Sequence")
    if isinstance(value, Sequence):
        return short in (value.kind, "Iterable", "Sequence")
    if isinstance(value, Table):
        return short in ("dict", "Mapping", "Iterable")
    if isinstance(kind, type):
        return False
    named = {"Dataset": "Dataset", "Iterator": "Iterator", "Tensor": "Tensor", "Session": "Session"}
    if short in named and type(value).__name__ in named.values():
        return type(value).__name__ == named[short]
    return None


def _hasattr(world: World, arguments: Arguments) -> Value:
    owner, name = arguments.positional[:2]
    if not isinstance(name, str):
        return Unknown("whether it has an attribute")
    found = has_attribute(world.run, owner, name)
    return Unknown("whether it has an attribute") if found is None else found


def _getattr(world: World, arguments: Arguments) -> Value:
    owner, name = arguments.positional[:2]
    if not isinstance(name, str):
        reason = world.run.libraries.must_not_see(owner)
        if reason:
            raise world.run.lost("it is not known which attribute is asked for")
        return Unknown()
    try:
        return world.run.attribute(owner, name)
    except Raised:
        if len(arguments.positional) > 2:
            return arguments.positional[2]
        raise


def _setattr(world: World, arguments: Arguments) -> Value:
    owner, name, value = arguments.positional[:3]
    if not isinstance(name, str):
        raise world.run.lost("it is not known which attribute is set")
    set_attribute(world.run, owner, name, value)
    return None


def _super(world: World, arguments: Arguments) -> Value:
    frame = world.run.frame
    current = frame
    while current.owner is None and current.outer is not None:
        current = current.outer
    owner, receiver = current.owner, current.first
    if arguments.positional and isinstance(arguments.positional[0], Class):
        owner = arguments.positional[0]
        receiver = arguments.positional[1] if len(arguments.positional) > 1 else receiver
    if owner is None:
        raise world.run.lost("`super` is used where no class is known")
    return _Super(world, owner, receiver)


class _Super:
    """What ``super()`` gives."""

    def __init__(self, world: World, owner: Class, receiver: Value) -> None:
        self.world = world
        self.owner = owner
        self.receiver = receiver

    def attribute(self, name: str) -> Value:
        """An attribute of the bases."""
        return inherited_by_super(self.world.run, self.owner, self.receiver, name)


def _locals(world: World, arguments: Arguments) -> Value:
    if arguments.positional:
        raise world.run.lost("the attributes of an object are asked for")
    return Table(dict(world.run.frame.names.items()))


def _refused(world: World, arguments: Arguments) -> Value:
    raise world.run.lost("the names of a scope or of an object are asked for")


def _type(world: World, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if isinstance(value, Instance):
        return value.cls
    return Unknown("a type")


def _property(world: World, arguments: Arguments) -> Value:
    return Descriptor("property", arguments.positional[0])


def opens_to_write(arguments: Arguments) -> bool:
    """Whether what opens a file as ``open`` does may write to it."""
    mode = arguments.positional[1] if len(arguments.positional) > 1 else arguments.keywords.get("mode", "r")
    return not isinstance(mode, str) or bool(set(mode) & set("wax+"))


def _open(world: World, arguments: Arguments) -> Value:
    world.outside += opens_to_write(arguments)
    return Unknown("a file")


def _callable(world: World, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if isinstance(value, (Function, Method, Class, Partial, Native)):
        return True
    return Unknown("whether it can be called") if isinstance(value, Unknown) else False


def _text(world: World, arguments: Arguments) -> Value:
    value = arguments.positional[0] if arguments.positional else ""
    return str(value) if isinstance(value, (str, int, float)) else Unknown("a text")


def _number(kind: type) -> Builtin:
    def convert(world: World, arguments: Arguments) -> Value:
        value = arguments.positional[0] if arguments.positional else 0
        if isinstance(value, (str, int, float)) and not arguments.keywords:
            try:
                converted: Value = kind(value)
            except (ValueError, OverflowError):
                return Unknown("a number")
            return converted
        return Unknown("a number")

    return convert


def _bool(world: World, arguments: Arguments) -> Value:
    value = arguments.positional[0] if arguments.positional else False
    known = known_truth(world.run, value)
    return Unknown("a truth") if known is None else known


BUILTINS: Mapping[str, Builtin] = {
    "print": _nothing,
    "len": _length,
    "range": _range,
    "xrange": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "list": _list,
    "set": _list,
    "frozenset": _list,
    "tuple": _tuple,
    "sorted": _sorted,
    "reversed": _reversed,
    "dict": _dict,
    "map": _map,
    "filter": _filter,
    "next": _next,
    "iter": _iter,
    "sum": _folded,
    "min": _extreme(min),
    "max": _extreme(max),
    "any": _folded,
    "all": _folded,
    "isinstance": _isinstance,
    "hasattr": _hasattr,
    "getattr": _getattr,
    "setattr": _setattr,
    "super": _super,
    "locals": _locals,
    "vars": _locals,
    "globals": _refused,
    "dir": _refused,
    "eval": _refused,
    "exec": _refused,
    "type": _type,
    "property": _property,
    "open": _open,
    "callable": _callable,
    "str": _text,
    "int": _number(int),
    "float": _number(float),
    "bool": _bool,
}


def builtin(name: str) -> Value | None:
    """What a name stands for that no scope binds; None if Python has none."""
    if (
        name in BUILTINS
        or hasattr(builtins, name)
        or name in ("xrange", "unicode", "raw_input", "basestring")
    ):
        constant = getattr(builtins, name, None)
        return constant if isinstance(constant, (bool, type(...))) else External(f"builtins.{name}")
    return None
