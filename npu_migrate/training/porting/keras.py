"""Keras models that train in a session that nobody has given an entry, and the place to set one.

Keras makes its session when it first needs one, without a config (TensorFlow 1.15
``tensorflow/python/keras/backend.py`` [TF]).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    FileFacts,
    Statement,
    argument,
    last_name,
)
from npu_migrate.index.guards import is_for_scripts
from npu_migrate.index.names import ancestors, enclosing_function
from npu_migrate.intents import Intent, Side
from npu_migrate.knowledge import session_configs, training_libraries
from npu_migrate.knowledge.tensorflow import APP_RUNS
from npu_migrate.places import Place
from npu_migrate.project.once import once, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.contexts import traced
from npu_migrate.semantics.dead_code import is_dead
from npu_migrate.semantics.flow import activations, call_targets, externals_called, instance_classes, origins
from npu_migrate.semantics.resolution import Definition, External, all_bases
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.reachability import Steps, beginnings, calls_seen, is_reached, is_run_by
from npu_migrate.training.porting.config_edits import CONFIG_NAME, ENTRY_NAME, NAME_TAKEN
from npu_migrate.training.porting.edit import NO_CHANGE, Edit, refused
from npu_migrate.training.porting.entry_code import entry_lines, import_of, inserted
from npu_migrate.training.porting.features.distributed.distribution import strategies
from npu_migrate.training.porting.features.own_graphs import GraphBlock, graphs_around, resets_of
from npu_migrate.training.porting.session_openings import session_openings
from npu_migrate.training.porting.spelling import new_names
from npu_migrate.training.porting.staying.test_code import in_test
from npu_migrate.training.porting.ways import calls_perhaps
from npu_migrate.training.reading.read_data import sources_of_values

TRAINING = ("fit", "fit_generator", "train_on_batch")
TF_KERAS = "tensorflow.keras."
"""Stands for all of TensorFlow's Keras."""
_TF_KERAS = (TF_KERAS, "tensorflow.python.keras.")
_NATIVE_KERAS = "keras."
_DEEPEST = 8
"""How many functions may call each other around a ``clear_session()`` at the end of a program."""

_USING_SESSIONS = (
    *TRAINING,
    "batch_get_value",
    "batch_set_value",
    "evaluate",
    "evaluate_generator",
    "get_session",
    "get_value",
    "get_weights",
    "load_model",
    "load_weights",
    "predict",
    "predict_generator",
    "predict_on_batch",
    "set_value",
    "set_weights",
    "test_on_batch",
)
"""Calls that make Keras's session, where there is none yet, and keep in it what another one would lose."""

_WITH_WEIGHTS = tuple(f"{home}applications." for home in _TF_KERAS)

_SETS = ("set_session", "set_keras_session_npu_config", "npu_clear_session")

CLEARED = "clear_session() makes another session later"
OTHER_SESSION = "the program opens sessions of its own, one of which Keras may take"
UNDER_STRATEGY = "a strategy decides about the session of its models"
OWN_GRAPH = (
    "the model trains in a graph of its own, where Keras takes no session that was set for another graph: "
    "set one there"
)
NEW_GRAPH = (
    "reset_default_graph() makes another graph later, where Keras takes no session that was set before"
)
IN_IMPORT = "a module that the script imports makes Keras's session already"
NO_PLACE = "no place in the entry script was found that runs before Keras does"


class KerasTraining(NamedTuple):
    """A call that trains a Keras model; `native` if the model is one of the package keras."""

    call: Ref
    native: bool


@once
def keras_trainings(project: Project) -> tuple[KerasTraining, ...]:
    """The calls that train Keras models, in order of file and place; none of tests and none that is eager."""
    return tuple(sorted(_find(project), key=lambda one: (one.call.key, one.call.expr.span)))


def _find(project: Project) -> Iterator[KerasTraining]:
    for name in TRAINING:
        for key, site in project.calls_named(name):
            if not isinstance(site.call.func, Attribute):
                continue
            call = ref_of_call(key, site)
            modules = keras_of(project, call._replace(expr=site.call.func.value))
            if modules and not in_test(project, call) and not is_eager(project, call):
                yield KerasTraining(call, modules == {_NATIVE_KERAS})


