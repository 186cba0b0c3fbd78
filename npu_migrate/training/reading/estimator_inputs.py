"""What Estimators read: the input functions of the calls that train, evaluate and predict with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.function_values import functions_of
from npu_migrate.semantics.calls.looked_up_calls import passed_by_tables
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.contexts import Traced, ends, returned_by, traced
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.reading.read_data import Sources, sources_of_values

_METHODS = ("train", "evaluate", "predict")
_RUNNERS = {"train_and_evaluate": ("estimator", 0), "Experiment": ("estimator", 0)}
_GIVEN = ("input_fn", "train_input_fn", "eval_input_fn")
_SPECS = ("train_spec", "eval_spec")


class EstimatorInput(NamedTuple):
    """An input function that an Estimator gets: the call that made the Estimator, and the function.

    Both with the callers that they belong to.
    """

    estimator: Traced
    function: Traced


def inputs_of(project: Project, estimator: Ref) -> tuple[EstimatorInput, ...]:
    """The input functions with which the Estimators that the call at `estimator` makes are run."""
    return _by_estimator(project).get(id(estimator.expr), ())


@once
def _by_estimator(project: Project) -> dict[int, tuple[EstimatorInput, ...]]:
    found: dict[int, list[EstimatorInput]] = {}
    for item in _find(project):
        found.setdefault(id(item.estimator.ref.expr), []).append(item)
    return {estimator: tuple(items) for estimator, items in found.items()}


def _find(project: Project) -> Iterator[EstimatorInput]:
    for name in _METHODS:
        for key, site in project.calls_named(name):
            if isinstance(site.call.func, Attribute):
                call = ref_of_call(key, site)
                receiver = call._replace(expr=site.call.func.value)
                yield from _together(project, receiver, _functions_given(project, call, 0))
    for name, (parameter, position) in _RUNNERS.items():
        for key, site in project.calls_named(name):
            call = ref_of_call(key, site)
            functions = list(_functions_given(project, call, None))
            for index, spec in enumerate(_SPECS, 1):
                for given in passed_objects(project, call, spec, index).values:
                    functions.extend(_of_spec(project, given))
            for estimator in passed_objects(project, call, parameter, position).values:
                yield from _together(project, estimator, iter(functions))


def _functions_given(project: Project, call: Ref, position: int | None) -> Iterator[Traced]:
    for index, name in enumerate(_GIVEN):
        passed = passed_objects(project, call, name, position if index == 0 else None)
        yield from map(traced, passed.values)


def _of_spec(project: Project, given: Ref) -> Iterator[Traced]:
    for spec in ends(project, traced(given)):
        if externals_called(project, spec.ref) & tf.ESTIMATOR_SPECS:
            for function in passed_objects(project, spec.ref, "input_fn", 0).values:
                yield spec._replace(ref=function._replace(path=()), keys=function.path)


def _together(project: Project, estimator: Ref, functions: Iterator[Traced]) -> Iterator[EstimatorInput]:
    """The functions with the calls that make the Estimator; both belong to the same caller."""
    given = tuple(functions)
    values = EachOnce([traced(estimator)] if given else [])
    for end in (one for value in values for one in ends(project, value)):
        values.add(*map(traced, passed_by_tables(project, end.ref)))
        if isinstance(end.ref.expr, Call) and not end.keys:
            for function in given:
                assumed = tuple(dict.fromkeys((*end.assumed, *function.assumed)))
                yield EstimatorInput(end, function._replace(assumed=assumed))


def reads_arrays(project: Project, function: Traced) -> bool:
    """Whether an input function is one that TensorFlow makes for arrays: it feeds a queue."""
    return any(
        name.endswith(tf.ARRAY_INPUT_FUNCTIONS)
        for end in ends(project, function)
        for name in externals_called(project, end.ref)
    )


def sources_of_input(project: Project, function: Traced, files: frozenset[str] | None = None) -> Sources:
    """What the results of an input function are made from, in the files of a program if it is asked for."""
    values = [
        value
        for found in functions_of(project, function)
        if files is None or found.target.key in files
        for value in returned_by(project, found.inside, found.target, ())
    ]
    sources = sources_of_values(project, values, files)
    return sources if values else sources._replace(complete=False)
