"""Estimators: they build a graph with the functions they get, and train or evaluate in their own session."""

from __future__ import annotations

from collections.abc import Iterator as Iter

from npu_migrate.abstract_run.libraries.hooks import Hooks
from npu_migrate.abstract_run.libraries.managed import BringUp, Managed
from npu_migrate.abstract_run.libraries.tables import Models, given
from npu_migrate.abstract_run.libraries.world import Assign, Dataset, Effects, Graph, Start, Tensor, World
from npu_migrate.abstract_run.machine.containers import unpacked
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Class,
    External,
    Function,
    Generator,
    Instance,
    Method,
    Native,
    Partial,
    Unknown,
    Value,
)
from npu_migrate.knowledge import npu

TRAIN, EVAL, PREDICT = "train", "eval", "infer"
_SPEC = (
    "mode",
    "predictions",
    "loss",
    "train_op",
    "eval_metric_ops",
    "export_outputs",
    "training_chief_hooks",
    "training_hooks",
    "scaffold",
    "evaluation_hooks",
    "prediction_hooks",
)


class Spec:
    """What a model function returns (``EstimatorSpec``)."""

    def __init__(self, world: World, arguments: Arguments) -> None:
        self.values = {name: given(world, arguments, name, at) for at, name in enumerate(_SPEC)}

    def attribute(self, name: str) -> Value:
        """What was given."""
        return self.values.get(name)


class InputSpec:
    """``TrainSpec`` and ``EvalSpec``."""

    def __init__(self, world: World, arguments: Arguments) -> None:
        self.input_fn = given(world, arguments, "input_fn", 0)
        self.hooks = arguments.keywords.get("hooks")

    def attribute(self, name: str) -> Value:
        """What was given."""
        return {"input_fn": self.input_fn, "hooks": self.hooks}.get(name, Unknown(name))


class Estimator:
    """An estimator with a model function, or a ready-made one."""

    def __init__(self, world: World, arguments: Arguments, *, own_model: bool) -> None:
        self.world = world
        self.model_fn = given(world, arguments, "model_fn", 0) if own_model else None
        self.own_model = own_model
        self.params = arguments.keywords.get("params")
        if own_model and self.params is None and len(arguments.positional) > 3:
            self.params = arguments.positional[3]
        self.trained = False

    def attribute(self, name: str) -> Value:
        """An attribute or a method."""
        if name in ("train", "fit"):
            return Native(name, self._train)
        if name in ("evaluate", "predict"):
            return Native(
                name, lambda arguments: self._infer(arguments, EVAL if name == "evaluate" else PREDICT)
            )
        if name.startswith(("export", "experimental_export")):
            return Native(name, lambda _: Unknown("a folder"))
        if name == "params":
            return self.params
        if name in ("config", "model_dir", "model_fn"):
            return Unknown(name)
        return Native(name, lambda _: Unknown(name))

    # -- training and evaluation -----------------------------------------------------------------------

    def _train(self, arguments: Arguments) -> Value:
        self.train(given(self.world, arguments, "input_fn", 0), given(self.world, arguments, "hooks", 1))
        return self

    def train(self, input_fn: Value, hooks: Value) -> None:
        """``estimator.train``."""
        world = self.world
        with _own_graph(world) as graph:
            spec, start = self._built(input_fn, TRAIN)
            all_hooks = Hooks(
                world, hooks, spec.attribute("training_hooks"), spec.attribute("training_chief_hooks")
            )
            all_hooks.tell("begin")
            up = BringUp(world, graph, all_hooks).with_scaffold(spec.attribute("scaffold"))
            up.restores = Unknown("the model's folder")
            session = up.open(known=self.trained or None)
            session.carry_out(start, None)
            for _ in range(2):
                all_hooks.around(session, _listed(spec, "loss", "train_op"), None)
            Managed(session, all_hooks).leave()
        self.trained = True

    def _infer(self, arguments: Arguments, mode: str) -> Value:
        input_fn = given(self.world, arguments, "input_fn", 0)
        at = 2 if mode == EVAL else None
        hooks = given(self.world, arguments, "hooks", at)
        if mode == PREDICT:
            return Generator(self._predictions(input_fn, hooks))
        self.evaluate(input_fn, hooks)
        return Unknown("metrics")

    def _predictions(self, input_fn: Value, hooks: Value) -> Iter[Value]:
        self.evaluate(input_fn, hooks, PREDICT)
        yield Unknown("a prediction")
        yield Unknown("a prediction")

    def evaluate(self, input_fn: Value, hooks: Value, mode: str = EVAL) -> None:
        """``estimator.evaluate``, or one session's worth of ``estimator.predict``."""
        world = self.world
        own = "evaluation_hooks" if mode == EVAL else "prediction_hooks"
        with _own_graph(world) as graph:
            spec, start = self._built(input_fn, mode)
            all_hooks = Hooks(world, hooks, spec.attribute(own))
            all_hooks.tell("begin")
            up = BringUp(world, graph, all_hooks).with_scaffold(spec.attribute("scaffold"))
            up.restores = Unknown("the model's folder")
            session = up.open(known=self.trained or None)
            session.carry_out(start, None)
            wanted = ("loss", "eval_metric_ops") if mode == EVAL else ("predictions",)
            for _ in range(2):
                all_hooks.around(session, _listed(spec, *wanted), None)
            Managed(session, all_hooks).leave()

    def _built(self, input_fn: Value, mode: str) -> tuple[Spec, Effects]:
        """The graph: what the model function returns, and what starts the iterator of a dataset."""
        world = self.world
        result = call_by_name(
            world, input_fn, {"mode": mode, "params": self._params(), "config": Unknown("config")}
        )
        start: Effects = frozenset()
        if isinstance(result, Dataset):
            iterator = world.iterator(result, one_shot=False)
            start = frozenset({Start(iterator, result)}) | result.effects
            result = iterator.next()
        elif isinstance(result, (Unknown, Instance, Generator)):
            raise world.run.lost("it is not known what an input function returns")
        features, labels = self._features(result)
        if not self.own_model:
            return self._ready_made(features, labels, mode), start
        offered = {
            "labels": labels,
            "mode": mode,
            "params": self._params(),
            "config": Unknown("config"),
        }
        spec = call_by_name(world, self.model_fn, offered, features)
        if not isinstance(spec, Spec):
            raise world.run.lost("it is not known what a model function returns")
        return spec, start

    def _params(self) -> Value:
        return self.params if self.params is not None else Unknown("params")

    def _features(self, result: Value) -> tuple[Value, Value]:
        if isinstance(result, tuple):
            return (result[0], result[1]) if len(result) == 2 else (result, None)
        return result, result if isinstance(result, Tensor) else None

    def _ready_made(self, features: Value, labels: Value, mode: str) -> Spec:
        world = self.world
        made = world.tensor(features, labels)
        train_op = world.tensor(made)
        train_op.effects |= {Assign("training")}
        keywords: dict[str, Value] = {"mode": mode, "predictions": made, "loss": made, "train_op": train_op}
        return Spec(world, Arguments([], keywords))