def keras_of(project: Project, model: Ref) -> set[str]:
    """Which Keras a model is made by: the names of TensorFlow's and of the package of its own.

    What prepares data is no model, though it has a method ``fit``, too.
    """
    found: set[str] = set()
    names = {name for origin in origins(project, model) for name in externals_called(project, origin)}
    for owner in instance_classes(project, model):
        names |= {base.name for base in all_bases(project, owner) if isinstance(base, External)}
    for name in names:
        if training_libraries.KERAS_PREPROCESSING in name:
            continue
        if name.startswith(_TF_KERAS):
            found.add(TF_KERAS)
        elif name.startswith(_NATIVE_KERAS):
            found.add(_NATIVE_KERAS)
        elif name.startswith(training_libraries.EITHER_KERAS):
            switched = project.mentions(training_libraries.TF_KERAS_SWITCH)
            found.add(TF_KERAS if switched else _NATIVE_KERAS)
    return found


@once
def trained_without_session(project: Project) -> tuple[Ref, ...]:
    """For each program, the first call that trains a model of ``tf.keras`` if no session is set there."""
    found = {}
    for program in project.programs.by_entry:
        ours = [one.call for one in _trainings_of(project, program) if not one.native]
        if ours and not _sets_session(project, program):
            found[id(ours[0].expr)] = ours[0]
    return tuple(found.values())


def _trainings_of(project: Project, program: str) -> list[KerasTraining]:
    files = project.programs.by_entry[program].files
    return [
        one
        for one in keras_trainings(project)
        if one.call.key in files and is_reached(project, one.call, program)
    ]


def _sets_session(project: Project, program: str) -> bool:
    return any(_calls_in(project, program, name) for name in _SETS)


def _calls_in(project: Project, program: str, name: str) -> list[Ref]:
    files = project.programs.by_entry[program].files
    return [ref_of_call(key, site) for key, site in project.calls_named(name) if key in files]


def plan_unseen_model(project: Project, training: Ref, programs: tuple[str, ...]) -> Edit:
    """The edit that sets a session with the entry in `programs` that train a model which nobody sees made."""
    call = training.expr
    if not (isinstance(call, Call) and isinstance(call.func, Attribute) and call.func.attr in TRAINING):
        return NO_CHANGE  # what the model reads is not seen
    intents: list[Intent] = []
    for program in programs:
        if _sets_session(project, program) or _has_native_keras(project, program):
            return refused(OTHER_SESSION)
        edit = _plan_program(project, program, [training], _Reach(calls_perhaps, _may_be_of_keras))
        if edit.obstacle:
            return edit
        intents += edit.intents
    return Edit(tuple(dict.fromkeys(intents)))


def _has_native_keras(project: Project, program: str) -> bool:
    """Whether a file of a program imports the package keras: which of the two a model is of, nobody knows."""
    found = map(project.facts, project.programs.by_entry[program].files)
    return any(facts is not None and _imports_native_keras(project, facts) for facts in found)


@once_per_file
def _imports_native_keras(facts: FileFacts) -> bool:
    return any(
        target.level == 0 and target.module.partition(".")[0] == _NATIVE_KERAS[:-1]
        for target in facts.import_targets()
    )


def plan_keras(project: Project, training: Ref) -> Edit:
    """The edit that sets a session with the entry before Keras needs one, in all programs that train here."""
    intents: list[Intent] = []
    for program in project.programs_of(training.key):
        calls = [one.call for one in _trainings_of(project, program) if not one.native]
        if not any(one.expr is training.expr for one in calls[:1]):
            continue
        edit = _plan_program(project, program, calls, _Reach(calls_seen, _may_lead_to_keras))
        if edit.obstacle:
            return edit
        intents += edit.intents
    return Edit(tuple(dict.fromkeys(intents)))


class _Reach(NamedTuple):
    """What counts as code that leads to Keras: `steps` to a function, and calls that may use it."""

    steps: Steps
    uses_keras: Callable[[Project, Ref], bool]


