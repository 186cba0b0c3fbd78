"""Where programs train, also where the object that trains, or its method, is reached by a detour."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, Name, argument
from npu_migrate.knowledge import session_configs, training_libraries
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.dead_code import is_dead
from npu_migrate.semantics.flow import call_targets, externals_called, origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.uses import uses
from npu_migrate.training.npu.trainings import TRAIN_AND_EVALUATE, is_estimator
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.porting.features.found import imports_of
from npu_migrate.training.porting.gradient_steps import (
    gradient_calls,
    is_gradient_step,
    updates_near_gradients,
)
from npu_migrate.training.porting.keras import TF_KERAS, TRAINING, keras_of
from npu_migrate.training.porting.staying.test_code import in_test
from npu_migrate.training.porting.train_ops import optimizer_calls
from npu_migrate.training.reading.fields_by_name import is_of_unknown_class
from npu_migrate.training.reading.named_train_ops import runs_of_named_train_ops

Kind = Literal["session", "estimator", "keras"]

_OPTIMIZER = re.compile(r"tensorflow\..*Optimizer")
_OPTIMIZER_WORD = re.compile(r"\w+Optimizer")
_APPLYING = re.compile(r"(Resource|Sparse|resource_|sparse_)*[aA]pply_?[A-Za-z_]+")
_APPLYING_HOMES = ("tensorflow.python.training.training_ops.", "tensorflow.raw_ops.")
_ESTIMATORS = re.compile(r"\w*(Estimator|Classifier|Regressor)")
_SPECS = ("EstimatorSpec", "TPUEstimatorSpec", "ModelFnOps")
_TRAIN = "train"
_TRAINING_KEYWORDS = ("input_fn", "steps", "max_steps")
_ALL_KEYWORDS = frozenset({*_TRAINING_KEYWORDS, "hooks", "saving_listeners"})
_MOST_ARGUMENTS = len(_ALL_KEYWORDS)
"""What an Estimator's ``train`` takes."""

_EXPERIMENTS = ("train_and_evaluate", "Experiment")
_FITTING = ("fit", "partial_fit")
_OLD_ESTIMATORS = re.compile(
    r"tensorflow\.contrib\.[\w.]*(Estimator|Classifier|Regressor|SVM|Clustering|SKCompat)\.(partial_)?fit"
)
"""Estimators of before release 1.4, which have a ``fit``."""
_MODELS = re.compile(r"Sequential|Model|model_from_\w+|load_model")
_KERAS_PACKAGES = tuple(name.rstrip(".") for name in training_libraries.KERAS_LIBRARIES)
_COMPILE = "compile"
_UPDATES = "get_updates"


class TrainingCall(NamedTuple):
    """A place where a program trains, if it gets there: a call, or where a method that trains is read.

    `plain`: it is a call that the rules follow to the sessions which run what it makes. `opens_session`: what
    is read is a function that trains in a session of its own. `package` is what opens it, if the
    call is one of a library that trains with TensorFlow. `restored`: it trains what is restored, too.
    """

    ref: Ref
    kind: Kind
    plain: bool
    opens_session: bool = False
    package: str = ""
    restored: bool = False


@once
def training_calls(project: Project) -> tuple[TrainingCall, ...]:
    """The places that train, those with an optimizer first, but for tests, eager code and dead code.

    `gradient_steps` are more of them.
    """
    made = (*_optimizing(project), *_of_estimators(project), *_of_keras(project), *_of_libraries(project))
    found = {id(one.ref.expr): one for one in made if _counts(project, one.ref)}
    return tuple(in_reading_order(found.values()))


def gradient_steps(project: Project, counts: Callable[[Ref], bool]) -> Iterator[TrainingCall]:
    """The places of which `counts` holds that train without an optimizer, but for the same exceptions."""
    for ref in updates_near_gradients(project) if any(map(counts, gradient_calls(project))) else ():
        if counts(ref) and _counts(project, ref) and is_gradient_step(project, ref):
            yield TrainingCall(ref, "session", plain=True)


def in_reading_order(calls: Iterable[TrainingCall]) -> list[TrainingCall]:
    """The calls by file and place."""
    return sorted(calls, key=lambda one: (one.ref.key, one.ref.expr.span))


def _counts(project: Project, ref: Ref) -> bool:
    return not (in_test(project, ref) or is_eager(project, ref) or is_dead(project, ref))


# -- optimizers ----------------------------------------------------------------------------------------


