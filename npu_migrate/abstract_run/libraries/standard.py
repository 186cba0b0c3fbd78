"""The standard library, absl's flags, and which other libraries cannot change anything that matters."""

from __future__ import annotations

from npu_migrate.abstract_run.libraries.tables import Models, given
from npu_migrate.abstract_run.libraries.world import World
from npu_migrate.abstract_run.machine.run import Raised
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Class,
    External,
    Generator,
    Native,
    Partial,
    Raising,
    Sequence,
    Table,
    Unknown,
    Value,
)

_HARMLESS = (
    "numpy.",
    "math.",
    "random.",
    "time.",
    "datetime.",
    "os.path.",
    "os.getcwd",
    "os.environ",
    "os.listdir",
    "os.getenv",
    "glob.",
    "logging.",
    "json.loads",
    "json.dumps",
    "re.",
    "itertools.",
    "collections.",
    "string.",
    "copy.",
    "operator.",
    "warnings.",
    "sys.",
    "platform.",
    "multiprocessing.cpu_count",
    "absl.logging.",
    "tqdm.",
    "six.",
    "builtins.",
    "argparse.",
    "threading.Lock",
)


_WRITING = ("numpy.save", "numpy.memmap", "numpy.lib.format.")


def is_harmless(name: str) -> bool:
    """Whether a function of a library touches no file."""
    return name.startswith(_HARMLESS) and not name.startswith(_WRITING)


# -- flags and arguments ------------------------------------------------------------------------------


class Flags:
    """``FLAGS``: each flag has one value, which nobody knows."""

    def __init__(self, world: World) -> None:
        self.world = world

    def attribute(self, name: str) -> Value:
        """The value of a flag."""
        if name in ("__call__", "mark_as_parsed", "parse", "_parse_flags"):
            return Native(name, lambda _: None)
        if name in ("flag_values_dict", "__flags"):
            return Native(name, lambda _: Unknown("flags"))
        return self.world.flags.setdefault(name, Unknown(f"flag {name}"))

    def item(self, item: Value) -> Value:
        """``FLAGS["name"]``."""
        return Unknown("a flag")

    def called(self, arguments: Arguments) -> Value:
        """``FLAGS(sys.argv)``."""
        return Sequence([Unknown("an argument")], vague=True)

    def set_attribute(self, name: str, value: Value) -> None:
        """``FLAGS.name = value``."""
        self.world.flags[name] = value
        self.world.run.version += 1


def _define(world: World, arguments: Arguments) -> Value:
    name = given(world, arguments, "name", 0)
    if isinstance(name, str) and name not in world.flags:
        world.flags[name] = Unknown(f"flag {name}")
    return None


class Parser:
    """An ``ArgumentParser``: what it parses are values that nobody knows."""

    def attribute(self, name: str) -> Value:
        """A method."""
        if name == "parse_args":
            return Native(name, lambda _: Parsed())
        if name == "parse_known_args":
            return Native(name, lambda _: (Parsed(), Sequence([Unknown("an argument")], vague=True)))
        if name in ("add_argument_group", "add_mutually_exclusive_group", "add_parser", "add_subparsers"):
            return Native(name, lambda _: self)
        return Native(name, lambda _: Unknown(name))