class _Place(NamedTuple):
    """Where a session is set in the entry script: on a `side` of a statement at its top level, or in a block
    there. `spelling` is TensorFlow's name."""

    anchor: Statement
    side: Side
    spelling: str


def _plan_program(project: Project, program: str, trainings: list[Ref], reach: _Reach) -> Edit:
    """The edit of one program, which sets a session with the entry before Keras needs one."""
    found = _place_in(project, program, trainings, reach)
    if isinstance(found, str):
        return refused(found)
    facts = project.facts(program)
    assert facts is not None
    imports = import_of(project, facts, 0, session_configs.REWRITER_CONFIG)
    if imports is None:
        return refused(NAME_TAKEN)
    anchor, side, spelling = found
    at_anchor = Ref(program, 0, anchor.id, anchor.values[0])
    config, entry = new_names(project, at_anchor, 0, CONFIG_NAME, ENTRY_NAME)
    offload = any(_fits_data(project, one) for one in trainings)
    lines = (
        f"{config} = {spelling}.ConfigProto()",
        *entry_lines(config, entry, offload=offload, soft=True),
        f"{spelling}.keras.backend.set_session({spelling}.Session(config={config}))",
    )
    return Edit((*inserted(Place(program, anchor.span), side, lines), *imports))


def _place_in(project: Project, program: str, trainings: list[Ref], reach: _Reach) -> _Place | str:
    """Where a program can set a session for Keras, or why it cannot."""
    files = project.programs.by_entry[program].files
    facts = project.facts(program)
    spelling = None if facts is None else tensorflow_spelling(project, facts, 0)
    known_from = (0, 0) if facts is None or spelling is None else _imported_at(facts, spelling)
    around = graphs_around(project, trainings, files, reach.steps)
    block = next((one for one in around.blocks if one.key == program), None)
    if not around.known or len(around.blocks) > 1 or bool(around.blocks) != (block is not None):
        return OWN_GRAPH
    anchor = None if facts is None else _first_use(project, facts, known_from, reach, block)
    if block is not None and (
        anchor is None or not all(_is_inside(project, one, block) for one in trainings)
    ):
        return OWN_GRAPH
    if anchor is not None and any(
        ref.key != program or ref.scope != 0 or ref.expr.span > anchor.span
        for ref in resets_of(project, files)
    ):
        return NEW_GRAPH
    side = _side_of_clearing(project, program, anchor)
    if side is None:
        return CLEARED
    if any(one.ref.key in files and not is_dead(project, one.ref) for one in strategies(project)):
        return UNDER_STRATEGY
    if any(one.call.key in files for one in session_openings(project)):
        return OTHER_SESSION
    if spelling is None or anchor is None:
        return NO_PLACE
    earlier = _early_uses(project, program, anchor)
    if earlier:
        return IN_IMPORT if any(ref.key != program for ref in earlier) else NO_PLACE
    return _Place(anchor, side, spelling)


def _side_of_clearing(project: Project, program: str, anchor: Statement | None) -> Side | None:
    """After a statement that only clears Keras's session, else before it; None if others end the session."""
    side = Side.BEFORE
    for ref in _calls_in(project, program, "clear_session"):
        if not _is_keras(project, ref):
            continue
        if anchor is not None and ref.key == program and anchor.values == (ref.expr,):
            side = Side.AFTER
        elif not _ends_keras(project, ref):
            return None
    return side


def _is_keras(project: Project, ref: Ref) -> bool:
    return any("keras" in name for name in externals_called(project, ref))


def _ends_keras(project: Project, ref: Ref) -> bool:
    """Whether nothing may need Keras after a statement that is run once, as far as the calls show."""
    for _ in range(_DEEPEST):
        facts = project.facts(ref.key)
        assert facts is not None
        around = (facts.statements[number] for number in ancestors(facts, ref.statement))
        inside = [one for one in around if one.scope == facts.statements[ref.statement].scope]
        if any(one.kind in ("For", "AsyncFor", "While") for one in inside):
            return False
        later = (
            ref_of_call(ref.key, site)
            for site in facts.calls
            if site.scope == ref.scope and site.call.span > ref.expr.span
        )
        if any(_may_lead_to_keras(project, one) for one in later):
            return False
        function = enclosing_function(facts, ref.scope)
        if function == 0:
            return ref.scope == 0
        callers = activations(project, Definition(ref.key, function))
        if ref.scope != function or len(callers) != 1:
            return False
        ref = callers[0]
    return False


