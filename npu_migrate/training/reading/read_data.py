"""Whether what a session runs is made from what a ``tf.data`` iterator gives, and how it gets there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from npu_migrate.index.facts import NOTHING, Attribute, Call, Constant, Expr, Name, argument, last_name
from npu_migrate.index.names import ancestors
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.semantics.dependence import LONGEST_WALK, Dependences, dependences
from npu_migrate.semantics.flow import call_targets, externals_called
from npu_migrate.semantics.inheritance import methods_named, subclasses
from npu_migrate.semantics.objects import identities
from npu_migrate.semantics.resolution import Definition, external_names, receiver_class
from npu_migrate.training.pipelines.sessions import session_kind
from npu_migrate.training.reading.fields_by_name import values_by_name
from npu_migrate.training.reading.session_fetches import Fetching, all_fetchings, feeds_of

NEAR = 300
"""How far it is looked for a train op behind what a session runs: one that trains has it near."""

_SHORTEST_WALK = 1000
"""How far each of many runs is looked at."""
_MAKERS = frozenset({tf.ONE_SHOT_METHOD, tf.INITIALIZABLE_METHOD})
_STATIC = frozenset(
    {
        "dtype",
        "element_spec",
        "get_shape",
        "initializer",
        "make_initializer",
        "name",
        "output_classes",
        "output_shapes",
        "output_types",
        "shape",
        "string_handle",
    }
)
"""Attributes of tensors, datasets and iterators whose value is made from no element of the data."""

_BY_NAME = frozenset(
    {
        "as_graph_element",
        "get_collection",
        "get_collection_ref",
        "get_operation_by_name",
        "get_operations",
        "get_tensor_by_name",
        "import_graph_def",
        "import_meta_graph",
        "merge_all",
    }
)
"""Calls that find something in the graph by a name: what it is made from is not in sight."""

_ON_ARRAYS = ("fit", "train_on_batch", "test_on_batch", "predict_on_batch")
_ARRAYS = frozenset({"x", "y", "validation_data"})
"""Methods of Keras models that copy batches into the graph as arrays, and the keywords for these."""

_ALL_LOSSES = frozenset({"get_losses", "get_regularization_losses", "get_total_loss"})
_LOSSES = ("tensorflow.losses.", "tensorflow.contrib.losses.", "tensorflow.contrib.slim.losses.")


End = Literal["nowhere", "data", "read"]
"""Where a walk ends early: nowhere; at the elements of iterators, since what datasets are made by runs
elsewhere; or as soon as it is seen that an element is read, perhaps, when it is not complete."""


class Sources(NamedTuple):
    """What something that is run is made from.

    `iterators` are the places where it takes an element of a ``tf.data`` iterator, `calls` all calls that
    it is made by, `makes_data` tells that one of them makes a ``tf.data`` dataset or iterator. `complete` is
    False where some of it cannot be seen.
    """

    iterators: tuple[Ref, ...]
    calls: tuple[Ref, ...]
    makes_data: bool
    complete: bool


def sources_of_fetches(
    project: Project,
    fetchings: Iterable[Fetching],
    files: frozenset[str] | None = None,
    longest: int = LONGEST_WALK,
    *,
    end: End = "nowhere",
) -> Sources:
    """What the fetches of some runs are made from; a tensor that a run feeds is made from nothing there.

    What they have in common is looked at once, so many runs cost little more than one. `files` are those of
    a program, if it alone is asked for: what other files give to its functions is left out. After `longest`
    steps, which runs that feed different tensors share, the answer is not complete.
    """
    by_feed: dict[frozenset[object], list[Traced]] = {}
    for fetching in fetchings:
        by_feed.setdefault(fed_tensors(project, fetching), []).append(fetching.fetches)
    found = []
    share = max(longest // max(len(by_feed), 1), min(longest, _SHORTEST_WALK))
    for fed, starts in by_feed.items():
        found.append(_sources_of(project, tuple(starts), fed, files, share, end))
        if end == "read" and found[-1].iterators:
            break
    return _together(found)


@once
def _sources_of(
    project: Project,
    starts: tuple[Traced, ...],
    fed: frozenset[object],
    files: frozenset[str] | None,
    longest: int,
    end: End,
) -> Sources:
    """What `starts` are made from where `fed` is fed: many runs of a program ask for the same tensors."""
    walked = _walk(project, starts, fed, files, longest, end)
    return _sources(project, walked)


def _together(found: list[Sources]) -> Sources:
    return Sources(
        tuple(ref for one in found for ref in one.iterators),
        tuple({id(call.expr): call for one in found for call in one.calls}.values()),
        any(one.makes_data for one in found),
        all(one.complete for one in found),
    )


def sources_of_values(
    project: Project,
    values: Iterable[Traced],
    files: frozenset[str] | None = None,
    *,
    longest: int = LONGEST_WALK,
    end: End = "nowhere",
) -> Sources:
    """What some values are made from, such as those that an input function returns."""
    return _sources(project, _walk(project, values, frozenset(), files, longest, end))


def fed_tensors(project: Project, fetching: Fetching) -> frozenset[object]:
    """The tensors that one run feeds, as far as they can be told."""
    if fetching.feed is None:
        return frozenset()
    return frozenset(
        _place_of(end)
        for feed in feeds_of(project, fetching.feed)
        if feed.tensor is not None
        for end in ends(project, feed.tensor)
    )


def _place_of(way: Traced) -> object:
    return (id(way.ref.expr), way.keys)


def _sources(project: Project, walked: Dependences) -> Sources:
    calls = {id(way.ref.expr): way.ref for way in walked.reached if isinstance(way.ref.expr, Call)}
    taken = tuple(
        way.ref
        for way in walked.reached
        if isinstance(way.ref.expr, Attribute) and way.ref.expr.attr == "get_next"
    )
    is_read = any(makes_data(project, call) for call in calls.values())
    complete = walked.complete and not any(_is_by_name(way) for way in walked.reached)
    return Sources(taken if is_read else (), tuple(calls.values()), is_read, complete)


def makes_data(project: Project, ref: Ref) -> bool:
    """Whether a call makes a ``tf.data`` dataset or iterator."""
    call = ref.expr
    if not isinstance(call, Call):
        return False
    if last_name(call.func) in _MAKERS:
        return True
    return any(name.startswith(tf.DATASET_MODULES) for name in externals_called(project, ref))


def _is_by_name(way: Traced) -> bool:
    expr = way.ref.expr
    return isinstance(expr, Call) and last_name(expr.func) in _BY_NAME


def _walk(
    project: Project,
    starts: Iterable[Traced],
    fed: frozenset[object],
    files: frozenset[str] | None = None,
    longest: int = LONGEST_WALK,
    end: End = "nowhere",
) -> Dependences:
    stops = _stops(project, fed)

    def stops_here(way: Traced) -> bool:
        if end == "data" and _is_of_data(way.ref.expr):
            return True
        return (files is not None and way.ref.key not in files) or stops(way)

    if end != "read":
        return dependences(project, starts, stops_here, _more, longest)
    return dependences(project, starts, stops_here, _more_in_doubt, longest, _reading(project))


def _is_of_data(expr: Expr) -> bool:
    """Whether an expression takes the elements of an iterator, or initializes one with a dataset."""
    if isinstance(expr, Call):
        return isinstance(expr.func, Attribute) and expr.func.attr == "make_initializer"
    return isinstance(expr, Attribute) and expr.attr == "get_next"


def _reading(project: Project) -> Callable[[Traced], bool]:
    """Tells of each step of a walk whether an element of a dataset was taken on the way to it."""
    taken = False
    calls: list[Ref] = []

    def enough(way: Traced) -> bool:
        nonlocal taken
        expr = way.ref.expr
        if isinstance(expr, Attribute) and expr.attr == "get_next":
            taken = True
        elif isinstance(expr, Call):
            calls.append(way.ref)
        if not taken:
            return False
        found = any(makes_data(project, call) for call in calls)
        calls.clear()
        return found

    return enough


def _stops(project: Project, fed: frozenset[object]) -> Callable[[Traced], bool]:
    def stops(way: Traced) -> bool:
        expr = way.ref.expr
        if isinstance(expr, Attribute) and expr.attr in _STATIC:
            return True
        if _place_of(way) in fed:
            return True
        return isinstance(expr, Call) and (
            is_run(project, way.ref) or session_kind(project, way.ref) is not None
        )

    return stops


def is_run(project: Project, ref: Ref) -> bool:
    """Whether a call runs a session, as far as its name tells: what it gives is a value on the host."""
    call = ref.expr
    return (
        isinstance(call, Call)
        and isinstance(call.func, Attribute)
        and call.func.attr in ("run", "eval")
        and not call_targets(project, ref)
    )


# -- what the graph adds -------------------------------------------------------------------------------


def _more(project: Project, way: Traced) -> Iterator[Traced]:
    """What an op is made from besides its arguments: control inputs, collections, iterators, subclasses."""
    expr = way.ref.expr
    if not isinstance(expr, Call):
        return
    yield from control_inputs(project, way)
    yield from _left_to_subclasses(project, way, expr)
    name = last_name(expr.func)
    if name in _ALL_LOSSES:
        yield from _losses(project, way.ref)
    elif name in ("get_collection", "get_collection_ref"):
        yield from _collected(project, way.ref, expr)
    elif name == "from_structure":
        yield from _made_initializers(project, way.ref)


def _more_in_doubt(project: Project, way: Traced) -> Iterator[Traced]:
    """Also what the classes of the programs have by that name, if a field or method is one of an object of
    which nobody sees the class: ``TASKS[name]().loss()``."""
    yield from _more(project, way)
    if isinstance(way.ref.expr, (Attribute, Call)):
        for values in values_by_name(project, way.ref):
            yield from map(traced, values)


def _left_to_subclasses(project: Project, way: Traced, call: Call) -> Iterator[Traced]:
    """What ``self.build()`` gives where the class itself returns nothing there, and its subclasses do."""
    func = call.func
    if not isinstance(func, Attribute) or not isinstance(func.value, Name):
        return
    facts = project.facts(way.ref.key)
    assert facts is not None
    number = receiver_class(facts, way.ref.scope, func.value.id)
    owner = Definition(way.ref.key, number)
    below = subclasses(project, owner) if number != NOTHING else ()
    if not below or any(returned_values(project, one) for one in methods_named(project, owner, func.attr)):
        return
    for method in dict.fromkeys(one for sub in below for one in methods_named(project, sub, func.attr)):
        for given in returned_values(project, method):
            yield Traced(given, way.keys, assumed=way.assumed)


def control_inputs(project: Project, way: Traced) -> Iterator[Traced]:
    """What has to run before the op that is made at `way`: ``with tf.control_dependencies([...]):``."""
    facts = project.facts(way.ref.key)
    assert facts is not None
    for number in ancestors(facts, way.ref.statement):
        outer = facts.statements[number]
        if outer.kind == "With" and outer.scope == facts.statements[way.ref.statement].scope:
            for value in outer.values:
                if isinstance(value, Call) and last_name(value.func) == tf.CONTROL_DEPENDENCIES_METHOD:
                    for given in value.args:
                        yield way._replace(ref=Ref(way.ref.key, outer.scope, number, given), keys=())


@once
def _loss_calls(project: Project) -> tuple[Ref, ...]:
    return tuple(
        ref_of_call(facts.key, site)
        for facts in project.relevant()
        for site in facts.calls
        if last_name(site.call.func) not in _ALL_LOSSES
        and any(
            name.startswith(_LOSSES)
            for name in external_names(project, facts.key, site.scope, site.call.func)
        )
    )


def _losses(project: Project, ref: Ref) -> Iterator[Traced]:
    files = project.neighbours(ref.key)
    yield from (traced(call) for call in _loss_calls(project) if call.key in files)


def _collected(project: Project, ref: Ref, call: Call) -> Iterator[Traced]:
    """What scripts put into a collection that is called by the same text or the same name."""
    wanted = _collection(project, ref, argument(call, "key", 0))
    files = project.neighbours(ref.key)
    for key, site in project.calls_named("add_to_collection") if wanted is not None else ():
        adding = ref_of_call(key, site)
        value = argument(site.call, "value", 1)
        name = _collection(project, adding, argument(site.call, "name", 0))
        if key in files and value is not None and name == wanted:
            yield traced(adding._replace(expr=value))


def _collection(project: Project, ref: Ref, name: object) -> object:
    if isinstance(name, Constant):
        return name.value
    if isinstance(name, Attribute):
        return external_names(project, ref.key, ref.scope, name) or None
    return None


def _made_initializers(project: Project, ref: Ref) -> Iterator[Traced]:
    """The datasets that an iterator of a structure is initialized with."""
    made = identities(project, ref)
    for key, site in project.calls_named("make_initializer"):
        func, given = site.call.func, argument(site.call, "dataset", 0)
        if isinstance(func, Attribute) and given is not None:
            call = ref_of_call(key, site)
            if identities(project, call._replace(expr=func.value)) & made:
                yield traced(call._replace(expr=given))


# -- batches that go through the host ------------------------------------------------------------------


def runs_fed_back(project: Project, feeds: Iterable[Traced]) -> frozenset[int]:
    """The ``run`` calls whose results are fed by these dictionaries, however they are changed before."""
    return _runs_behind(project, [item.value for feed in feeds for item in feeds_of(project, feed)])


def _runs_behind(project: Project, values: Iterable[Traced]) -> frozenset[int]:
    walked = _walk(project, values, frozenset())
    return frozenset(id(way.ref.expr) for way in walked.reached if is_run(project, way.ref))


@once
def all_runs_fed_back(project: Project, files: frozenset[str]) -> frozenset[int]:
    """Every ``run`` call whose result some run in `files` gets fed, or a Keras model gets as arrays."""
    near = (one.feed for one in all_fetchings(project) if one.call.key in files)
    feeds = {feed.mark: feed for feed in near if feed is not None}
    return _fed_back(project, tuple(feeds.values())) | _given_to_keras(project, files)


@once
def _fed_back(project: Project, feeds: tuple[Traced, ...]) -> frozenset[int]:
    return runs_fed_back(project, feeds)


@once
def _given_to_keras(project: Project, files: frozenset[str]) -> frozenset[int]:
    values = [
        traced(Ref(key, site.scope, site.statement, given))
        for name in _ON_ARRAYS
        for key, site in project.calls_named(name)
        if key in files
        for given in (*site.call.args, *(one.value for one in site.call.keywords if one.name in _ARRAYS))
    ]
    return _runs_behind(project, values)
