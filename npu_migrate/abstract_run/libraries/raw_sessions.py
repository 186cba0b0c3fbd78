"""Sessions that the program opens itself, tests' sessions and Keras' own one."""

from __future__ import annotations

from npu_migrate.abstract_run.libraries.sessions import Session, fed_by, fetched, resolved
from npu_migrate.abstract_run.libraries.tables import Model, Models, given
from npu_migrate.abstract_run.libraries.world import (
    Assign,
    Block,
    Dataset,
    Effects,
    Graph,
    Iterator,
    Start,
    Tensor,
    World,
)
from npu_migrate.abstract_run.machine.attributes import found_in_class, is_absent
from npu_migrate.abstract_run.machine.run import Raised
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Class,
    External,
    Function,
    Instance,
    Native,
    Raising,
    Unknown,
    Value,
)
from npu_migrate.knowledge import npu


def graph_of_session(world: World, arguments: Arguments) -> Graph:
    """The graph of a session that is opened with these arguments."""
    graph = given(world, arguments, "graph", 1)
    if graph is not None and not isinstance(graph, Graph):
        raise world.run.lost("it is not known to which graph a session belongs")
    return graph or world.graph


def _session(world: World, arguments: Arguments) -> Value:
    return Session(world, graph_of_session(world, arguments))


def _interactive(world: World, arguments: Arguments) -> Value:
    made = _session(world, arguments)
    assert isinstance(made, Session)
    made.enter()
    return made


def default_session(world: World) -> Value:
    """The innermost default session."""
    return world.sessions[-1] if world.sessions else None


def _get_default(world: World, arguments: Arguments) -> Value:
    return default_session(world)


def evaluated(world: World, tensor: Tensor, arguments: Arguments) -> Value:
    """``tensor.eval(feed_dict, session)`` and ``op.run(feed_dict, session)``."""
    session = given(world, arguments, "session", 1)
    session = default_session(world) if session is None else session
    if not isinstance(session, Session):
        if session is None:
            raise Raised(Raising("ValueError"), fails=True)
        raise world.run.lost("it is not known in which session a tensor is evaluated")
    return session.fetch(tensor, given(world, arguments, "feed_dict", 0))


def _start_queues(world: World, arguments: Arguments) -> Value:
    """``start_queue_runners``: from now on what queue runners were given is run, at any time."""
    session = given(world, arguments, "sess", 0)
    if session is None:
        session = default_session(world)
    if isinstance(session, Session) and session.graph.queued:
        world.beside += 1
        session.carry_out(session.graph.queued)
        world.beside -= 1
    return Unknown("threads")


def _looped(world: World, arguments: Arguments) -> Value:
    """``set_iteration_per_loop(sess, train_op, N)``: an op that runs the other one N times."""
    return world.tensor(*(one for one in arguments.positional if isinstance(one, Tensor)))


# -- Keras --------------------------------------------------------------------------------------------


def keras_session(world: World) -> Session:
    """Keras' session: the default one, or one of its own for each graph."""
    default = default_session(world)
    if isinstance(default, Session):
        return default
    known = world.keras.get(world.graph)
    if not isinstance(known, Session):
        known = world.keras[world.graph] = Session(world, world.graph, kind="keras")
    return known


def _get_keras(world: World, arguments: Arguments) -> Value:
    return keras_session(world)


def _set_keras(world: World, arguments: Arguments) -> Value:
    world.keras[world.graph] = given(world, arguments, "session", 0)
    return None


def _clear_keras(world: World, arguments: Arguments) -> Value:
    world.keras.clear()
    world.graphs[-1] = Graph(world)
    return None


def keras_runs(world: World, model: Tensor, arguments: Arguments) -> Value:
    """``model.fit`` and its like run what they are given in Keras' session; a dataset gets an iterator."""
    values = [*arguments.positional, *arguments.keywords.values()]
    session = keras_session(world)
    effects: Effects = model.effects
    starts: Effects = frozenset()
    for value in values:
        if isinstance(value, Dataset):
            made = world.iterator(value, one_shot=False)
            starts |= {Start(made, value)} | value.effects
            effects |= made.next().effects
        elif isinstance(value, Iterator):
            effects |= value.next().effects
        else:
            effects |= world.effects_of(value)
    session.carry_out(starts, None)
    for _ in range(2):
        session.carry_out(effects | {Assign("training")}, None)
    return Unknown("a history")


# -- tests --------------------------------------------------------------------------------------------


