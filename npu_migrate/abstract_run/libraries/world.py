"""The objects of TensorFlow: graphs, tensors, variables, datasets, iterators, sessions.

Of a tensor only that counts which happens when it is fetched: its effects. These are no tuples, which would
be equal to others with the same members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Iterator as Iter
from dataclasses import dataclass, field
from typing import Protocol

from npu_migrate.abstract_run.libraries.sizes import Size, size_given
from npu_migrate.abstract_run.log import DEFAULT, Made
from npu_migrate.abstract_run.machine.run import Raised, Run
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Frame,
    Instance,
    Native,
    Raising,
    Sequence,
    Table,
    Unknown,
    Value,
)


@dataclass(frozen=True, slots=True)
class Get:
    """The next element of an iterator is taken."""

    iterator: Iterator


@dataclass(frozen=True, slots=True)
class GetBy:
    """The next element of that iterator is taken whose handle is fed for `handle`."""

    handle: Tensor


@dataclass(frozen=True, slots=True)
class Start:
    """An iterator starts, over a dataset."""

    iterator: Iterator
    dataset: Dataset | None


@dataclass(frozen=True, slots=True, order=True)
class Assign:
    """Variables are assigned; `harmless` if the device's own initial value, 0, is what they get."""

    what: str
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class Calls:
    """A function of the program is called (``tf.py_func``)."""

    function: Value
    inputs: int


@dataclass(frozen=True, slots=True)
class Reads:
    """A file is read, or looked for, as the graph runs."""


@dataclass(frozen=True, slots=True)
class Acts:
    """Something is done that can be seen from outside: a line is printed, a queue or a file changes."""

    what: str


@dataclass(frozen=True, slots=True)
class Writes:
    """A file is written as the graph runs."""


@dataclass(frozen=True, slots=True)
class Needs:
    """A placeholder has to be fed."""

    placeholder: Tensor


Effect = Get | GetBy | Start | Assign | Calls | Reads | Acts | Needs | Writes
Effects = frozenset[Effect]
NOTHING: Effects = frozenset()

_PLAIN_ATTRIBUTES = frozenset(
    {"shape", "dtype", "name", "device", "ndim", "get_shape", "value_index", "values_shape", "vocab_size"}
)


class Tensor:
    """A tensor, an op, or anything else that TensorFlow makes of tensors."""

    is_closed = False
    truth = None

    def __init__(self, world: World, effects: Effects, origin: str = "") -> None:
        self.world = world
        self.effects = effects
        self.origin = origin
        self.handle_of: Iterator | None = None

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        if name in _PLAIN_ATTRIBUTES:
            return Unknown(name)
        if name == "op":
            return self
        if name == "graph":
            return self.world.graph
        found = self.world.method(self, name)
        return found if found is not None else self

    def called(self, arguments: Arguments) -> Value:
        """What calling it gives: another one, which depends on the arguments too."""
        return self.world.plain(f"{self.origin}()", arguments, self.effects)

    def combined(self, operands: Iterable[Value]) -> Value:
        """The result of an operation."""
        return self.world.tensor(*operands)

    def item(self, item: Value) -> Value:
        """``self[item]``."""
        return self

    def set_item(self, item: Value, value: Value) -> None:
        """``self[item] = value``."""
        self.effects |= self.world.effects_of(value)

    def set_attribute(self, name: str, value: Value) -> None:
        """``self.name = value``."""
        self.effects |= self.world.effects_of(value)

    def iterated(self) -> Iter[Value]:
        """Some of its parts."""
        yield self
        yield self

    def enter(self) -> Value:
        """Scopes and writers are context managers."""
        return self

    def leave(self) -> None:
        """The end of a ``with`` block."""


class Variable(Tensor):
    """A variable; `initializer` is the op that gives it its first value."""

    def __init__(self, world: World, initial: Effects, *, harmless: bool) -> None:
        super().__init__(world, NOTHING, "variable")
        self.label = f"variable {world.run.number('variable')}"
        self.initial = initial
        self.harmless = harmless

    def assigned(self, *values: Value) -> Tensor:
        """The op that assigns to it."""
        found = self.world.tensor(*values)
        found.effects |= {Assign(self.label)}
        return found

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        if name == "initializer":
            return Tensor(self.world, self.initial | {Assign(self.label, self.harmless)})
        if name in ("initialized_value", "initial_value"):
            return Native(name, lambda _: Tensor(self.world, self.initial))
        if name.startswith(("assign", "scatter_")):
            return Native(name, lambda arguments: self.assigned(*arguments.positional))
        return super().attribute(name)


