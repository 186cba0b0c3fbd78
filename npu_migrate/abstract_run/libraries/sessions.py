"""Sessions, and what one run of a session does: the heart of the matter."""

from __future__ import annotations

from npu_migrate.abstract_run.libraries.graph_definitions import described
from npu_migrate.abstract_run.libraries.sizes import Size
from npu_migrate.abstract_run.libraries.world import (
    NOTHING,
    Acts,
    Assign,
    Calls,
    Effect,
    Effects,
    Get,
    GetBy,
    Graph,
    Handle,
    Iterator,
    Needs,
    Start,
    Tensor,
    Variable,
    World,
    Writes,
)
from npu_migrate.abstract_run.log import Event, Opened
from npu_migrate.abstract_run.machine.run import Raised
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Instance,
    Native,
    Raising,
    Sequence,
    Table,
    Unknown,
    Value,
)

_READY = "ready"
_USED = "used"

_WRONG_SIZE = Raising("tensorflow.errors.InvalidArgumentError")
"""What starting an iterator raises whose dataset was given an impossible number, as in ``batch(0)`` [TF]."""


class Session:
    """A session of a graph: which iterators have started in it, and whether something was taken since.

    Keras opens one of its own whenever it first needs it; when that is does not matter.
    """

    def __init__(self, world: World, graph: Graph, *, kind: str = "raw") -> None:
        self.world = world
        self.graph = graph
        self.number = world.run.number("session")
        self.closed = False
        if kind == "raw":
            world.opened.append(self)
        world.run.log.seen.sessions[self.number] = Opened(world.run.stack(), kind != "raw")
        self.states: dict[Iterator, tuple[str, int, int, int]] = {}
        self.entered: list[bool] = []
        if kind != "keras":
            world.run.event("session", "a session is opened", self.number, graph.number, kind)

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        if name == "run":
            return Native(name, self.called_to_run)
        if name == "graph":
            return self.graph
        if name == "as_default":
            return Native(name, lambda _: _AsDefault(self))
        if name == "close":
            return Native(name, lambda _: self.close())
        if name == "make_callable":
            return Native(name, self._callable)
        if name == "graph_def":
            return described(self.graph)
        if name in ("sess_str", "list_devices", "_config", "_target"):
            return Native(name, lambda _: Unknown(name)) if name == "list_devices" else Unknown(name)
        if name == "_tf_sess":
            return Native(name, lambda _: self)
        if name.startswith("_") and name != "_sess":
            return Unknown(name)
        raise self.world.run.lost(f"`{name}` of a session is not followed")

    def enter(self) -> Value:
        """``with session``: it and its graph are the default ones."""
        self.world.sessions.append(self)
        self.world.graphs.append(self.graph)
        return self

    def leave(self) -> None:
        """The end of that block closes the session."""
        if self.world.sessions and self.world.sessions[-1] is self:
            self.world.leave_session()
        self.close()

    def close(self) -> None:
        """No run is possible afterwards."""
        self.closed = True
        self.world.run.version += 1

    def _callable(self, arguments: Arguments) -> Value:
        fetches = arguments.positional[0]
        return Native("callable", lambda _: self.fetch(fetches, None))

    def called_to_run(self, arguments: Arguments) -> Value:
        """``session.run(fetches, feed_dict)``."""
        if arguments.vague:
            raise self.world.run.lost("it is not known what a session runs")
        given = dict(zip(("fetches", "feed_dict"), arguments.positional, strict=False)) | arguments.keywords
        return self.fetch(given.get("fetches"), given.get("feed_dict"))

    # -- one run ---------------------------------------------------------------------------------------

    def fetch(self, fetches: Value, feeds: Value = None) -> Value:
        """The values of what is fetched. Raises `Raised` where the program fails here."""
        world = self.world
        effects, result = fetched(world, fetches)
        self.carry_out(resolved(world, effects, feeds), fed_by(feeds))
        return result

    def carry_out(self, effects: Effects, fed: frozenset[Tensor] | None = frozenset()) -> None:
        """Do what fetching brings about: elements are taken, iterators start, variables are assigned."""
        world, run = self.world, self.world.run
        if self.closed:
            raise Raised(Raising("RuntimeError"), fails=True)
        gets = sorted({one.iterator for one in effects if isinstance(one, Get)}, key=_number)
        starts = sorted(
            {one for one in effects if isinstance(one, Start)}, key=lambda one: one.iterator.number
        )
        assigns = sorted({one for one in effects if isinstance(one, Assign)})
        calls = sorted((one for one in effects if isinstance(one, Calls)), key=lambda one: one.inputs)
        self._check_graph([*gets, *(one.iterator for one in starts)])
        self._check_feeds(effects, starts, fed)
        if starts and any(not one.harmless for one in assigns):
            words = "the same run starts an iterator and assigns variables, which are 0 on the device then"
            run.fault("mixed", words, self.number)
        acts = sorted(one.what for one in effects if isinstance(one, Acts))
        if starts and acts:
            run.fault("acts", f"the iterator's initializer also runs {acts[0]}", self.number)
        taken = tuple(self._take(iterator, starts) for iterator in gets)
        for start in starts:
            self._start(start)
        if taken or assigns or calls:
            what = tuple(one.what for one in assigns)
            run.event("run", _words(taken, what), self.number, taken, what, len(calls))
        if taken and run.trying and run.fork(2, ("there are elements left", "the data ends")):
            raise Raised(Raising("tensorflow.errors.OutOfRangeError"))
        for one in calls:
            self._call(one)
        if any(isinstance(one, Writes) for one in effects):
            world.outside += 1

    def _check_graph(self, iterators: list[Iterator]) -> None:
        for iterator in iterators:
            if iterator.graph is not self.graph:
                words = "a session of another graph runs the iterator"
                self.world.run.fault("graph", words, self.number, iterator.number)
                raise Raised(Raising("ValueError"), fails=True)

    def _check_feeds(self, effects: Effects, starts: list[Start], fed: frozenset[Tensor] | None) -> None:
        if fed is None:
            return
        for one in effects:
            if isinstance(one, Needs) and starts and one.placeholder not in fed:
                words = "an iterator is started without the value that its dataset is fed with"
                self.world.run.fault("feed", words, self.number)
                raise Raised(Raising("InvalidArgumentError"), fails=True)

    def _take(self, iterator: Iterator, starts: list[Start]) -> tuple[int, int, bool]:
        """Take an element: which iterator, over which dataset, and whether it is the first one."""
        run = self.world.run
        state = self.states.get(iterator)
        run.log.taken_at.add(iterator.place)
        run.log.seen.takes.add((iterator.number, self.number))
        number = iterator.dataset.number if iterator.dataset else 0
        if state is None and iterator.one_shot and iterator.dataset and iterator.dataset.size is Size.WRONG:
            # Such an iterator starts with its first element.
            raise Raised(_WRONG_SIZE, fails=True)
        if any(start.iterator is iterator for start in starts):
            run.fault(
                "together", "one run starts an iterator and takes an element", self.number, iterator.number
            )
        if state is None and not iterator.one_shot:
            words = "an element is taken before the iterator's initializer has run in this session"
            run.fault("uninitialized", words, self.number, iterator.number)
            if not (run.trying or self.world.beside):
                run.log.fatal.append(run.log.faults[-1])
        fresh = state is None or state[0] == _READY
        if state is not None:
            number = state[1]
            at_once = iterator.dataset is not None and iterator.dataset.reads_at_once
            if at_once and fresh and state[2] != self.world.outside:
                words = "the files of the dataset are looked for before the program may have written them"
                run.fault("early", words, iterator.number)
            if at_once and fresh and run.excusing > state[3]:
                words = (
                    "the program handles that files are missing here, and the iterator looks for them before"
                )
                run.fault("excused", words, iterator.number)
        if fresh:
            self.states[iterator] = (_USED, number, 0, 0)
            run.version += 1
        run.log.unread.pop((self.number, iterator.number), None)
        return iterator.number, number, fresh

    def _start(self, start: Start) -> None:
        dataset = start.dataset
        if dataset is not None and dataset.size is Size.WRONG:
            raise Raised(_WRONG_SIZE, fails=True)
        run = self.world.run
        if dataset is not None and (dataset.reads_at_once or dataset.size is Size.MAY_BE_NONE):
            words = (
                "the files of the dataset are looked for, though nothing reads them on this path"
                if dataset.reads_at_once
                else "the iterator starts, though nothing reads from it on this path: there may be no data"
            )
            fault = Event("unread", (self.number, start.iterator.number), run.place(), words)
            run.log.unread[self.number, start.iterator.number] = fault
        number = dataset.number if dataset else 0
        state = (_READY, number, self.world.outside, run.excusing)
        if self.states.get(start.iterator) != state:
            self.states[start.iterator] = state
            run.version += 1

    def _call(self, one: Calls) -> None:
        """Run the function behind a ``tf.py_func``, which has no default session and a graph of its own."""
        world = self.world
        graphs, sessions = world.graphs, world.sessions
        world.graphs, world.sessions = [Graph(world)], []
        try:
            world.run.call(one.function, *(Unknown("a value") for _ in range(one.inputs)))
        finally:
            world.graphs, world.sessions = graphs, sessions