def test_attribute(world: World, case: Instance, name: str) -> Value:
    """What a test case inherits from ``tf.test.TestCase``."""
    if name in ("session", "test_session", "cached_session"):
        return Native(name, lambda arguments: _test_session(world, case, arguments, cached=name != "session"))
    if name == "evaluate":
        return Native(name, lambda arguments: _evaluated_in_test(world, case, arguments))
    if name.startswith(("assert", "fail")):
        return Native(name, lambda arguments: _asserted(world, name, arguments))
    if name in ("setUp", "tearDown", "setUpClass", "tearDownClass", "__init__"):
        return Native(name, lambda _: None)
    if name in ("skipTest",):
        return Native(name, lambda _: _raise("SkipTest"))
    return Native(name, lambda _: Unknown(name))


def _raise(kind: str) -> Value:
    raise Raised(Raising(kind))


def _asserted(world: World, name: str, arguments: Arguments) -> Value:
    if "Raises" in name:
        function = next((one for one in arguments.positional if isinstance(one, Function)), None)
        if function is not None:
            raise world.run.lost("a test expects an error")
        return _Expected()
    return None


class _Expected:
    """``with self.assertRaises(…)``."""

    def enter(self) -> Value:
        """The start of the block."""
        return Unknown("a context")

    def leave(self) -> None:
        """The end of the block."""


def _test_session(world: World, case: Instance, arguments: Arguments, *, cached: bool) -> Value:
    chosen = given(world, arguments, "graph", 0)
    graph = chosen if isinstance(chosen, Graph) else world.graph
    opened: list[Session] = []

    def push() -> Value:
        known = _cached_session(world, case, graph) if cached else Session(world, graph)
        opened.append(known)
        world.sessions.append(known)
        world.graphs.append(graph)
        return known

    def pop() -> None:
        world.leave_session()
        session = opened.pop()
        if not cached:
            session.close()

    return Block(push, pop)


def _cached_session(world: World, case: Instance, graph: Graph) -> Session:
    """The one session of a test, which its graph's first use opens."""
    known = case.fields.get(" session")
    if not isinstance(known, Session) or known.graph is not graph:
        known = case.fields[" session"] = Session(world, graph)
    return known


def _evaluated_in_test(world: World, case: Instance, arguments: Arguments) -> Value:
    session = default_session(world)
    if session is None:
        session = _cached_session(world, case, world.graph)
    if not isinstance(session, Session):
        raise Raised(Raising("ValueError"), fails=True)
    effects, result = fetched(world, given(world, arguments, "tensors", 0))
    session.carry_out(resolved(world, effects, None), fed_by(None))
    return result


def _tests(world: World, arguments: Arguments) -> Value:
    """``tf.test.main``: all tests of the entry script, each with a default graph of its own."""
    run = world.run
    module = run.modules[run.main]
    for cls in list(module.frame.names.values()):
        if not isinstance(cls, Class) or not _is_test(cls):
            continue
        names = sorted({name for one in cls.order if isinstance(one, Class) for name in one.names})
        for name in names:
            if name.startswith("test") and isinstance(found_in_class(cls, name), Function):
                _one_test(world, cls, name)
    raise Raised(Raising("SystemExit"))


def _is_test(cls: Class) -> bool:
    return any(isinstance(base, External) and base.name.endswith("TestCase") for base in cls.order)


def _one_test(world: World, cls: Class, name: str) -> None:
    run = world.run
    case = Instance(cls)
    world.graphs[-1] = Graph(world)
    for method in ("setUp", name, "tearDown"):
        found = found_in_class(cls, method)
        if not is_absent(found):
            try:
                run.call(run.attribute(case, method))
            except Raised as raised:
                if raised.fails:
                    raise
                return


_KERAS_NAMES: dict[str, Model] = {}
for _prefix in ("tensorflow.keras.backend", "keras.backend", "tensorflow.python.keras.backend"):
    _KERAS_NAMES[f"{_prefix}.get_session"] = _get_keras
    _KERAS_NAMES[f"{_prefix}.set_session"] = _set_keras
    _KERAS_NAMES[f"{_prefix}.clear_session"] = _clear_keras

RAW: Models = {
    "tensorflow.Session": _session,
    "tensorflow.InteractiveSession": _interactive,
    "tensorflow.get_default_session": _get_default,
    "tensorflow.test.main": _tests,
    "tensorflow.train.start_queue_runners": _start_queues,
    npu.SET_ITERATIONS: _looped,
    "unittest.main": _tests,
    **_KERAS_NAMES,
}