class Dataset:
    """A dataset.

    `size`: whether the sizes that its parts were given are positive; no iterator can be started over it if
    one is not.
    """

    def __init__(self, world: World, effects: Effects, size: Size = Size.RIGHT) -> None:
        self.world = world
        self.number = world.run.number("dataset")
        self.effects = effects
        self.size = size

    @property
    def reads_at_once(self) -> bool:
        """Whether starting an iterator over it already looks at files."""
        return Reads() in self.effects

    def attribute(self, name: str) -> Value:
        """An attribute, or a method: all but a few make another dataset."""
        if name == "make_one_shot_iterator":
            return Native(name, lambda _: self.world.iterator(self, one_shot=True))
        if name == "make_initializable_iterator":
            return Native(name, lambda _: self.world.iterator(self, one_shot=False))
        if name.startswith(("output_", "element_spec", "_")):
            return Unknown(name)
        if name == "apply":
            return Native(name, self._applied)
        if name in ("reduce", "get_single_element"):
            return Native(name, lambda arguments: self.world.tensor(self, *arguments.positional))
        return Native(name, lambda arguments: self.derived(arguments, name))

    def derived(self, arguments: Arguments, method: str = "") -> Value:
        """The dataset that a method makes."""
        others = [*arguments.positional, *arguments.keywords.values()]
        return Dataset(
            self.world,
            self.effects | self.world.effects_of(*others),
            max(self.size, size_given(method, arguments)),
        )

    def _applied(self, arguments: Arguments) -> Value:
        function = arguments.positional[0] if arguments.positional else None
        if isinstance(function, (Tensor, Unknown)):
            return self.derived(arguments)
        return self.world.run.call(function, self)

    def iterated(self) -> Iter[Value]:
        """Only eager code does this."""
        raise Raised(Raising("RuntimeError"), fails=True)


class Iterator:
    """An iterator of a graph, over `dataset` unless it is started over others."""

    def __init__(self, world: World, dataset: Dataset | None, *, one_shot: bool) -> None:
        self.world = world
        self.dataset = dataset
        self.one_shot = one_shot
        self.number = world.run.number("iterator")
        self.graph = world.graph
        self.around = world.graph.around()
        self.place = world.run.place()
        world.run.log.made_at.add(self.place)
        world.run.log.seen.iterators[self.number] = Made(world.run.stack(), world.readable_sessions())

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        if name == "get_next":
            return Native(name, lambda _: self.next())
        if name == "_initializer" and self.one_shot:
            return None
        if name in ("initializer", "_initializer"):
            if self.one_shot or self.dataset is None:
                raise Raised(Raising("ValueError"), fails=True)
            return self.start(self.dataset)
        if name == "make_initializer":
            return Native(name, lambda arguments: self.start(_only_dataset(arguments)))
        if name == "string_handle":
            return Native(name, lambda _: self._handle())
        if name.startswith(("output_", "element_spec", "_iterator_resource", "name")):
            return Unknown(name)
        raise self.world.run.lost(f"`{name}` of an iterator is not known")

    def next(self) -> Tensor:
        """The tensors of the next element."""
        made = self.world.tensor(check="an element of an iterator is asked for")
        made.effects |= self.around | {Get(self)}
        self.graph.taken |= made.effects
        return made

    def start(self, dataset: Dataset | None) -> Tensor:
        """The op that starts it."""
        inside = dataset.effects if dataset is not None else NOTHING
        return Tensor(self.world, self.around | inside | {Start(self, dataset)})

    def _handle(self) -> Tensor:
        made = Tensor(self.world, self.around)
        made.handle_of = self
        return made


def _only_dataset(arguments: Arguments) -> Dataset | None:
    values = [*arguments.positional, *arguments.keywords.values()]
    return next((one for one in values if isinstance(one, Dataset)), None)


class HandleIterator:
    """An iterator that another one stands for, which is fed."""

    def __init__(self, world: World, handle: Tensor) -> None:
        self.world = world
        self.handle = handle

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        if name == "get_next":
            return Native(name, lambda _: self._next())
        return Unknown(name)

    def _next(self) -> Tensor:
        made = Tensor(self.world, self.handle.effects | {GetBy(self.handle)})
        self.world.graph.taken |= made.effects
        return made


class Handle:
    """The handle of an iterator, as it is fed."""

    def __init__(self, iterator: Iterator) -> None:
        self.iterator = iterator

    def attribute(self, name: str) -> Value:
        """Nothing that is known."""
        return Unknown(name)


