"""Sessions that somebody else brings up: monitored ones, the Supervisor's, slim's.

They all come up in the same way: what initializes the graph is run unless a checkpoint is restored, then what
initializes local variables and tables.
"""

from __future__ import annotations

from npu_migrate.abstract_run.libraries.graphs import LOCAL_INIT, TABLES, globals_of, locals_of
from npu_migrate.abstract_run.libraries.hooks import Context, Hooks
from npu_migrate.abstract_run.libraries.sessions import Session, fed_by, fetched, resolved
from npu_migrate.abstract_run.libraries.tables import Models, given
from npu_migrate.abstract_run.libraries.world import Block, Effects, Graph, Tensor, World
from npu_migrate.abstract_run.log import FROM_THE_START, RESTORED
from npu_migrate.abstract_run.machine.values import Arguments, External, Native, Partial, Unknown, Value

_DEFAULT = object()


class Scaffold:
    """What a session is brought up with (``tf.train.Scaffold``); what was not given is made in the end."""

    def __init__(self, world: World, arguments: Arguments) -> None:
        names = (
            "init_op",
            "init_feed_dict",
            "init_fn",
            "ready_op",
            "ready_for_local_init_op",
            "local_init_op",
        )
        self.world = world
        self.given = {name: given(world, arguments, name, at) for at, name in enumerate(names)}

    def attribute(self, name: str) -> Value:
        """What was given, or an op that TensorFlow makes."""
        if name == "finalize":
            return Native(name, lambda _: self)
        known = self.given.get(name)
        return known if known is not None else Tensor(self.world, frozenset())


class BringUp:
    """How a session comes up: with what, and whether there may be a checkpoint."""

    def __init__(self, world: World, graph: Graph, hooks: Hooks) -> None:
        self.world = world
        self.graph = graph
        self.hooks = hooks
        self.init_op: Value = _DEFAULT
        self.init_feeds: Value = None
        self.init_fn: Value = None
        self.local_init_op: Value = _DEFAULT
        self.local_effects: Effects | None = None
        self.restores: Value = None

    def with_scaffold(self, scaffold: Value) -> BringUp:
        """The same, with what a scaffold says."""
        if scaffold is None or isinstance(scaffold, Tensor):
            return self
        if not isinstance(scaffold, Scaffold):
            raise self.world.run.lost("it is not known how a session is brought up")
        values = scaffold.given
        self.init_op = _DEFAULT if values["init_op"] is None else values["init_op"]
        self.init_feeds = values["init_feed_dict"]
        if values["init_fn"] is not None:
            self.init_fn = Partial(values["init_fn"], Arguments([scaffold]))
        self.local_init_op = _DEFAULT if values["local_init_op"] is None else values["local_init_op"]
        return self

    def fix_local_init(self) -> None:
        """Make the default op for local variables and tables, of what there is now."""
        if self.local_init_op is _DEFAULT:
            known = self.graph.collection(LOCAL_INIT).items
            if known:
                self.local_effects = self.world.effects_of(known[0])
            else:
                tables = self.world.effects_of(*self.graph.collection(TABLES).items)
                self.local_effects = tables | locals_of(self.world, self.graph)
        else:
            self.local_effects = self.world.effects_of(self.local_init_op)
            if isinstance(self.local_init_op, Unknown):
                raise self.world.run.lost("it is not known how a session is brought up")

    def open(self, *, known: bool | None = None) -> Session:
        """The session, ready to run; `known` says whether there is a checkpoint."""
        world, run = self.world, self.world.run
        if self.local_effects is None:
            self.fix_local_init()
        assert self.local_effects is not None
        self.graph.finalized = True
        session = Session(world, self.graph, kind="managed")
        restored = self.restores is not None and known
        if self.restores is not None and known is None:
            restored = bool(run.fork(2, (FROM_THE_START, RESTORED)))
        if restored:
            run.event("restore", RESTORED, session.number)
        else:
            self._initialize(session)
        session.carry_out(self.local_effects, None)
        self.hooks.tell("after_create_session", session, Unknown("a coordinator"))
        return session

    def _initialize(self, session: Session) -> None:
        world = self.world
        if self.init_op is _DEFAULT:
            session.carry_out(globals_of(world, self.graph), None)
        elif self.init_op is not None:
            effects, _ = fetched(world, self.init_op)
            session.carry_out(resolved(world, effects, self.init_feeds), fed_by(self.init_feeds))
        if self.init_fn is not None and not isinstance(self.init_fn, (External, Tensor, Unknown, Native)):
            world.run.call(self.init_fn, session)