def _optimizing(project: Project) -> Iterator[TrainingCall]:
    for ref in _functions_handed_on(project, session_configs.TRAINING_LOOPS):
        yield TrainingCall(ref, "session", plain=False, opens_session=True)
    for ref in optimizer_calls(project):
        yield TrainingCall(ref, "session", plain=True)
        if any(one.startswith(tf.RUNNING_OPTIMIZERS) for one in externals_called(project, ref)):
            yield TrainingCall(ref, "session", plain=False)
    made = _optimizers(project)
    for name in sorted(tf.OPTIMIZING):
        for ref in (*_handed_on(project, name), *_looked_up(project, name)):
            if any(one.expr is origin.expr for origin in _receiver(project, ref) for one in made):
                yield TrainingCall(ref, "session", plain=False)
    for word in sorted(_words(project, _APPLYING)):
        for ref in _calls(project, word):
            if any(one.startswith(_APPLYING_HOMES) for one in externals_called(project, ref)):
                yield TrainingCall(ref, "session", plain=False)
    for ref in runs_of_named_train_ops(project):
        yield TrainingCall(ref, "session", plain=False, restored=True)


@once
def _optimizers(project: Project) -> tuple[Ref, ...]:
    """The calls that make an optimizer of TensorFlow."""
    return tuple(
        ref
        for word in sorted(_words(project, _OPTIMIZER_WORD))
        for ref in _calls(project, word)
        if any(_OPTIMIZER.fullmatch(name) for name in externals_called(project, ref))
    )


# -- Estimators ----------------------------------------------------------------------------------------


def _of_estimators(project: Project) -> Iterator[TrainingCall]:
    for ref in _calls(project, _TRAIN):
        if _trains_an_estimator(project, ref):
            yield TrainingCall(ref, "estimator", plain=False)
    for ref in (*_handed_on(project, _TRAIN), *_looked_up(project, _TRAIN)):
        known = any(is_estimator(project, origin) for origin in _receiver(project, ref))
        if known or (_is_near_estimators(project, ref) and _is_called_of_unknown(project, ref)):
            yield TrainingCall(ref, "estimator", plain=False)
    for ref in _functions_handed_on(project, frozenset({TRAIN_AND_EVALUATE})):
        yield TrainingCall(ref, "estimator", plain=False)
    for name in _FITTING:
        for ref in _calls(project, name):
            if any(map(_OLD_ESTIMATORS.fullmatch, externals_called(project, ref))):
                yield TrainingCall(ref, "estimator", plain=False)
    for name in _EXPERIMENTS:
        for ref in _calls(project, name):
            if any(one.startswith("tensorflow.") for one in externals_called(project, ref)):
                yield TrainingCall(ref, "estimator", plain=False)


def _trains_an_estimator(project: Project, ref: Ref) -> bool:
    """Whether a call of ``train`` reads as an Estimator's, in programs that have a class of them."""
    call = ref.expr
    assert isinstance(call, Call)
    if not isinstance(call.func, Attribute) or call_targets(project, ref):
        return False
    if externals_called(project, ref):
        return any(is_estimator(project, origin) for origin in _receiver(project, ref))
    if not _is_near_estimators(project, ref) or not _may_be_given(call):
        return False
    return bool(call.args) or any(argument(call, name) is not None for name in _TRAINING_KEYWORDS)


def _may_be_given(call: Call) -> bool:
    """Whether an Estimator's ``train`` would take the arguments of a call."""
    named = {one.name for one in call.keywords if one.name is not None}
    return named <= _ALL_KEYWORDS and len(call.args) + len(named) <= _MOST_ARGUMENTS


def _is_near_estimators(project: Project, ref: Ref) -> bool:
    """Whether a program of some code has a class of Estimators, or a model function."""
    files = _files_with(project, _ESTIMATORS, ("tensorflow.",)) | files_with_specs(project)
    return not project.neighbours(ref.key).isdisjoint(files)


def _is_called_of_unknown(project: Project, ref: Ref) -> bool:
    """Whether a method that is read is called with something, and nobody sees whose it is."""
    receiver = _receiver_expr(ref)
    return (
        receiver is not None
        and is_of_unknown_class(project, receiver)
        and any(
            use.kind == "call"
            and isinstance(use.ref.expr, Call)
            and (use.ref.expr.args or use.ref.expr.keywords)
            for use in uses(project, ref)
        )
    )


@once
def _files_with(project: Project, classes: re.Pattern[str], homes: tuple[str, ...]) -> frozenset[str]:
    """The files that mention a class of such a name from one of `homes`, called or not."""
    return frozenset(
        key
        for word in _words(project, classes)
        for key in project.files_mentioning(word)
        for site in (*project.attributes(key, word), *project.names(key, word))
        if any(name.startswith(homes) for name in external_names(project, key, site.scope, site.expr))
    )


@once
def files_with_specs(project: Project) -> frozenset[str]:
    """The files with a model function: what its optimizers make, an Estimator runs, if it is trained."""
    return frozenset(key for word in _SPECS for key in project.files_mentioning(word))


# -- Keras ---------------------------------------------------------------------------------------------