class Graph:
    """A graph: its collections, the control dependencies in force, and whether it is finalized.

    `taken` is what all elements bring about that are taken from iterators in it, `queued` what its queue
    runners do once they are started.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.number = world.run.number("graph")
        self.collections: dict[Value, Sequence] = {}
        self.variables: list[Variable] = []
        self.control: list[Effects] = []
        self.finalized = False
        self.has_iterators = False
        self.has_initializable = False
        self.queued: Effects = NOTHING
        self.taken: Effects = NOTHING

    def around(self) -> Effects:
        """What runs before every op that is made now."""
        return frozenset[Effect]().union(*self.control)

    def collection(self, key: Value) -> Sequence:
        """A collection, which is made when it is first asked for."""
        found = self.collections.get(key)
        if found is None:
            found = self.collections[key] = Sequence([])
        return found

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        return self.world.graph_attribute(self, name)

    def enter(self) -> Value:
        """``with graph.as_default()``."""
        self.world.graphs.append(self)
        return self

    def leave(self) -> None:
        """The end of that block."""
        self.world.leave_graph()


@dataclass(eq=False)
class Block:
    """A context manager that pushes something, and pops it in the end."""

    push: Callable[[], Value]
    pop: Callable[[], object]

    def enter(self) -> Value:
        """The start of the block."""
        return self.push()

    def leave(self) -> None:
        """The end of the block."""
        self.pop()


class OpenSession(Protocol):
    """What the world knows of a session."""

    number: int
    closed: bool
    graph: Graph


def _spelled_in(frame: Frame, session: object) -> str | None:
    """A name, or an attribute of an object with a name, that is the session in a frame."""
    for names in (frame.names, frame.module.frame.names):
        for name, value in names.items():
            if value is session:
                return name
            if isinstance(value, Instance):
                for attribute, held in (*value.fields.items(), *value.cls.names.items()):
                    if held is session:
                        return f"{name}.{attribute}"
    return None


@dataclass(eq=False)
class World:
    """What is global in TensorFlow; the graph at the bottom of the stack is the default one.

    `outside` counts what may have changed files, `beside` the threads around what runs, and `exported` tells
    that a graph with an iterator has left the program. The library sets the functions: `method` finds the
    methods of tensors, `plain` calls a function that has no model, `graph_attribute` is for graphs.
    """

    run: Run
    method: Callable[[Tensor, str], Value | None] = lambda _tensor, _name: None
    plain: Callable[[str, Arguments, Effects], Value] = lambda _name, _arguments, _effects: None
    graph_attribute: Callable[[Graph, str], Value] = lambda _graph, _name: None
    graphs: list[Graph] = field(default_factory=list)
    sessions: list[object] = field(default_factory=list)
    opened: list[OpenSession] = field(default_factory=list)
    flags: dict[str, Value] = field(default_factory=dict)
    outside: int = 0
    beside: int = 0
    exported: bool = False
    functions: int = 0
    keras: dict[Graph, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.graphs.append(Graph(self))

    @property
    def graph(self) -> Graph:
        """The default graph."""
        return self.graphs[-1]

    def readable_sessions(self) -> tuple[tuple[int, str | None], ...]:
        """The open sessions of the default graph, with what reads each of them at this place."""
        frame = self.run.frame
        return tuple(
            (one.number, DEFAULT if self.sessions[-1:] == [one] else _spelled_in(frame, one))
            for one in self.opened
            if not one.closed and one.graph is self.graph
        )

    def leave_graph(self) -> None:
        """The default graph is what it was before. A program may leave by hand what it has not entered."""
        if len(self.graphs) == 1:
            raise self.run.lost("a graph is left that was not entered")
        self.graphs.pop()

    def leave_session(self) -> None:
        """The default session and its graph are what they were before."""
        if not self.sessions:
            raise self.run.lost("a session is left that was not entered")
        self.sessions.pop()
        self.leave_graph()

    def effects_of(self, *values: Value) -> Effects:
        """What happens when one of some values, or of what they consist of, is fetched."""
        found: set[Effect] = set()
        stack = list(values)
        seen = 0
        while stack and seen < 400:
            value = stack.pop()
            seen += 1
            if isinstance(value, (Tensor, Dataset)):
                found |= value.effects
            elif isinstance(value, tuple):
                stack.extend(value)
            elif isinstance(value, Sequence):
                stack.extend(value.items)
            elif isinstance(value, Table):
                stack.extend(value.items.values())
        return frozenset(found)

    def tensor(self, *values: Value, check: str = "") -> Tensor:
        """A new op on some values, in the default graph. With `check`, a finalized graph refuses it."""
        if check and self.graph.finalized:
            self.run.fault("finalized", f"{check}, but the graph is finalized", check)
            raise Raised(Raising("RuntimeError"), fails=True)
        return Tensor(self, self.effects_of(*values) | self.graph.around())

    def iterator(self, dataset: Dataset | None, *, one_shot: bool) -> Iterator:
        """A new iterator in the default graph."""
        if self.graph.finalized:
            self.run.fault("finalized", "an iterator is made, but the graph is finalized")
            raise Raised(Raising("RuntimeError"), fails=True)
        self.graph.has_iterators = True
        self.graph.has_initializable |= not one_shot
        made = Iterator(self, dataset, one_shot=one_shot)
        self.run.event("iterator", "an iterator is made", made.number, dataset.number if dataset else 0)
        if self.functions and not one_shot:
            self.run.fault("function", "the iterator is made in a function that becomes a graph of its own")
        return made
