"""All libraries together: who answers for a name, and what happens to what nobody has written down."""

from __future__ import annotations

import re
from collections.abc import Callable

from npu_migrate.abstract_run.libraries.builtin_functions import BUILTINS, builtin, opens_to_write
from npu_migrate.abstract_run.libraries.container_methods import method_of
from npu_migrate.abstract_run.libraries.converters import CONVERTERS, Converter
from npu_migrate.abstract_run.libraries.data import DATA
from npu_migrate.abstract_run.libraries.estimators import ESTIMATORS, Estimator
from npu_migrate.abstract_run.libraries.functions import FUNCTIONS
from npu_migrate.abstract_run.libraries.graph_definitions import defined
from npu_migrate.abstract_run.libraries.graphs import GRAPHS, graph_attribute, graph_key
from npu_migrate.abstract_run.libraries.hooks import HOOKS
from npu_migrate.abstract_run.libraries.managed import MANAGED, Managed, Supervisor
from npu_migrate.abstract_run.libraries.managing import MANAGING
from npu_migrate.abstract_run.libraries.own_sessions import OwnSession, own_session
from npu_migrate.abstract_run.libraries.raw_sessions import RAW, evaluated, keras_runs, test_attribute
from npu_migrate.abstract_run.libraries.sessions import Session
from npu_migrate.abstract_run.libraries.standard import STANDARD, constant, is_harmless
from npu_migrate.abstract_run.libraries.tables import Models
from npu_migrate.abstract_run.libraries.world import (
    NOTHING,
    Acts,
    Assign,
    Dataset,
    Effects,
    Get,
    Graph,
    HandleIterator,
    Iterator,
    Reads,
    Tensor,
    World,
    Writes,
)
from npu_migrate.abstract_run.log import Kept
from npu_migrate.abstract_run.machine.run import Run
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Class,
    External,
    Function,
    Generator,
    Instance,
    Manager,
    Method,
    Native,
    Partial,
    Sequence,
    Table,
    Unknown,
    Value,
)
from npu_migrate.index.facts import Expr
from npu_migrate.index.plain_bases import is_plain_base
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.tensorflow import canonical

MODELS: Models = {
    **GRAPHS,
    **FUNCTIONS,
    **DATA,
    **RAW,
    **HOOKS,
    **MANAGED,
    **ESTIMATORS,
    **CONVERTERS,
    **STANDARD,
    **MANAGING,
}

_BUILD_GRAPHS = (
    "tensorflow",
    "tf_slim",
    "keras",
    "tensorflow_probability",
    "npu_bridge",
    "horovod",
    "tensorflow_hub",
)
"""Libraries whose functions make tensors of tensors."""
_RUNNERS = frozenset({"fit", "evaluate", "predict", "fit_generator", "train_on_batch", "predict_on_batch"})
_ASSIGNS = re.compile(
    r"(?:batch_)?scatter_(?:nd_)?(?:add|div|max|min|mul|sub|update)|assign|assign_(?:add|sub)|count_up_to"
)
"""Functions, and methods of tensors, whose ops assign to a variable [TF]."""
_READS = frozenset({"read_file", "matching_files"})
_ACTS = frozenset({"print", "Print", "write_file"})
_QUEUE_METHODS = ("enqueue", "dequeue")
_QUEUES = re.compile(
    r"tensorflow\.train\.(?:(?:maybe_)?(?:shuffle_)?batch(?:_join)?|input_producer|range_input_producer"
    r"|slice_input_producer|string_input_producer|QueueRunner)"
)
"""What makes a queue runner, or is one: it fills a queue with what it is given [TF]."""
_GFILE = re.compile(r"tensorflow\.(?:io\.)?gfile\.")
_GFILE_OPENERS = frozenset({"GFile", "FastGFile", "Open"})
_GFILE_READERS = frozenset(
    f"{first}{name[1:]}"
    for name in ("Exists", "Glob", "IsDirectory", "ListDirectory", "Stat", "Walk")
    for first in (name[0], name[0].lower())
) | {"isdir", "listdir"}
"""Functions on files that act at once [TF]; all others of the module change files, as methods of a file do
unless it is opened to be read."""
_ONLY_READ = "tensorflow.a_file_that_is_read"
_MAY_RAISE = frozenset(
    {
        "get_operation_by_name",
        "get_tensor_by_name",
        "make_initializable_iterator",
        "make_one_shot_iterator",
        "restore",
    }
)
_MAY_RAISE_AT_ONCE = re.compile(
    r"tensorflow\.(?:io\.)?gfile\.|tensorflow\.(?:train|contrib\.framework)\.(?:load|list|New)\w+"
    r"|tensorflow\.get_variable|tensorflow\..*import_meta_graph|builtins\.(?:float|int|open)"
)
"""Functions of TensorFlow and Python that programs are seen to try: they look for what may not be there."""
_ASK_GRAPH = ("get_", "merge_all", "total_")
"""What begins like this may return tensors that it finds in the graph."""
_MOST_SEEN = 300