class _AsDefault:
    """``with session.as_default()``."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def enter(self) -> Value:
        """The session and its graph are the default ones."""
        self.session.world.sessions.append(self.session)
        self.session.world.graphs.append(self.session.graph)
        return self.session

    def leave(self) -> None:
        """They are no more."""
        self.session.world.leave_session()


def _number(iterator: Iterator) -> int:
    return iterator.number


def _words(taken: tuple[tuple[int, int, bool], ...], assigned: tuple[str, ...]) -> str:
    if any(fresh for _, _, fresh in taken):
        return "a session takes the first element of an iterator"
    if taken:
        return "a session takes an element of an iterator"
    return "a session assigns variables" if assigned else "a session calls a function"


def fetched(world: World, value: Value) -> tuple[Effects, Value]:
    """What fetching a value brings about, and what it gives. Raises where that is not known."""
    if isinstance(value, Variable):
        return NOTHING, Unknown("a value")
    if isinstance(value, Tensor):
        given: Value = Unknown("a value") if value.handle_of is None else Handle(value.handle_of)
        return value.effects, given
    if isinstance(value, Instance) and any("_fields" in getattr(c, "names", ()) for c in value.cls.order):
        effects, _ = fetched(world, tuple(value.fields.values()))
        result = Instance(value.cls, {name: Unknown(name) for name in value.fields})
        return effects, result
    if isinstance(value, (tuple, Sequence)):
        items = value if isinstance(value, tuple) else tuple(value.items)
        both = [fetched(world, item) for item in items]
        merged = frozenset[Effect]().union(*(effects for effects, _ in both))
        results = [result for _, result in both]
        if isinstance(value, tuple):
            return merged, tuple(results)
        return merged, Sequence(results, value.vague)
    if isinstance(value, Table):
        both = [fetched(world, item) for item in value.items.values()]
        merged = frozenset[Effect]().union(*(effects for effects, _ in both))
        keyed = zip(value.items, (result for _, result in both), strict=True)
        return merged, Table(dict(keyed), value.vague)
    if isinstance(value, (str, Unknown)):
        if not world.graph.has_iterators and not any(graph.has_iterators for graph in world.graphs):
            return NOTHING, Unknown("a value")
        raise world.run.lost("it is not known what a session runs")
    raise Raised(Raising("TypeError"), fails=True)


def fed_by(feeds: Value) -> frozenset[Tensor] | None:
    """The placeholders that are fed; None where that is not known."""
    if feeds is None:
        return frozenset()
    if isinstance(feeds, Table) and not feeds.vague:
        return frozenset(key for key in feeds.items if isinstance(key, Tensor))
    return None


def resolved(world: World, effects: Effects, feeds: Value) -> Effects:
    """The effects with the iterators that fed handles stand for, and without what feeding spares."""
    handles = [one for one in effects if isinstance(one, GetBy)]
    fed = dict(feeds.items) if isinstance(feeds, Table) else {}
    for key in fed:
        spared = isinstance(key, Tensor) and any(isinstance(one, (Get, GetBy)) for one in key.effects)
        if spared:
            raise world.run.lost("a tensor that comes from an iterator is fed")
    if not handles:
        return effects
    found = set(effects)
    for one in handles:
        found.discard(one)
        value = fed.get(one.handle, one.handle.handle_of)
        if isinstance(value, Handle):
            value = value.iterator
        if not isinstance(value, Iterator):
            raise world.run.lost("it is not known which iterator's handle is fed")
        found |= {Get(value)} | value.around
    return frozenset(found)
