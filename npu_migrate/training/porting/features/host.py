"""What stays on the host: Python in the graph, processes, profiles (DOC-RESTR, DOC-MIXC)."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import NOTHING, Attribute, Call, Expr, argument
from npu_migrate.index.names import enclosing_function
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.looked_up_calls import decorated_by
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.contexts import Traced, traced
from npu_migrate.semantics.flow import activations, is_partial, origins
from npu_migrate.semantics.resolution import Definition, definitions, external_names, scope_of
from npu_migrate.semantics.uses import uses
from npu_migrate.training.npu.readings import trained_estimators
from npu_migrate.training.pipelines.input_functions import references
from npu_migrate.training.porting.features.found import Found, calls_among
from npu_migrate.training.porting.session_openings import session_openings
from npu_migrate.training.porting.trains import trains
from npu_migrate.training.reading.read_data import sources_of_fetches, sources_of_values
from npu_migrate.training.reading.session_fetches import fetchings_of

_PYTHON_OPS = frozenset({"tensorflow.py_func", "tensorflow.numpy_function", "tensorflow.py_function"})
_PROFILES = frozenset(
    {
        "tensorflow.profiler.",
        "tensorflow.contrib.tfprof.",
        "tensorflow.python.client.timeline.Timeline",
        "tensorflow.python.profiler.",
    }
)
_PROCESSES = frozenset(
    {
        "multiprocessing.Process",
        "multiprocessing.Pool",
        "multiprocessing.pool.Pool",
        "multiprocessing.context.Process",
    }
)
_LONGEST_WALK = 2000
"""How far it is looked for Python functions behind what training sessions run."""

_STARTS = frozenset({"multiprocessing.set_start_method", "multiprocessing.get_context"})


@once
def python_ops(project: Project) -> tuple[Found, ...]:
    """The Python functions that what a training session runs is made by."""
    found = (*calls_among(project, _PYTHON_OPS), *_bound_beforehand(project))
    if not found:
        return ()
    training = trained_calls(project, frozenset(one.ref.key for one in found))
    return tuple(
        one
        for one in found
        if id(one.ref.expr) in training
        or any(id(call.expr) in training for call in _calls_behind(project, one.ref))
    )


def _bound_beforehand(project: Project) -> Iterator[Found]:
    """The calls of ``functools.partial`` that bind arguments of such a function."""
    for one in calls_among(project, frozenset({"functools.partial"})):
        assert isinstance(one.ref.expr, Call)
        function = one.ref.expr.args[:1]
        for name in sorted(_PYTHON_OPS):
            if function and name in external_names(project, one.ref.key, one.ref.scope, function[0]):
                yield Found(one.ref, name)


def _calls_behind(project: Project, ref: Ref) -> Iterator[Ref]:
    """The calls of what is bound at `ref`, and of the functions that a decorator around `ref` wraps."""
    for use in uses(project, ref) if is_partial(project, ref) else ():
        if use.kind == "call":
            yield use.ref
    facts = project.facts(ref.key)
    assert facts is not None
    inner = enclosing_function(facts, ref.scope)
    outer = enclosing_function(facts, facts.scopes[inner].parent) if inner else 0
    for decorated in decorated_by(project, Definition(ref.key, outer)) if outer else ():
        yield from activations(project, decorated)


def trained_calls(project: Project, keys: frozenset[str]) -> frozenset[int]:
    """The calls by which the training sessions near the files `keys` make the graph that they run.

    What datasets are made by is no part of it: it runs on the host.
    """
    near = frozenset[str]().union(*(project.neighbours(key) for key in keys)) if keys else keys
    fetchings = [
        fetching
        for opening in session_openings(project)
        if opening.call.key in near and trains(project, opening)
        for fetching in fetchings_of(project, opening.call)
    ]
    found = [sources_of_fetches(project, fetchings, longest=_LONGEST_WALK, end="data")]
    for made in trained_estimators(project):
        if made.key in near:
            found.append(sources_of_values(project, _specs(project, made), end="data"))
    return frozenset(id(call.expr) for sources in found for call in sources.calls)


def _specs(project: Project, estimator: Ref) -> Iterator[Traced]:
    """What the model function of an Estimator returns."""
    assert isinstance(estimator.expr, Call)
    given = argument(estimator.expr, "model_fn", 0)
    for model in () if given is None else origins(project, estimator._replace(expr=given)):
        for function in definitions(project, model.key, model.scope, model.expr):
            if scope_of(project, function).kind == "function":
                yield from (traced(value) for value in returned_values(project, function))


_TRANSFORMING = ("map", "filter", "flat_map", "interleave", "map_and_batch")
_DEEPEST = 8
"""How many functions may call each other between a dataset and a piece of code."""


def in_data_function(project: Project, ref: Ref) -> bool:
    """Whether the code is run by ``Dataset.map`` and the like only, by a function or one that it calls."""
    return _in_data_function(project, ref, 0)


def _in_data_function(project: Project, ref: Ref, depth: int) -> bool:
    facts = project.facts(ref.key)
    if facts is None or depth > _DEEPEST:
        return False
    if _is_given_to_dataset(project, ref):
        return True
    scope = ref.scope
    while scope != NOTHING and facts.scopes[scope].kind not in ("function", "lambda"):
        scope = facts.scopes[scope].parent
    if scope == NOTHING:
        return False
    definition = Definition(ref.key, scope)
    places = (*references(project, definition), *activations(project, definition))
    return bool(places) and all(_in_data_function(project, one, depth + 1) for one in places)


def _is_given_to_dataset(project: Project, ref: Ref) -> bool:
    """Whether an expression stands among the arguments of ``map`` and the like."""
    for method in _TRANSFORMING:
        for key, site in project.calls_named(method):
            given = (*site.call.args, *(keyword.value for keyword in site.call.keywords))
            if key == ref.key and any(_is_within(ref.expr, one) for one in given):
                return True
    return False


def _is_within(inner: Expr, outer: Expr) -> bool:
    return outer.span[:2] <= inner.span[:2] and inner.span[2:] <= outer.span[2:]


@once
def profiles(project: Project) -> tuple[Found, ...]:
    """The places that profile a run as TensorFlow does it."""
    found = list(calls_among(project, _PROFILES))
    for key in project.files_mentioning("FULL_TRACE"):
        for site in project.attributes(key, "FULL_TRACE"):
            if isinstance(site.expr, Attribute) and not site.stored:
                ref = project.ref_of(key, site)
                found.append(Found(ref, "RunOptions.FULL_TRACE"))
    return tuple(found)


@once
def forks(project: Project) -> tuple[Found, ...]:
    """The processes that begin as a copy of this one, in programs that do not say how processes begin."""
    said = {one.ref.key for one in calls_among(project, _STARTS)}
    near = frozenset[str]().union(*(project.neighbours(key) for key in said)) if said else frozenset()
    return tuple(one for one in calls_among(project, _PROCESSES) if one.ref.key not in near)