def _may_lead_to_keras(project: Project, call: Ref) -> bool:
    names = externals_called(project, call)
    return (
        bool(call_targets(project, call) or names & APP_RUNS)
        or any(one.startswith(_TF_KERAS) for one in names)
        or (not names and isinstance(call.expr, Call) and last_name(call.expr.func) in TRAINING)
    )


def _may_be_of_keras(project: Project, call: Ref) -> bool:
    """Like `_may_lead_to_keras`, of a model that nobody sees made: any call that cannot be followed may."""
    return _may_lead_to_keras(project, call) or not externals_called(project, call)


def _fits_data(project: Project, training: Ref) -> bool:
    assert isinstance(training.expr, Call)
    given = argument(training.expr, "x", 0)
    if given is None:
        return False
    return sources_of_values(project, (traced(training._replace(expr=given)),)).makes_data


def _imported_at(facts: FileFacts, spelling: str) -> tuple[int, int]:
    """Where a script begins to know TensorFlow by this name."""
    bound = facts.scopes[0].bindings.get(spelling.partition(".")[0], ())
    return min((facts.statements[one.statement].span[2:] for one in bound), default=(0, 0))


def _early_uses(project: Project, program: str, anchor: Statement) -> list[Ref]:
    """What makes Keras's session before `anchor`: in modules that are imported, or above it in the script."""
    files = project.programs.by_entry[program].files
    found = (
        one
        for name in _USING_SESSIONS
        for call in _calls_in(project, program, name)
        if _may_use_session(project, call)
        for one in beginnings(project, call, files)
    )
    loading = (
        ref_of_call(facts.key, site)
        for facts in map(project.facts, sorted(files))
        if facts is not None
        for site in facts.calls
        if site.scope == 0
    )
    return [
        one
        for one in (*found, *(ref for ref in loading if _loads_weights(project, ref)))
        if (is_run_by(project, one, program) if one.key != program else one.expr.span[:2] < anchor.span[:2])
    ]


def _may_use_session(project: Project, call: Ref) -> bool:
    names = externals_called(project, call)
    return not call_targets(project, call) and (not names or _is_keras(project, call))


def _loads_weights(project: Project, call: Ref) -> bool:
    return any(name.startswith(_WITH_WEIGHTS) for name in externals_called(project, call))


def _is_inside(project: Project, ref: Ref, block: GraphBlock) -> bool:
    """Whether code is in a block itself, not in a function that is called there."""
    facts = project.facts(ref.key)
    assert facts is not None
    return ref.key == block.key and block.statement in ancestors(facts, ref.statement)


def _first_use(
    project: Project,
    facts: FileFacts,
    known_from: tuple[int, int],
    reach: _Reach,
    block: GraphBlock | None,
) -> Statement | None:
    """The first statement of a script, outside of functions and behind a place, that may lead to Keras.

    It has to be in `block`, if that is given.
    """
    for site in sorted(facts.calls, key=lambda one: one.call.span):
        statement = facts.statements[site.statement]
        if statement.scope != 0 or statement.kind in ("FunctionDef", "ClassDef", "AsyncFunctionDef"):
            continue
        if statement.span[:2] < known_from:
            continue
        ref = ref_of_call(facts.key, site)
        if reach.uses_keras(project, ref):
            anchor = _outermost(facts, statement, NOTHING if block is None else block.statement)
            is_there = block is None or anchor.parent == block.statement
            return anchor if anchor.values and is_there else None
    return None


def _outermost(facts: FileFacts, statement: Statement, block: int) -> Statement:
    """The statement around it at the top of the module, or of a block: that which runs the file as a script,
    or the given one."""
    for number in ancestors(facts, statement.id):
        outer = facts.statements[number]
        if number == block:
            return statement
        is_choice = outer.parent == NOTHING and outer.kind == "If"
        if is_choice and is_for_scripts(outer.values[0], statement.block):
            return statement
        statement = outer
    return statement
