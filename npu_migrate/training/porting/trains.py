"""Which sessions train: run the op that an optimizer makes, or may.

Of a session, `trains` says yes in doubt; `surely_trains` and `is_seen_not_to_train` leave a doubt out. Of
what one run fetches `fetch_trains` and `fetch_is_seen_not_to_train` say so, of a program `program_trains`.

This is asked of sessions that are to be moved, and an answer in doubt leads to a fix that a person reads.
That `reading.variable_changes` asks of sessions that run a pipeline, where any op that changes a variable
counts and a doubt means yes: there a wrong no would lose an initializer. So neither can stand for the other.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Constant,
    Mapping,
    Name,
    Statement,
    argument,
    children,
    last_name,
)
from npu_migrate.index.names import ancestors, enclosing_function, lookup, spelled
from npu_migrate.knowledge import session_configs
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.object_methods import construction_of, may_run_for
from npu_migrate.semantics.contexts import traced
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import call_targets, externals_called, origins
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.training.npu.config_reach import makes_dataset
from npu_migrate.training.npu.readings import trained_estimators
from npu_migrate.training.pipelines.reachability import is_reached
from npu_migrate.training.pipelines.sessions import leaves_session_alone
from npu_migrate.training.porting.features.found import files_that_may_use_tensorflow
from npu_migrate.training.porting.gradient_steps import steps_on_the_host
from npu_migrate.training.porting.session_openings import (
    SessionOpening,
    is_restored,
    session_openings,
    sessions_made,
)
from npu_migrate.training.porting.train_ops import (
    OUR_LIBRARIES,
    get_to_gradients,
    get_to_train_op,
    is_optimized,
    library_calls,
    makes_train_op,
    optimizer_calls,
    optimizes,
    train_ops,
)
from npu_migrate.training.porting.ways import calls_perhaps, may_run
from npu_migrate.training.reading.fields_by_name import runs_by_name, values_by_name
from npu_migrate.training.reading.named_train_ops import runs_of_named_train_ops
from npu_migrate.training.reading.owned_pipelines import owns_pipeline
from npu_migrate.training.reading.read_data import (
    NEAR,
    Sources,
    all_runs_fed_back,
    makes_data,
    sources_of_fetches,
    sources_of_values,
)
from npu_migrate.training.reading.session_fetches import Fetching, fetchings_of, named
from npu_migrate.training.reading.unseen_objects import (
    goes_to_the_unseen,
    is_field_of_the_unseen,
    is_put_there_elsewhere,
)

_GROUPS = tf.GROUPS | {"tensorflow.identity"}
_KERAS_TRAINING = ("fit", "fit_generator", "train_on_batch")
_ESTIMATOR_TRAINING = ("train_and_evaluate",)
_ESTIMATORS = ("Estimator", "TPUEstimator")
_TRAINING_METHODS = ("train", "train_and_evaluate")
INITIALIZERS = frozenset(
    {
        "global_variables_initializer",
        "initialize_all_variables",
        "initialize_variables",
        "variables_initializer",
    }
)
_LOOKED_AT = frozenset({"graph", "graph_def", "list_devices", "close"})
"""Fields and methods of a session that run nothing in it."""

_RUNNING = ("run", "eval")
_ENTERING = "__enter__"
_RAW_SESSIONS = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession"})
_GRADIENTS = ("gradients", "compute_gradients")
"""Who asks for them may train without an optimizer of TensorFlow."""

_REDUCE = "reduce"


@once
def trains(project: Project, opening: SessionOpening) -> bool:
    """Whether a session runs what an optimizer makes; in doubt, whether its programs get to an optimizer.

    A session that is restored, of which no run in sight trains, is for predictions where another one trains.
    """
    found = _fetchings(project, opening)
    if _runs_a_train_op(project, opening, found):
        return True
    handed = _uses_of(project, opening)
    if any(_is_native_keras_session(project, use) for use in handed):
        return False
    if any(_becomes_keras_session(project, use) for use in handed):
        fits = (*library_calls(project, _KERAS_TRAINING), *_keras_steps(project))
        return any(_shares_a_program(project, ref, opening) for ref in fits)
    if not optimizes(project, opening.call.key):
        return _trains_by_a_detour(project, opening, found)  # `unrecognized` asks in more ways yet
    if not found and is_only_looked_at(project, opening):
        return False  # of a run in the default session `unrecognized` knows
    sources = _sources(project, found)
    if is_optimized(project, sources) or _trains_by_name(project, opening, found):
        return True
    out_of_sight = _goes_out_of_sight(project, opening)
    doubtful = [one for one in found if not _only_reads(project, one.fetches.ref)]
    if found and not out_of_sight and (sources.complete or not doubtful):
        return False
    if found and is_restored(project, opening) and _trains_in_another(project, opening):
        return False
    asking = library_calls(project, _GRADIENTS)
    if not _may_get_to(project, (*optimizer_calls(project), *asking), opening):
        return False
    entered = _is_entered(project, opening)
    if entered and _is_another_entered(project, opening):
        return False  # in which of them the helpers run what trains, nobody sees
    if out_of_sight:
        initializers = library_calls(project, tuple(sorted(INITIALIZERS)))
        return not is_restored(project, opening) or _may_get_to(project, initializers, opening)
    files = {opening.call.key, *(one.call.key for one in found)}
    if entered:
        files |= project.neighbours(opening.call.key)
    return opening.name not in _RAW_SESSIONS or any(initializes(project, key) for key in sorted(files))


@once
def _is_entered(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is made the default one by hand: helpers elsewhere run ops in it without its name."""
    if any(use.kind == "attribute" and use.name == _ENTERING for use in _uses_of(project, opening)):
        return True
    # A field of an object that is not followed: ``worker.sess = tf.Session()``, ``worker.sess.__enter__()``.
    facts = project.facts(opening.call.key)
    assert facts is not None
    kept = {
        spelled(target) for target in facts.statements[opening.call.statement].targets if target is not None
    }
    return any(
        site.scope == opening.call.scope
        and isinstance(site.call.func, Attribute)
        and site.call.func.attr == _ENTERING
        and spelled(site.call.func.value) in kept - {None}
        for site in facts.calls
    )