class Managed:
    """A monitored session: hooks take part in its runs."""

    def __init__(self, session: Session, hooks: Hooks) -> None:
        self.session = session
        self.hooks = hooks
        self.world = session.world

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        if name == "run":
            return Native(name, self._run)
        if name == "should_stop":
            return Native(name, lambda _: Unknown("whether to stop"))
        if name == "run_step_fn":
            return Native(name, self._step)
        if name == "close":
            return Native(name, lambda _: self.leave())
        if name in ("_tf_sess", "raw_session"):
            return Native(name, lambda _: self.session) if name == "_tf_sess" else self.session
        if name in ("_sess", "_coordinated_creator"):
            return self
        if name == "tf_sess":
            return self.session
        return self.session.attribute(name)

    def _run(self, arguments: Arguments) -> Value:
        fetches = given(self.world, arguments, "fetches", 0)
        return self.hooks.around(self.session, fetches, given(self.world, arguments, "feed_dict", 1))

    def _step(self, arguments: Arguments) -> Value:
        return self.world.run.call(arguments.positional[0], Context(self.session, None))

    def enter(self) -> Value:
        """``with`` gives the session itself; it does not become the default one."""
        return self

    def leave(self) -> None:
        """The hooks are told the end."""
        if not self.session.closed:
            self.hooks.tell("end", self.session)
            self.session.close()


def monitored(world: World, hooks: Hooks, scaffold: Value, restores: Value) -> Managed:
    """A monitored session of the default graph."""
    hooks.tell("begin")
    up = BringUp(world, world.graph, hooks).with_scaffold(scaffold)
    up.restores = restores
    return Managed(up.open(), hooks)


def _training_session(world: World, arguments: Arguments) -> Value:
    hooks = Hooks(world, given(world, arguments, "hooks", 4), given(world, arguments, "chief_only_hooks", 5))
    return monitored(
        world, hooks, given(world, arguments, "scaffold", 3), given(world, arguments, "checkpoint_dir", 2)
    )


class Creator:
    """A session creator: what a `MonitoredSession` is made with."""

    def __init__(self, scaffold: Value, restores: Value) -> None:
        self.scaffold = scaffold
        self.restores = restores

    def attribute(self, name: str) -> Value:
        """Nothing that is known."""
        return Unknown(name)


def _creator(world: World, arguments: Arguments) -> Value:
    folder = given(world, arguments, "checkpoint_dir", 3)
    file = given(world, arguments, "checkpoint_filename_with_path", 4)
    return Creator(given(world, arguments, "scaffold", 0), folder if folder is not None else file)


def _monitored_session(world: World, arguments: Arguments) -> Value:
    creator = given(world, arguments, "session_creator", 0)
    if not isinstance(creator, Creator) and creator is not None:
        raise world.run.lost("it is not known how a session is brought up")
    hooks = Hooks(world, given(world, arguments, "hooks", 1))
    scaffold, restores = (creator.scaffold, creator.restores) if creator is not None else (None, None)
    return monitored(world, hooks, scaffold, restores)


def _singular(world: World, arguments: Arguments) -> Value:
    hooks = Hooks(world, given(world, arguments, "hooks", 0))
    folder = given(world, arguments, "checkpoint_dir", 4)
    return monitored(world, hooks, given(world, arguments, "scaffold", 1), folder)


class Supervisor:
    """``tf.train.Supervisor``: decides how sessions come up when it is made, and finalizes the graph."""

    def __init__(self, world: World, arguments: Arguments) -> None:
        self.world = world
        graph = given(world, arguments, "graph", 0)
        up = BringUp(world, graph if isinstance(graph, Graph) else world.graph, Hooks(world))
        for name in ("init_op", "local_init_op", "init_fn"):
            if name in arguments.keywords:
                setattr(up, name, arguments.keywords[name])
        if arguments.vague or len(arguments.positional) > 1:
            raise world.run.lost("it is not known how a Supervisor brings up sessions")
        up.init_feeds = arguments.keywords.get("init_feed_dict")
        up.restores = arguments.keywords.get("logdir")
        if up.local_init_op is None:
            up.local_effects = frozenset()
        else:
            up.fix_local_init()
        up.graph.finalized = True
        self.up = up

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        if name in ("prepare_or_wait_for_session", "PrepareSession"):
            return Native(name, lambda _: self.up.open())
        if name == "managed_session":
            return Native(name, lambda _: self._managed())
        if name in ("should_stop", "ShouldStop"):
            return Native(name, lambda _: Unknown("whether to stop"))
        if name == "saver":
            return Tensor(self.world, frozenset(), "tensorflow.train.Saver")
        if name == "loop":
            raise self.world.run.lost("a Supervisor runs a loop in a thread")
        return Tensor(self.world, frozenset(), f"supervisor.{name}")

    def _managed(self) -> Block:
        opened: list[Session] = []

        def push() -> Value:
            opened.append(self.up.open())
            return opened[-1]

        return Block(push, lambda: opened.pop().close())


def _supervisor(world: World, arguments: Arguments) -> Value:
    return Supervisor(world, arguments)