class Libraries:
    """The library of one run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.world = World(run, self._method, self._plain, graph_attribute)

    # -- calls -----------------------------------------------------------------------------------------

    def call(self, name: str, arguments: Arguments) -> Value:
        """What a function or class of a library returns."""
        name = npu.canonical(canonical(name))
        if name.startswith("builtins."):
            known = BUILTINS.get(name[9:])
            if known is not None and (arguments.positional or not _needs_one(name)):
                return known(self.world, arguments)
            return self._outside(name, arguments)
        model = MODELS.get(name)
        if model is not None:
            return model(self.world, arguments)
        if name.startswith("tensorflow.data.Dataset."):
            return self._unbound(name, arguments)
        return self._plain(name, arguments, NOTHING)

    def _unbound(self, name: str, arguments: Arguments) -> Value:
        """``tf.data.Dataset.make_one_shot_iterator(dataset)``."""
        if not arguments.positional:
            raise self.run.lost("a method of datasets is called without one")
        method = self.run.attribute(arguments.positional[0], name.rpartition(".")[2])
        return self.run.call(method, *arguments.positional[1:], **arguments.keywords)

    def _plain(self, name: str, arguments: Arguments, effects: Effects) -> Value:
        """A function without a model: of TensorFlow, it makes a tensor of tensors."""
        if not name.startswith(_BUILD_GRAPHS):
            return self._outside(name, arguments)
        definition = defined(self.world, name, arguments)
        if definition is not None:
            return definition
        writes = _writes_files(name, arguments)
        self.world.outside += writes
        values = [*arguments.positional, *arguments.keywords.values()]
        for value in values:
            reason = self._tensors_cannot_have(value)
            if reason:
                raise self.run.lost(f"`{name}` gets {reason}")
        made = self.world.tensor(*values)
        made.effects |= effects
        made.origin = name if writes or not _GFILE.match(name) else _ONLY_READ
        made.effects |= _own_effects(name, arguments)
        if name.rpartition(".")[2].startswith(_ASK_GRAPH):
            made.effects |= self.world.graph.taken
        self._collect(name, made)
        return made

    def _collect(self, name: str, made: Tensor) -> None:
        """Some functions note what they make in collections."""
        if ".summary." in name:
            self.world.graph.collection("summaries").items.append(made)
        elif _QUEUES.fullmatch(name):
            self.world.graph.queued |= made.effects
        elif "losses." in name:
            self.world.graph.collection("losses").items.append(made)
        elif "batch_norm" in name:
            update = Tensor(self.world, made.effects | {Assign("averages")})
            self.world.graph.collection("update_ops").items.append(update)

    def _outside(self, name: str, arguments: Arguments) -> Value:
        """A function that is not of TensorFlow: it must not get what matters."""
        if not is_harmless(name):
            self.world.outside += 1
        for value in (*arguments.positional, *arguments.keywords.values()):
            reason = self.must_not_see(value)
            if reason:
                raise self.run.lost(f"{f'`{name}`' if name else 'an unknown function'} gets {reason}")
        return Unknown(name)

    def may_raise(self, callee: Value) -> bool:
        """Whether calling something may raise what the program handles."""
        if isinstance(callee, Native):
            return callee.name in _MAY_RAISE
        if isinstance(callee, External):
            name = canonical(callee.name)
            return not name.startswith(("tensorflow.", "builtins.")) or bool(_MAY_RAISE_AT_ONCE.match(name))
        return isinstance(callee, Unknown)

    # -- what must not escape --------------------------------------------------------------------------

    def must_not_see(self, value: Value) -> str:
        """Why code that cannot be followed must not get a value; empty if it may."""
        return _reason(value, _matters)

    def _tensors_cannot_have(self, value: Value) -> str:
        return _reason(value, _is_no_input)

    # -- attributes ------------------------------------------------------------------------------------

    def attribute(self, owner: Value, name: str) -> Value:
        """An attribute of a value that is neither of the program nor modelled."""
        if isinstance(owner, External):
            full = f"{owner.name}.{name}"
            key = graph_key(full)
            if key is not None:
                return key
            known = constant(self.world, canonical(full))
            if known is not None:
                return known
            if name == "VERSION" or name == "__version__":
                return Unknown("a version")
            return External(full)
        if isinstance(owner, (Native, Partial)):
            return getattr(owner, "function", Unknown()) if name in ("func", "__wrapped__") else Unknown(name)
        return method_of(self.world, owner, name)

    def builtin(self, name: str) -> Value | None:
        """What a name stands for that no scope binds."""
        return builtin(name)

    def made_of(self, cls: Class) -> Value:
        """A new object of a class of the program, before its ``__init__``."""
        return own_session(self.world, cls) or Instance(cls)

    def inherited(self, instance: Value, base: str, name: str) -> Value:
        """An attribute that an object of the program has from a class of a library."""
        if isinstance(instance, OwnSession):
            return instance.inherited(name)
        if base.endswith("TestCase"):
            assert isinstance(instance, Instance)
            return test_attribute(self.world, instance, name)
        if is_plain_base(base) or base.endswith(("SessionRunHook", "Exception", "Error", "builtins.dict")):
            return Native(name, lambda _: None)
        if name == "__init__" and not base.startswith(_BUILD_GRAPHS):
            return Native(name, lambda arguments: self._outside(f"{base}.{name}", arguments))
        raise self.run.lost(f"`{name}` of a class that derives from `{base}` is not followed")

    def stored(self, value: Value, target: Expr) -> None:
        """Something has been assigned to a target of the program."""
        if isinstance(value, Session):
            self.run.log.seen.kept.setdefault(value.number, Kept(self.run.stack(), target))

    # -- tensors ---------------------------------------------------------------------------------------

    def _method(self, tensor: Tensor, name: str) -> Value | None:
        """The methods of tensors, ops, optimizers, savers and Keras models that do something."""
        if name in ("eval", "run") and not tensor.origin.startswith("tensorflow.keras"):
            return Native(name, lambda arguments: evaluated(self.world, tensor, arguments))
        if _ASSIGNS.fullmatch(name) or (name == "apply" and "MovingAverage" in tensor.origin):
            return Native(
                name, lambda arguments: self._assigned(f"{tensor.origin}.{name}", tensor, arguments)
            )
        if name.startswith(_QUEUE_METHODS):
            return Native(name, lambda arguments: self._moved(name, tensor, arguments))
        if name in ("minimize", "apply_gradients"):
            return Native(name, lambda arguments: self._trained(tensor, arguments))
        if name in ("save", "restore", "recover_last_checkpoints") and "Saver" in tensor.origin:
            return Native(name, lambda arguments: self._saved(name, arguments))
        if name in _RUNNERS and "keras" in tensor.origin:
            return Native(name, lambda arguments: keras_runs(self.world, tensor, arguments))
        if name == "values":
            return _Values(self.world, tensor.effects)
        if name in ("items", "keys"):
            pairs = {"items": (Unknown("a key"), tensor), "keys": Unknown("a key")}
            return Native(name, lambda _: Sequence([pairs[name]], vague=True))
        if name in ("as_list", "should_stop", "should_shutdown", "ndims"):
            return Native(name, lambda _: Unknown(name))
        if name in ("join", "request_stop", "add_summary", "add_graph", "flush", "reopen"):
            return Native(name, lambda _: None)
        return None

    def _trained(self, tensor: Tensor, arguments: Arguments) -> Value:
        return self._assigned("training", tensor, arguments)

    def _assigned(self, what: str, tensor: Tensor, arguments: Arguments) -> Value:
        made = self.world.tensor(*arguments.positional, *arguments.keywords.values())
        made.effects |= tensor.effects | {Assign(what)}
        return made

    def _moved(self, name: str, tensor: Tensor, arguments: Arguments) -> Value:
        made = self.world.tensor(*arguments.positional, *arguments.keywords.values())
        made.effects |= {Acts(f"{tensor.origin}.{name}")}
        return made

    def _saved(self, name: str, arguments: Arguments) -> Value:
        session = arguments.positional[0] if arguments.positional else arguments.keywords.get("sess")
        if isinstance(session, Managed):
            session = session.session
        if not isinstance(session, Session):
            raise self.run.lost("a saver gets a session that is not known")
        self.world.exported |= name == "save" and session.graph.has_iterators
        words = "a checkpoint is restored" if name == "restore" else "a checkpoint is written"
        self.run.event(name, words, session.number)
        return Unknown("a path")


def _writes_files(name: str, arguments: Arguments) -> bool:
    """Whether a function of TensorFlow that acts at once, and makes no op, may write files."""
    if not _GFILE.match(name):
        return False
    last = name.rpartition(".")[2]
    return opens_to_write(arguments) if last in _GFILE_OPENERS else last not in _GFILE_READERS


def _own_effects(name: str, arguments: Arguments) -> Effects:
    """What an op that a function of TensorFlow makes does; those of metrics give a pair."""
    owner, _, last = name.rpartition(".")
    if _ASSIGNS.fullmatch(last) or owner.endswith(".metrics"):
        return frozenset({Assign(name)})
    if last in _READS:
        return frozenset({Reads()})
    if last in _ACTS and (last == "write_file" or "output_stream" in arguments.keywords):
        return frozenset({Acts(name), Writes()})
    return frozenset({Acts(name)}) if last in _ACTS else NOTHING


class _Values(Tensor):
    """``x.values``: the values of sparse tensors, or the method of a dictionary of tensors."""

    def called(self, arguments: Arguments) -> Value:
        """The values of the dictionary."""
        return Sequence([Tensor(self.world, self.effects)], vague=True)


def _needs_one(name: str) -> bool:
    return name not in {
        f"builtins.{one}" for one in ("print", "list", "dict", "tuple", "set", "super", "locals", "vars")
    }


def _matters(value: Value) -> str:
    if isinstance(value, (Session, Managed)):
        return "a session"
    if isinstance(value, (Iterator, HandleIterator)):
        return "an iterator"
    if isinstance(value, Dataset):
        return "a dataset"
    if isinstance(value, (Estimator, Supervisor)):
        return "what opens sessions"
    if isinstance(value, Graph):
        return "a graph"
    if isinstance(value, Tensor):
        return "a tensor of an iterator" if any(isinstance(one, Get) for one in value.effects) else ""
    if isinstance(value, (Function, Method, Partial, Class)):
        return "a function of the program"
    if isinstance(value, (Generator, Manager)):
        return "a generator of the program"
    if isinstance(value, Converter):
        return "what calls functions of the program"
    return ""


def _is_no_input(value: Value) -> str:
    """What no op is made of: functions that make ops of it may do with it what they want."""
    if isinstance(value, (Session, Managed)):
        return "a session"
    if isinstance(value, (Iterator, HandleIterator)):
        return "an iterator"
    if isinstance(value, Estimator):
        return "an estimator"
    if isinstance(value, (Function, Method, Partial)):
        return "a function of the program"
    if isinstance(value, (Generator, Manager)):
        return "a generator of the program"
    return ""


def _reason(value: Value, judge: Callable[[Value], str]) -> str:
    """What `judge` says of a value or of something that can be reached from it."""
    stack: list[Value] = [value]
    seen: set[int] = set()
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if len(seen) > _MOST_SEEN:
            return "more than can be looked at"
        reason = judge(one)
        if reason:
            return reason
        if isinstance(one, tuple):
            stack.extend(one)
        elif isinstance(one, Sequence):
            stack.extend(one.items)
        elif isinstance(one, Table):
            stack.extend(one.items.values())
        elif isinstance(one, Instance):
            stack.extend(one.fields.values())
            if any(isinstance(base, Class) and base.names for base in one.cls.order):
                stack.extend(value for value in one.cls.names.values() if isinstance(value, Class))
    return ""
