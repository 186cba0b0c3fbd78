"""Who trains what: Estimators, the configs they were made with, and the calls that train them.

Sources: DOC-PORT, DOC-EST, DOC-K2N; the parameters of TensorFlow's functions are those of 1.15 [TF].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from npu_migrate.index.facts import NOTHING, Attribute, Call, Constant, FileFacts
from npu_migrate.index.names import ancestors, code_scope
from npu_migrate.knowledge import npu
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.looked_up_calls import passed_by_tables
from npu_migrate.semantics.calls.passing import Passed, passed_objects
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import call_sites, origins
from npu_migrate.semantics.resolution import Definition, External, all_bases, symbols
from npu_migrate.training.npu.configs import calls_of

TRAIN_SPEC = "tensorflow.estimator.TrainSpec"
TRAIN_AND_EVALUATE = "tensorflow.estimator.train_and_evaluate"

_CONFIG_POSITION = 2
_OF_KERAS = ".model_to_estimator"
_KERAS_CONFIG_POSITION = 4
_ESTIMATOR_NAMES = ("Estimator", "Classifier", "Regressor", _OF_KERAS)
_MODEL_FN_POSITION = 0
_TRAIN_POSITIONS = {"hooks": 1, "steps": 2, "max_steps": 3}
_SPEC_POSITIONS = {"max_steps": 1, "hooks": 2}
_DEEPEST_CALL = 4

Kind = Literal["train", "spec"]


class Training(NamedTuple):
    """One call that says how an Estimator is trained.

    `kind`: ``train`` (``estimator.train(…)``) or ``spec`` (the ``TrainSpec`` given to
    ``train_and_evaluate``). `estimators` are the calls that may have made the Estimator; `certain` tells
    that it is one of them.
    """

    kind: Kind
    call: Ref
    estimators: tuple[Ref, ...]
    certain: bool


class Steps(NamedTuple):
    """The steps that a training call asks for.

    `counted`: they are counted on from where training stands (``steps``), not from its beginning
    (``max_steps``).
    """

    given: Ref
    counted: bool


@once
def trainings(project: Project) -> tuple[Training, ...]:
    """All training calls of Estimators whose making can be seen, in order of file and place."""
    found = [*_train_calls(project), *_specs(project)]
    return tuple(sorted(found, key=lambda item: (item.call.key, item.call.expr.span)))


def _train_calls(project: Project) -> Iterator[Training]:
    for key, site in project.calls_named("train"):
        if isinstance(site.call.func, Attribute):
            ref = ref_of_call(key, site)
            made = _makers(project, ref._replace(expr=site.call.func.value))
            found = tuple(origin for origin in made if is_estimator(project, origin))
            if found:
                yield Training("train", ref, found, len(found) == len(made))


def _specs(project: Project) -> Iterator[Training]:
    found: dict[int, list[tuple[Ref, tuple[Ref, ...], bool]]] = {}
    for call in calls_of(project, TRAIN_AND_EVALUATE):
        estimators, certain = _made_by(project, passed_objects(project, call, "estimator", 0))
        for given in passed_objects(project, call, "train_spec", 1).values:
            for spec in origins(project, given):
                if TRAIN_SPEC in _outside_names(project, spec):
                    found.setdefault(id(spec.expr), []).append((spec, estimators, certain))
    for uses in found.values():
        estimators = tuple(dict.fromkeys(made for _, some, _ in uses for made in some))
        if estimators:
            yield Training("spec", uses[0][0], estimators, all(certain for _, _, certain in uses))


def _made_by(project: Project, passed: Passed) -> tuple[tuple[Ref, ...], bool]:
    made = [origin for given in passed.values for origin in _makers(project, given)]
    found = tuple(origin for origin in made if is_estimator(project, origin))
    return found, passed.certain and len(found) == len(made)


def _makers(project: Project, value: Ref) -> tuple[Ref, ...]:
    """Where a value comes from, also if a table holds the function that gets it: ``ACTIONS[name](model)``."""
    found: list[Ref] = []
    values = EachOnce([value])
    for one in values:
        for origin in origins(project, one):
            passed = passed_by_tables(project, origin)
            values.add(*passed)
            if not passed:
                found.append(origin)
    return tuple(found)


def is_estimator(project: Project, ref: Ref) -> bool:
    """Whether `ref` is a call that makes an Estimator, TensorFlow's or npu_bridge's, or a subclass of one."""
    return not ref.path and any(map(_makes_estimator, _outside_names(project, ref)))


def is_npu_estimator(project: Project, ref: Ref) -> bool:
    """Whether `ref` is a call that makes an ``NPUEstimator``, or a subclass of it."""
    names = _outside_names(project, ref)
    return not ref.path and bool(names & npu.KERAS_ESTIMATORS or npu.NPU_ESTIMATOR in names)


def _makes_estimator(name: str) -> bool:
    if name == npu.NPU_ESTIMATOR or name in npu.KERAS_ESTIMATORS:
        return True
    return name.startswith("tensorflow.") and name.endswith(_ESTIMATOR_NAMES)


def _outside_names(project: Project, ref: Ref) -> frozenset[str]:
    """What a call calls outside the project; for a class of the project, what it inherits from."""
    if not isinstance(ref.expr, Call):
        return frozenset()
    found: set[str] = set()
    for symbol in symbols(project, ref.key, ref.scope, ref.expr.func):
        bases = all_bases(project, symbol) if isinstance(symbol, Definition) else (symbol,)
        found.update(base.name for base in bases if isinstance(base, External))
    return frozenset(found)


def configs_of(project: Project, estimator: Ref) -> tuple[Ref, ...]:
    """The expressions that the config of an Estimator may be; empty if they cannot be told.

    ``config.replace(…)`` counts as ``config``.
    """
    of_keras = any(name.endswith(_OF_KERAS) for name in _outside_names(project, estimator))
    position = _KERAS_CONFIG_POSITION if of_keras else _CONFIG_POSITION
    passed = passed_objects(project, estimator, "config", position)
    found: list[Ref] = []
    stack = list(passed.values) if passed.certain else []
    seen: set[int] = set()
    while stack:
        for origin in origins(project, stack.pop()):
            if id(origin.expr) in seen:
                continue
            seen.add(id(origin.expr))
            func = origin.expr.func if isinstance(origin.expr, Call) else None
            if isinstance(func, Attribute) and func.attr == "replace":
                stack.append(origin._replace(expr=func.value))
            else:
                found.append(origin)
    return tuple(found)


def model_functions(project: Project, estimator: Ref) -> tuple[Ref, ...]:
    """The expressions that the ``model_fn`` of an Estimator may be; empty if they cannot be told."""
    passed = passed_objects(project, estimator, "model_fn", _MODEL_FN_POSITION)
    return tuple(origin for given in passed.values for origin in origins(project, given))


def training_argument(project: Project, training: Training, name: str) -> Passed:
    """What a training call passes as ``hooks``, ``steps`` or ``max_steps``."""
    positions = _TRAIN_POSITIONS if training.kind == "train" else _SPEC_POSITIONS
    return passed_objects(project, training.call, name, positions.get(name))


def steps_of(project: Project, training: Training) -> Steps | None:
    """The steps that a training call asks for; None if it asks for none, or that cannot be told."""
    for name in ("max_steps", "steps"):
        passed = training_argument(project, training, name)
        if not passed.certain or len(passed.values) > 1:
            return None
        for given in passed.values:
            if not (isinstance(given.expr, Constant) and given.expr.value is None):
                return Steps(given, name == "steps")
    return None


def runs_repeatedly(project: Project, ref: Ref) -> bool:
    """Whether `ref` lies in a loop or comprehension, or in a function that is called from one."""
    return _runs_repeatedly(project, ref, 0)


def _runs_repeatedly(project: Project, ref: Ref, depth: int) -> bool:
    facts = cast(FileFacts, project.facts(ref.key))
    scope = facts.scopes[ref.scope]
    while scope.kind not in ("function", "lambda", "module"):
        if scope.kind == "comprehension":
            return True
        scope = facts.scopes[scope.parent]
    home = code_scope(facts, ref.scope)
    for number in ancestors(facts, ref.statement):
        outer = facts.statements[number]
        if outer.scope == facts.statements[ref.statement].scope and outer.kind in (
            "For",
            "While",
            "AsyncFor",
        ):
            return True
    if home == 0 or home == NOTHING or depth >= _DEEPEST_CALL:
        return False
    sites = call_sites(project, Definition(ref.key, home))
    return any(_runs_repeatedly(project, site, depth + 1) for site in sites)