class _own_graph:
    """A new graph, which is the default one within."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __enter__(self) -> Graph:
        graph = Graph(self.world)
        self.world.graphs.append(graph)
        return graph

    def __exit__(self, *_: object) -> None:
        self.world.leave_graph()


def _listed(spec: Spec, *names: str) -> Value:
    values = [spec.attribute(name) for name in names]
    return tuple(value for value in values if value is not None and not isinstance(value, Unknown))


def call_by_name(world: World, function: Value, offered: dict[str, Value], *positional: Value) -> Value:
    """Call a function with those keyword arguments that it has parameters for, as estimators do."""
    inner = function
    taken: set[str] = set()
    while isinstance(inner, (Method, Partial)):
        if isinstance(inner, Partial):
            taken |= inner.arguments.keywords.keys()
        inner = inner.function
    if isinstance(inner, Instance):
        inner = world.run.attribute(inner, "__call__")
        while isinstance(inner, Method):
            inner = inner.function
    if not isinstance(inner, Function):
        if isinstance(inner, (Class, External, Native, Tensor, Unknown)):
            return world.run.call(function, *positional)
        raise world.run.lost("a function that an estimator gets is not known")
    names = {one.name for one in inner.scope.parameters if one.kind in ("positional", "keyword")}
    every = any(one.kind == "varkeywords" for one in inner.scope.parameters)
    keywords = {
        name: value for name, value in offered.items() if (name in names or every) and name not in taken
    }
    return world.run.call(function, *positional, **keywords)


def _estimator(world: World, arguments: Arguments) -> Value:
    return Estimator(world, arguments, own_model=True)


def _ready_made(world: World, arguments: Arguments) -> Value:
    return Estimator(world, arguments, own_model=False)


class ContribEstimator(Estimator):
    """An estimator of ``tf.contrib.learn``: its input functions return features and labels."""

    def _built(self, input_fn: Value, mode: str) -> tuple[Spec, Effects]:
        features, labels = unpacked(self.world.run, self.world.run.call(input_fn), 2)
        return self._ready_made(features, labels, mode), frozenset()


def _contrib(world: World, arguments: Arguments) -> Value:
    return ContribEstimator(world, arguments, own_model=False)


def _train_and_evaluate(world: World, arguments: Arguments) -> Value:
    names = ("estimator", "train_spec", "eval_spec")
    estimator, training, evaluation = (given(world, arguments, name, at) for at, name in enumerate(names))
    if not isinstance(estimator, Estimator):
        raise world.run.lost("it is not known what is trained")
    if not isinstance(training, InputSpec) or not isinstance(evaluation, InputSpec):
        raise world.run.lost("it is not known with what an estimator is trained")
    estimator.train(training.input_fn, training.hooks)
    estimator.evaluate(evaluation.input_fn, evaluation.hooks)
    return (Unknown("metrics"), Unknown("exports"))


def _numpy_input(world: World, arguments: Arguments) -> Value:
    return Native("input_fn", lambda _: (Tensor(world, frozenset()), Tensor(world, frozenset())))


_READY = (
    "DNNClassifier",
    "DNNRegressor",
    "LinearClassifier",
    "LinearRegressor",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedRegressor",
    "BaselineClassifier",
    "BaselineRegressor",
)

ESTIMATORS: Models = {
    "tensorflow.estimator.Estimator": _estimator,
    "tensorflow.contrib.tpu.TPUEstimator": _estimator,
    "tensorflow.estimator.tpu.TPUEstimator": _estimator,
    npu.NPU_ESTIMATOR: _estimator,
    "tensorflow.estimator.EstimatorSpec": Spec,
    "tensorflow.contrib.tpu.TPUEstimatorSpec": Spec,
    "npu_bridge.NPUEstimatorSpec": Spec,
    "tensorflow.estimator.TrainSpec": InputSpec,
    "tensorflow.estimator.EvalSpec": InputSpec,
    "tensorflow.estimator.train_and_evaluate": _train_and_evaluate,
    "tensorflow.estimator.inputs.numpy_input_fn": _numpy_input,
    "tensorflow.estimator.inputs.pandas_input_fn": _numpy_input,
    **{f"tensorflow.estimator.{name}": _ready_made for name in _READY},
    "tensorflow.contrib.learn.Estimator": _contrib,
    **{f"tensorflow.contrib.learn.{name}": _contrib for name in _READY},
}