def _of_keras(project: Project) -> Iterator[TrainingCall]:
    compiled = frozenset(ref.key for ref in _calls(project, _COMPILE) if _may_fit(project, ref))
    made = _files_with(project, _MODELS, (TF_KERAS, "tensorflow.python.keras."))
    made |= {one.key for one in imports_of(project, _KERAS_PACKAGES)}
    near = {one for key in compiled for one in project.neighbours(key)}
    near &= {one for key in made for one in project.neighbours(key)}
    for name in TRAINING if near else ():
        for ref in (*_calls(project, name), *_handed_on(project, name), *_looked_up(project, name)):
            if ref.key in near and _may_fit(project, ref):
                yield TrainingCall(ref, "keras", plain=False)
    for ref in _calls(project, _UPDATES):
        if any(".keras." in name for name in externals_called(project, ref)):
            yield TrainingCall(ref, "keras", plain=False)


def _may_fit(project: Project, ref: Ref) -> bool:
    """Whether nothing says that a ``fit`` is the method of something other than a model of tf.keras."""
    if _is_of_tf_keras(project, ref):
        return True
    if not isinstance(ref.expr, Call) or not isinstance(ref.expr.func, Attribute):
        return _is_called_of_unknown(project, ref)
    names = externals_called(project, ref)
    if names:
        return any(name.startswith(training_libraries.KERAS_LIBRARIES) for name in names)
    return not call_targets(project, ref)


def _is_of_tf_keras(project: Project, ref: Ref) -> bool:
    receiver = _receiver_expr(ref)
    return receiver is not None and TF_KERAS in keras_of(project, receiver)


# -- other libraries -----------------------------------------------------------------------------------


def _of_libraries(project: Project) -> Iterator[TrainingCall]:
    for library, words in training_libraries.SESSION_LIBRARIES.items():
        name = library if library.startswith("tensorflow.") else library.partition(".")[0]
        for word in sorted(words):
            for ref in (*_calls(project, word), *_handed_on(project, word)):
                if _is_of_library(project, ref, library):
                    yield TrainingCall(ref, "session", plain=False, opens_session=True, package=name)


def _is_of_library(project: Project, ref: Ref, library: str) -> bool:
    """Whether a call, or what is handed on, is of a library, also where that is ``from library import *``."""
    is_call = isinstance(ref.expr, Call)
    names = externals_called(project, ref) if is_call else external_names(project, *ref[:2], ref.expr)
    if names:
        return any(name.startswith(f"{library}.") for name in names)
    facts = project.facts(ref.key)
    call = ref.expr
    if facts is None or not isinstance(call, Call) or call_targets(project, ref):
        return False
    return isinstance(call.func, Name) and any(
        f"{star.module}.".startswith(f"{library}.")
        for scope in facts.scopes
        for star in scope.stars
        if not star.level and project.resolve_module(ref.key, star.module, 0) is None
    )


# -- spellings -----------------------------------------------------------------------------------------


def _calls(project: Project, name: str) -> Iterator[Ref]:
    for key, site in project.calls_named(name):
        yield ref_of_call(key, site)


def _handed_on(project: Project, name: str) -> Iterator[Ref]:
    """Where a method is read and not called: ``partial(model.fit, x)``, ``train = estimator.train``."""
    for key in project.files_mentioning(name):
        for site in project.attributes(key, name):
            called = isinstance(site.parent, Call) and site.parent.func is site.expr
            if not called and not site.stored:
                yield project.ref_of(key, site)


def _functions_handed_on(project: Project, names: frozenset[str]) -> Iterator[Ref]:
    """Where a function of a library is read and not called: ``run(slim.learning.train, train_op)``."""
    words = {name.rpartition(".")[2] for name in names}
    for word in sorted(words | aliases_of(project, words)):
        for key in project.files_mentioning(word):
            for site in (*project.attributes(key, word), *project.names(key, word)):
                called = isinstance(site.parent, Call) and site.parent.func is site.expr
                if called or site.stored or isinstance(site.parent, Attribute):
                    continue
                if not names.isdisjoint(external_names(project, key, site.scope, site.expr)):
                    yield project.ref_of(key, site)


def _looked_up(project: Project, name: str) -> Iterator[Ref]:
    """``getattr(optimizer, "minimize")``."""
    for ref in _calls(project, "getattr"):
        given = ref.expr.args if isinstance(ref.expr, Call) else ()
        if len(given) > 1 and isinstance(given[1], Constant) and given[1].value == name:
            yield ref


def _receiver(project: Project, ref: Ref) -> tuple[Ref, ...]:
    """What the object may be of which a method is read or called."""
    receiver = _receiver_expr(ref)
    return () if receiver is None else origins(project, receiver)


def _receiver_expr(ref: Ref) -> Ref | None:
    expr = ref.expr
    if isinstance(expr, Call) and not isinstance(expr.func, Attribute):
        return ref._replace(expr=expr.args[0]) if expr.args else None  # getattr(receiver, "method")
    method = expr.func if isinstance(expr, Call) else expr
    return ref._replace(expr=method.value) if isinstance(method, Attribute) else None


@once
def _words(project: Project, pattern: re.Pattern[str]) -> frozenset[str]:
    return frozenset(word for facts in project.relevant() for word in facts.words if pattern.fullmatch(word))