class Parsed:
    """Parsed arguments."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}

    def attribute(self, name: str) -> Value:
        """The value of an argument."""
        return self.values.setdefault(name, Unknown(f"argument {name}"))

    def set_attribute(self, name: str, value: Value) -> None:
        """``args.name = value``."""
        self.values[name] = value


def _parser(world: World, arguments: Arguments) -> Value:
    return Parser()


def _app_run(world: World, arguments: Arguments) -> Value:
    """``tf.app.run(main)``: calls `main` with what is left of the command line, and exits."""
    main = given(world, arguments, "main", 0)
    run = world.run
    if main is None:
        main = run.modules[run.main].frame.names.get("main")
    run.call(main, Sequence([Unknown("an argument")], vague=True))
    raise Raised(Raising("SystemExit"))


# -- functools, collections ---------------------------------------------------------------------------


def _partial(world: World, arguments: Arguments) -> Value:
    function, *positional = arguments.positional
    return Partial(function, Arguments(positional, arguments.keywords, arguments.vague))


def _same(world: World, arguments: Arguments) -> Value:
    return arguments.positional[0]


def _wraps(world: World, arguments: Arguments) -> Value:
    return Native("wraps", lambda given_: given_.positional[0])


def _memoized(world: World, arguments: Arguments) -> Value:
    """``functools.lru_cache``: each choice of arguments is worked out once."""
    if arguments.positional and not isinstance(arguments.positional[0], (int, type(None))):
        return _remembering(world, arguments.positional[0])
    return Native("lru_cache", lambda given_: _remembering(world, given_.positional[0]))


def _remembering(world: World, function: Value) -> Value:
    known: dict[tuple[Value, ...], Value] = {}

    def called(arguments: Arguments) -> Value:
        question = (*arguments.positional, *arguments.keywords.items())
        if any(isinstance(one, Unknown) for one in arguments.positional):
            raise world.run.lost("it is not known whether a remembered answer is given")
        if question not in known:
            known[question] = world.run.doors.call(world.run, function, arguments)
            world.run.version += 1
        return known[question]

    return Native("remembering", called)


def _named_tuple(world: World, arguments: Arguments) -> Value:
    name, fields = arguments.positional[:2]
    if isinstance(fields, str):
        names: tuple[Value, ...] = tuple(fields.replace(",", " ").split())
    else:
        items = fields.items if isinstance(fields, Sequence) else fields
        names = tuple(items) if isinstance(items, (list, tuple)) else ()
    if not names or not all(isinstance(one, str) for one in names):
        raise world.run.lost("the fields of a named tuple are not known")
    made = Class(str(name), world.run.frame.module, (), {"_fields": names})
    made.order = (made, External("builtins.tuple"))
    return made


def _default_dict(world: World, arguments: Arguments) -> Value:
    factory = arguments.positional[0] if arguments.positional else None
    return Table({}, default=factory)


def _ordered(world: World, arguments: Arguments) -> Value:
    return world.run.call(External("builtins.dict"), *arguments.positional, **arguments.keywords)


def _copy(world: World, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if isinstance(value, Sequence):
        return Sequence(list(value.items), value.vague, value.kind)
    if isinstance(value, Table):
        return Table(dict(value.items), value.vague)
    reason = world.run.libraries.must_not_see(value)
    if reason:
        raise world.run.lost(f"an object is copied: {reason}")
    return value


def _count(world: World, arguments: Arguments) -> Value:
    return Generator(Unknown("a number") for _ in range(64))


def _chain(world: World, arguments: Arguments) -> Value:
    return Sequence([item for one in arguments.positional for item in world.run.items(one)], arguments.vague)


class Thread:
    """A thread. What it does is seen where it starts, which is as early as it can be."""

    def __init__(self, world: World, target: Value, arguments: Arguments) -> None:
        self.world = world
        self.target = target
        self.arguments = arguments

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        return Native(name, lambda _: self._start() if name == "start" else Unknown(name))

    def set_attribute(self, name: str, value: Value) -> None:
        """``thread.daemon = True``."""

    def _start(self) -> Value:
        run = self.world.run
        self.world.beside += 1
        try:
            if self.target is not None:
                run.doors.call(run, self.target, self.arguments)
        except Raised as raised:
            # An error ends the thread, and nobody else hears of it.
            if raised.fails:
                raise
        finally:
            self.world.beside -= 1
        return None


def _thread(world: World, arguments: Arguments) -> Value:
    positional = given(world, arguments, "args", 3)
    keywords = given(world, arguments, "kwargs", 4)
    items = positional.items if isinstance(positional, Sequence) else positional
    are_known = isinstance(items, (list, tuple, type(None))) and isinstance(keywords, (Table, type(None)))
    if arguments.vague or not are_known:
        raise world.run.lost("it is not known what a thread is given")
    named = {str(key): value for key, value in keywords.items.items()} if isinstance(keywords, Table) else {}
    return Thread(
        world,
        given(world, arguments, "target", 1),
        Arguments([*items] if isinstance(items, (list, tuple)) else [], named),
    )


def _exit(world: World, arguments: Arguments) -> Value:
    raise Raised(Raising("SystemExit"))


_DEFINED = (
    "string",
    "integer",
    "float",
    "boolean",
    "bool",
    "enum",
    "list",
    "multi_integer",
    "multi_string",
    "spaceseplist",
)
_FLAG_HOMES = ("tensorflow.flags", "tensorflow.app.flags", "absl.flags")

STANDARD: Models = {
    **{f"{home}.DEFINE_{kind}": _define for home in _FLAG_HOMES for kind in _DEFINED},
    "argparse.ArgumentParser": _parser,
    "tensorflow.app.run": _app_run,
    "absl.app.run": _app_run,
    "functools.partial": _partial,
    "threading.Thread": _thread,
    "functools.wraps": _wraps,
    "functools.update_wrapper": _same,
    "functools.lru_cache": _memoized,
    "functools.cache": _memoized,
    "collections.namedtuple": _named_tuple,
    "collections.OrderedDict": _ordered,
    "collections.defaultdict": _default_dict,
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "itertools.count": _count,
    "itertools.chain": _chain,
    "six.moves.range": lambda world, arguments: world.run.call(
        External("builtins.range"), *arguments.positional
    ),
    "six.moves.xrange": lambda world, arguments: world.run.call(
        External("builtins.range"), *arguments.positional
    ),
    "six.moves.zip": lambda world, arguments: world.run.call(External("builtins.zip"), *arguments.positional),
    "sys.exit": _exit,
    "builtins.exit": _exit,
    "builtins.quit": _exit,
    "os._exit": _exit,
}


def constant(world: World, name: str) -> Value | None:
    """A constant of a library that means something."""
    if name.endswith((".flags.FLAGS", ".FLAGS")) and name.partition(".")[0] in ("tensorflow", "absl"):
        return Flags(world)
    if name == "sys.argv":
        return Sequence([Unknown("an argument")], vague=True)
    return None