def _is_another_entered(project: Project, opening: SessionOpening) -> bool:
    """Whether a program that may open a session makes another one the default one, too."""
    programs = _programs_opening(project, opening)
    return any(
        one.call.expr is not opening.call.expr
        and _is_entered(project, one)
        and any(may_run(project, one.call, program) for program in programs)
        for one in session_openings(project)
    )


@once
def surely_trains(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is seen to run what an optimizer makes."""
    found = _fetchings(project, opening)
    if _runs_a_train_op(project, opening, found):
        return True
    return optimizes(project, opening.call.key) and _fetch_train_op(project, found)


def _keras_steps(project: Project) -> tuple[Ref, ...]:
    """The functions that run updates in the session of Keras, where one of its optimizers gives some."""
    asked = library_calls(project, ("get_updates",))
    if not any(".keras." in name for one in asked for name in externals_called(project, one)):
        return ()
    return tuple(
        one
        for one in library_calls(project, ("function",))
        if isinstance(one.expr, Call)
        and argument(one.expr, "updates", 2) is not None
        and any(name.endswith(".keras.backend.function") for name in externals_called(project, one))
    )


def _trains_in_another(project: Project, opening: SessionOpening) -> bool:
    """Whether a program of a session is seen to train in another one, or by an Estimator."""
    programs = set(project.programs_of(opening.call.key))
    if any(_shares_a_program(project, made, opening) for made in trained_estimators(project)):
        return True
    return any(
        one.call.expr is not opening.call.expr
        and not programs.isdisjoint(project.programs_of(one.call.key))
        and surely_trains(project, one)
        for one in session_openings(project)
    )


def _trains_by_a_detour(project: Project, opening: SessionOpening, found: list[Fetching]) -> bool:
    """Whether a session runs the train op of an object, though no call shows that the program gets to it.

    It does if that is seen, or if an object that nobody sees made has what it runs, or gets the session.
    """
    programs = _programs_opening(project, opening)
    if not get_to_gradients(project, programs, may_run):
        return False
    if steps_on_the_host(project, found):
        return True
    if _goes_unseen(project, opening, found):
        initializers = library_calls(project, tuple(sorted(INITIALIZERS)))
        for_training = opening.name == session_configs.TRAINING_SESSION
        runs_one = for_training or _may_get_to(project, initializers, opening)
    else:
        runs_one = _fetch_train_op(project, found)
    # This costs most to find out.
    return (runs_one or _trains_by_name(project, opening, found)) and get_to_train_op(
        project, programs, may_run
    )


def _goes_unseen(project: Project, opening: SessionOpening, found: list[Fetching]) -> bool:
    """Whether an object that nobody sees made has what a session runs, or gets the session."""
    if any(_is_of_the_unseen(project, one.fetches.ref) for one in found):
        return True
    return any(goes_to_the_unseen(project, use) for use in _uses_of(project, opening))


def _trains_by_name(project: Project, opening: SessionOpening, found: list[Fetching]) -> bool:
    """Whether a session runs what is a train op in the classes that have a field, or method, of its name.

    It is read of an object of which nobody sees the class.
    """
    fields = (values for one in found for values in values_by_name(project, one.fetches.ref))
    named = [*chain.from_iterable(fields)]
    for made in sessions_made(project, opening):
        named += [run for use in uses(project, made) for run in runs_by_name(project, use)]
    return any(fetch_trains(project, value) for value in named)


@once
def _may_get_to(project: Project, refs: tuple[Ref, ...], opening: SessionOpening) -> bool:
    """Whether a program of a session may get to one of `refs`."""
    programs = _programs_opening(project, opening)
    return any(may_run(project, ref, program) for ref in refs for program in programs)


@once
def _programs_opening(project: Project, opening: SessionOpening) -> tuple[str, ...]:
    """The programs of a session, in order: those that may open it if any does."""
    programs = sorted(project.programs_of(opening.call.key))
    return tuple(one for one in programs if may_run(project, opening.call, one)) or tuple(programs)


def _shares_a_program(project: Project, ref: Ref, opening: SessionOpening) -> bool:
    """Whether a program of the file with a session is seen to get to `ref`."""
    return any(is_reached(project, ref, one) for one in project.programs_of(opening.call.key))


def _sources(project: Project, found: list[Fetching]) -> Sources:
    """What is run is made of; not complete if it is a field of an object that nobody is seen to make, or if
    other code puts it there."""
    sources = sources_of_fetches(project, found, longest=NEAR)
    unseen = any(_is_from_elsewhere(project, one.fetches.ref) for one in found)
    return sources._replace(complete=False) if unseen else sources


def _is_from_elsewhere(project: Project, fetched: Ref) -> bool:
    return _is_of_the_unseen(project, fetched) or is_put_there_elsewhere(project, fetched)


@once_at
def _is_of_the_unseen(project: Project, fetched: Ref) -> bool:
    """Whether what is fetched is a field of an object that nobody sees made, and may be a train op.

    It is none if the classes that have such fields are seen to put something else there.
    """
    if not is_field_of_the_unseen(project, fetched):
        return False
    fields = values_by_name(project, fetched)
    seen = bool(fields) and all(fields)
    return not seen or any(fetch_trains(project, value) for values in fields for value in values)


def _runs_a_train_op(project: Project, opening: SessionOpening, found: list[Fetching]) -> bool:
    """Whether a session is one of a training loop, or one of the runs `found` names a train op."""
    return opening.name in session_configs.TRAINING_LOOPS or any(
        _is_train_op(project, one.fetches.ref) for one in found
    )


def is_only_looked_at(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is opened for its graph: in a block that reads nothing else of it, nor calls what may
    take it for the default session."""
    facts = project.facts(opening.call.key)
    assert facts is not None
    block = facts.statements[opening.call.statement]
    if block.kind != "With" or not any(value is opening.call.expr for value in block.values):
        return False
    read = uses(project, opening.call)
    return (
        bool(read)
        and all(use.kind == "attribute" and use.name in _LOOKED_AT for use in read)
        and not any(
            block.id in ancestors(facts, site.statement)
            and _call_may_run_ops(project, block, ref_of_call(facts.key, site))
            for site in facts.calls
        )
    )


def _call_may_run_ops(project: Project, block: Statement, call: Ref) -> bool:
    """Whether a call in a block may run ops in its session: no method of the session's fields, of TensorFlow,
    and no function of Python's own does, but for those that run one."""
    assert isinstance(call.expr, Call)
    root = call.expr.func
    if last_name(root) in _RUNNING or call_targets(project, call):
        return True
    if externals_called(project, call):
        return False
    while isinstance(root, Attribute):
        root = root.value
    if root is call.expr.func:
        facts = project.facts(call.key)
        assert facts is not None
        return not isinstance(root, Name) or lookup(facts, call.scope, root.id) is not None
    names = {target.id for target in block.targets if isinstance(target, Name)}
    return not isinstance(root, Name) or root.id not in names


class Fetched(NamedTuple):
    """What a session is seen to run: the runs, all calls that make it, and whether that is all."""

    fetchings: tuple[Fetching, ...]
    calls: tuple[Ref, ...]
    complete: bool


def fetched_by(project: Project, opening: SessionOpening) -> Fetched:
    """What a session runs, as far as that is seen; not complete if it goes to where nobody looks."""
    found = _fetchings(project, opening)
    sources = _sources(project, found)
    out_of_sight = _goes_out_of_sight(project, opening)
    is_seen = bool(found) and sources.complete and not any(_is_named_op(one) for one in found)
    return Fetched(tuple(found), sources.calls, is_seen and not out_of_sight)


def may_run_ops(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is seen to run anything, or goes to where nobody looks."""
    return bool(_fetchings(project, opening)) or _goes_out_of_sight(project, opening)


def _is_named_op(run: Fetching) -> bool:
    """Whether a run fetches an op by its name: what it does, its name does not say."""
    return any(":" not in name for name in named(run.fetches.ref.expr))


def run_trains(project: Project, run: Fetching) -> bool:
    """Whether one run, as its own callers have it, is seen to run what an optimizer makes."""
    return _fetch_train_op(project, [run])


def _fetch_train_op(project: Project, runs: list[Fetching]) -> bool:
    """Whether one of some runs is seen to run what an optimizer makes."""
    return is_optimized(project, sources_of_fetches(project, runs, longest=NEAR))


def is_seen_not_to_train(project: Project, opening: SessionOpening) -> bool:
    """Whether all that a session runs is seen, and nothing of it trains."""
    return fetched_by(project, opening).complete and not surely_trains(project, opening)


def is_of_keras(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is handed to Keras, which trains in it."""
    return any(_becomes_keras_session(project, use) for use in _uses_of(project, opening))


def fetch_is_seen_not_to_train(project: Project, fetched: Ref) -> bool:
    """Whether all that is behind something that is run is seen, and nothing of it trains."""
    if _is_from_elsewhere(project, fetched):
        return False
    sources = sources_of_values(project, (traced(fetched),))
    return sources.complete and not is_optimized(project, sources) and not _is_train_op(project, fetched)


def initializes(project: Project, key: str) -> bool:
    """Whether a file gives variables their first values: a session that is to train needs that."""
    facts = project.facts(key)
    return facts is not None and not INITIALIZERS.isdisjoint(facts.words)


def _is_train_op(project: Project, fetched: Ref) -> bool:
    """Whether what is fetched is an optimizer's op, or a collection or group of ops with one."""
    stack, seen = [fetched], set[int]()
    while stack:
        for origin in origins(project, stack.pop()):
            expr = origin.expr
            if id(expr) in seen:
                continue
            seen.add(id(expr))
            if makes_train_op(project, origin):
                return True
            grouped = isinstance(expr, Call) and externals_called(project, origin) & _GROUPS
            if isinstance(expr, (Collection, Mapping)) or grouped:
                stack.extend(origin._replace(expr=part, path=()) for part in children(expr)[bool(grouped) :])
    return False


def _only_reads(project: Project, fetched: Ref) -> bool:
    """Whether all that is fetched is the result of ``dataset.reduce``, or a tensor of an imported graph."""
    parts = EachOnce([fetched])
    for part in parts:
        made_by = origins(project, part)
        for one in made_by:
            if isinstance(one.expr, Collection):
                parts.add(*(one._replace(expr=item, path=()) for item in children(one.expr)))
            elif not (_is_reduced(project, one) or _is_imported_tensor(project, one)):
                return False
        if not made_by:
            return False
    return True


def _is_reduced(project: Project, ref: Ref) -> bool:
    call = ref.expr
    if not isinstance(call, Call) or not isinstance(call.func, Attribute) or call.func.attr != _REDUCE:
        return False
    reduced = origins(project, ref._replace(expr=call.func.value, path=()))
    return any(makes_data(project, one) for one in reduced)


def _is_imported_tensor(project: Project, ref: Ref) -> bool:
    """Whether something is what ``import_graph_def`` returns for names of tensors, such as ``loss:0``."""
    if not isinstance(ref.expr, Call) or "tensorflow.import_graph_def" not in externals_called(project, ref):
        return False
    asked = argument(ref.expr, "return_elements", 2)
    names = children(asked) if isinstance(asked, Collection) else ()
    return bool(names) and all(
        isinstance(name, Constant) and isinstance(name.value, str) and ":" in name.value for name in names
    )


def fetch_trains(project: Project, fetched: Ref) -> bool:
    """Whether something that is run is, or is made by, an op that trains."""
    return _is_train_op(project, fetched) or is_optimized(
        project, sources_of_values(project, (traced(fetched),), longest=NEAR)
    )


@once
def program_trains(project: Project, program: str) -> bool:
    """Whether a program gets to code that trains: an optimizer, Keras, an Estimator, an imported op."""
    files = project.programs.by_entry[program].files
    if files.isdisjoint(files_that_may_use_tensorflow(project)):
        return False  # a ``fit`` that nothing is known of is one of another library
    fits = library_calls(project, _KERAS_TRAINING)
    found = [*trained_estimators(project), *fits, *library_calls(project, _ESTIMATOR_TRAINING)]
    found += runs_of_named_train_ops(project)
    if any(key in files for name in _TRAINING_METHODS for key, _ in project.calls_named(name)):
        # Which of its methods are called, many a program decides by a flag.
        found += library_calls(project, _ESTIMATORS)

    def gets_to(ref: Ref) -> bool:
        return ref.key in files and is_reached(project, ref, program)

    if any(map(gets_to, found)) or get_to_train_op(project, (program,), is_reached):
        return True
    if any(ref.key in files and may_run(project, ref, program) for ref in fits):
        return True
    opened = (one for one in session_openings(project) if one.call.key in files)
    return any(trains(project, one) and may_run(project, one.call, program) for one in opened)


@once
def reads_data(project: Project, opening: SessionOpening) -> bool:
    """Whether a session takes its batches from a ``tf.data`` iterator, without a detour through the host."""
    if not any(makes_dataset(project, one) for one in project.programs_of(opening.call.key)):
        return False
    found = _fetchings(project, opening)
    sources = sources_of_fetches(project, found, end="read")
    if not sources.iterators:
        if any(owns_pipeline(project, made) for made in sessions_made(project, opening)):
            return True
        if is_optimized(project, sources):
            return False
        return _trains_elsewhere_from_data(project, opening, certainly=not _sources(project, found).complete)
    lost = [one for one in found if _is_lost(project, one.call)]
    if sources_of_fetches(project, lost, end="read").iterators:
        return True
    fed_back = all_runs_fed_back(project, project.neighbours(opening.call.key))
    unfed = [one for one in found if id(one.call.expr) not in fed_back]
    direct = sources_of_fetches(project, unfed, end="read")
    if direct.iterators:
        return True
    others = sources_of_fetches(project, [one for one in found if id(one.call.expr) in fed_back])
    return bool(others.iterators) and is_optimized(project, others)


def _trains_elsewhere_from_data(project: Project, opening: SessionOpening, certainly: bool) -> bool:
    """Whether a session goes to code that cannot be seen, which has to run a train op that reads data.

    `certainly`: what it runs cannot be seen, such as an op that a subclass makes.
    """
    if not certainly and not _goes_out_of_sight(project, opening):
        return False
    made = train_ops(project, project.programs_of(opening.call.key))
    return bool(sources_of_values(project, map(traced, made)).iterators)


def _is_lost(project: Project, run: Ref) -> bool:
    """Whether nobody gets what a run gives: a call that is a statement of its own."""
    facts = project.facts(run.key)
    assert facts is not None
    statement = facts.statements[run.statement]
    return statement.kind == "Expr" and any(value is run.expr for value in statement.values)


@once
def _fetchings(project: Project, opening: SessionOpening) -> list[Fetching]:
    """What is run in a session, by code that a program which opens it may get to.

    A class often has one method that trains and one that predicts: a script that calls only the second one
    does not train.
    """
    made = sessions_made(project, opening)
    found = [
        run for one in made for run in fetchings_of(project, one) if _is_run_for_its_object(project, run)
    ]
    programs = [
        one for one in sorted(project.programs_of(opening.call.key)) if may_run(project, opening.call, one)
    ]
    if not programs:
        return found
    return [one for one in found if _may_run_in(project, one.call, tuple(programs))]


def _may_run_in(project: Project, run: Ref, programs: tuple[str, ...]) -> bool:
    """Whether one of some programs may get to a run; so it may if none of all programs does, as with methods
    of a library."""
    if any(may_run(project, run, one) for one in programs):
        return True
    return not any(may_run(project, run, one) for one in project.programs_of(run.key) if one not in programs)


def _is_run_for_its_object(project: Project, run: Fetching) -> bool:
    """Whether the method with a run may be called for the object that has got the session."""
    facts = project.facts(run.call.key)
    assert facts is not None
    method = Definition(run.call.key, enclosing_function(facts, run.call.scope))
    made = construction_of(project, method, run.session)
    return made is None or may_run_for(project, method, made, calls_perhaps)


def _becomes_keras_session(project: Project, use: Use) -> bool:
    return use.kind == "argument" and any(
        name.endswith(".set_session") for name in externals_called(project, use.ref)
    )


def _is_native_keras_session(project: Project, use: Use) -> bool:
    return use.kind == "argument" and "keras.backend.set_session" in externals_called(project, use.ref)


def _uses_of(project: Project, opening: SessionOpening) -> list[Use]:
    """What becomes of a session, under whatever name."""
    return [use for made in sessions_made(project, opening) for use in uses(project, made)]


def _goes_out_of_sight(project: Project, opening: SessionOpening) -> bool:
    return any(_is_out_of_sight(project, use) for use in _uses_of(project, opening))


def _is_out_of_sight(project: Project, use: Use) -> bool:
    """Whether somebody who cannot be seen gets the session, and may run anything in it."""
    if use.kind in ("stored", "returned", "contained"):
        return True
    if use.kind != "argument" or leaves_session_alone(use):
        return False
    names = externals_called(project, use.ref)
    if any(name.startswith((*tf.RUNNING_OPTIMIZERS, *tf.RUNNING_IN_THREADS)) for name in names):
        return True
    return not names or not all(name.startswith(OUR_LIBRARIES) for name in names)