def _slim_train(world: World, arguments: Arguments) -> Value:
    """``slim.learning.train``: a Supervisor around a loop that runs the train op."""
    chosen = given(world, arguments, "graph", None)
    graph = chosen if isinstance(chosen, Graph) else world.graph
    up = BringUp(world, graph, Hooks(world))
    up.init_op = arguments.keywords.get("init_op", _DEFAULT)
    up.init_feeds = arguments.keywords.get("init_feed_dict")
    up.local_init_op = arguments.keywords.get("local_init_op", _DEFAULT)
    up.init_fn = arguments.keywords.get("init_fn")
    up.restores = given(world, arguments, "logdir", 1)
    train_op = given(world, arguments, "train_op", 0)
    if up.local_init_op is None:
        up.local_effects = frozenset()
    session = up.open()
    step = arguments.keywords.get("train_step_fn")
    for _ in range(2):
        if step is None or isinstance(step, (External, Tensor)):
            session.fetch(train_op)
        else:
            world.run.call(step, session, train_op, Unknown("the step"), Unknown("arguments"))
    session.close()
    return Unknown("a loss")


def _slim_step(world: World, arguments: Arguments) -> Value:
    """``slim.learning.train_step``: one step, as a program may take it from a function of its own."""
    session = given(world, arguments, "sess", 0)
    if not isinstance(session, Session):
        raise world.run.lost("it is not known which session takes a step")
    session.fetch(given(world, arguments, "train_op", 1))
    return Unknown("a loss"), Unknown("whether to stop")


def _slim_evaluate(world: World, arguments: Arguments) -> Value:
    """``slim.evaluation.evaluate_once`` and its like: a monitored session that restores and evaluates."""
    hooks = Hooks(world, arguments.keywords.get("hooks"))
    hooks.tell("begin")
    scaffold = arguments.keywords.get("scaffold")
    up = BringUp(world, world.graph, hooks).with_scaffold(scaffold)
    if up.init_op is _DEFAULT and "initial_op" in arguments.keywords:
        up.init_op = _DEFAULT
    session = up.open()
    initial = arguments.keywords.get("initial_op")
    if initial is not None:
        hooks.around(session, initial, None)
    ops = arguments.keywords.get("eval_op", arguments.keywords.get("eval_ops"))
    for _ in range(2):
        if ops is not None:
            hooks.around(session, ops, arguments.keywords.get("eval_op_feed_dict"))
    final = arguments.keywords.get("final_op", arguments.keywords.get("final_ops"))
    if final is not None:
        hooks.around(session, final, None)
    hooks.tell("end", session)
    session.close()
    return Unknown("metrics")


def _contrib_train(world: World, arguments: Arguments) -> Value:
    """``tf.contrib.training.train``: a monitored session around a loop."""
    hooks = Hooks(world, arguments.keywords.get("hooks"), arguments.keywords.get("chief_only_hooks"))
    managed = monitored(
        world, hooks, arguments.keywords.get("scaffold"), given(world, arguments, "logdir", 1)
    )
    for _ in range(2):
        hooks.around(managed.session, given(world, arguments, "train_op", 0), None)
    managed.leave()
    return Unknown("a loss")


class SessionManager:
    """``tf.train.SessionManager``."""

    def __init__(self, world: World, arguments: Arguments) -> None:
        self.world = world
        self.local_init_op = given(world, arguments, "local_init_op", 0)
        graph = given(world, arguments, "graph", 3)
        self.graph = graph if isinstance(graph, Graph) else world.graph

    def attribute(self, name: str) -> Value:
        """The methods that open sessions."""
        if name == "prepare_session":
            return Native(name, self._prepare)
        raise self.world.run.lost("a session manager opens a session in a way that is not followed")

    def _prepare(self, arguments: Arguments) -> Value:
        up = BringUp(self.world, self.graph, Hooks(self.world))
        up.init_op = given(self.world, arguments, "init_op", 1)
        up.local_init_op = self.local_init_op
        up.local_effects = self.world.effects_of(self.local_init_op)
        up.init_fn = arguments.keywords.get("init_fn")
        up.init_feeds = arguments.keywords.get("init_feed_dict")
        up.restores = arguments.keywords.get("checkpoint_dir")
        finalized = self.graph.finalized
        session = up.open()
        self.graph.finalized = finalized
        return session


def _manager(world: World, arguments: Arguments) -> Value:
    return SessionManager(world, arguments)


MANAGED: Models = {
    "tensorflow.train.Scaffold": Scaffold,
    "tensorflow.train.MonitoredTrainingSession": _training_session,
    "tensorflow.train.ChiefSessionCreator": _creator,
    "tensorflow.train.MonitoredSession": _monitored_session,
    "tensorflow.train.SingularMonitoredSession": _singular,
    "tensorflow.train.Supervisor": _supervisor,
    "tensorflow.train.SessionManager": _manager,
    "tensorflow.contrib.slim.learning.train": _slim_train,
    "tensorflow.contrib.slim.learning.train_step": _slim_step,
    "tensorflow.contrib.slim.evaluation.evaluate_once": _slim_evaluate,
    "tensorflow.contrib.slim.evaluation.evaluation_loop": _slim_evaluate,
    "tensorflow.contrib.training.train": _contrib_train,
    "tensorflow.contrib.training.evaluate_once": _slim_evaluate,
    "tensorflow.contrib.training.evaluate_repeatedly": _slim_evaluate,
}
