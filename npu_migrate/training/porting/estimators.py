"""Estimators that train without the NpuOptimizer entry, and what puts them on the NPU.

The way of an entry to an Estimator is the ``session_config`` of its ``RunConfig`` (DOC-PORT,
CODE:npu_estimator.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import Attribute, Call, Constant, Expr, Name, argument, is_starred
from npu_migrate.index.names import lookup
from npu_migrate.intents import Intent, SetArgument, WrapExpression
from npu_migrate.knowledge import npu, session_configs
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import callee_definitions, externals_called, origins
from npu_migrate.semantics.statements import names_of_scope
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.npu.configs import run_configs
from npu_migrate.training.npu.readings import trained_estimators
from npu_migrate.training.npu.trainings import is_npu_estimator
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.porting.config_edits import NAME_TAKEN, NOT_IN_VIEW, Wanted, plan_entry
from npu_migrate.training.porting.configured import has_entry, may_be_configured
from npu_migrate.training.porting.edit import Edit, refused
from npu_migrate.training.porting.entry_code import import_of
from npu_migrate.training.porting.features.constructors import construction, made_by
from npu_migrate.training.porting.movable import stays_on_host
from npu_migrate.training.porting.session_openings import given_config, is_none
from npu_migrate.training.porting.staying.cpu_configs import asks_for_cpu
from npu_migrate.training.porting.staying.test_code import in_test
from npu_migrate.training.reading.estimator_inputs import inputs_of, sources_of_input

NO_RUN_CONFIG = "a TPUEstimator needs a RunConfig of its own"
USES_TPU = "use_tpu may be True"
BY_HELPER = (
    "where the RunConfig is made was not recognised, so npu_bridge's npu_run_config_init changes it, which "
    "leaves enable_data_pre_proc off though the Estimator may read tf.data"
)
CLASS_NOT_IN_VIEW = (
    "what its class hands to the constructor of TensorFlow's cannot be seen: have it hand on a RunConfig "
    "whose session_config has an NpuOptimizer entry"
)
OWN_CONSTRUCTOR = (
    "its class has a constructor of its own, and which call in it makes the Estimator is not certain"
)
FOR_OTHERS_TOO = "the constructor of its class also makes Estimators that are not to be moved"
EITHER_CLASS = "which class of Estimators it is of is not certain"
OBSOLETE = "its RunConfig is one of tf.contrib.learn"

_CONFIG_POSITIONS = {"Estimator": 2, "TPUEstimator": 2, "model_to_estimator": 4}
_HELPER = npu.RUN_CONFIG_HELPER.rpartition(".")[2]
_SOFT = "allow_soft_placement=True"
"""What a config gets that stands in for Estimator's own, which has it [TF]."""


class Holder(NamedTuple):
    """What holds the session config of an Estimator: a ``RunConfig`` call, or a ``replace`` that says it.

    `given` is the config that it holds, if any, and `in_view` tells that it holds no other; `name` what is
    called; `call` is no call where nobody can see what it is.
    """

    call: Ref
    name: str
    given: Ref | None
    in_view: bool = True


@once
def estimators_to_move(project: Project) -> tuple[Ref, ...]:
    """The calls that make an Estimator that trains and has no entry, in order of file and place."""
    found = [made for made in trained_estimators(project) if _is_to_be_moved(project, made)]
    return tuple(sorted(found, key=lambda ref: (ref.key, ref.expr.span)))


def _is_to_be_moved(project: Project, made: Ref) -> bool:
    if in_test(project, made) or is_eager(project, made) or _chooses_by_device(project, made):
        return False
    all_held = holders(project, made)
    held = [one for one in all_held if not in_test(project, one.call)]
    if all_held and not held:
        return False
    configured = [_is_configured(project, one) for one in held]
    if held and all(configured):
        return False
    if any(configured) and not project.options.port:
        return False  # which of several configs it is to be, the program decides
    return not any(one.given is not None and asks_for_cpu(project, one.given) for one in held)


def _chooses_by_device(project: Project, made: Ref) -> bool:
    """Whether the programs of an Estimator make an ``NPUEstimator`` as well: they take this one elsewhere."""
    near = project.neighbours(made.key)
    return any(
        one.key in near and is_npu_estimator(project, one) for one in trained_estimators(project)
    ) or any(call.key in near for call in run_configs(project))


def _is_configured(project: Project, holder: Holder) -> bool:
    if holder.given is not None:
        return has_entry(project, holder.given)
    if not holder.in_view and may_be_configured(project, holder.call):
        return True
    return has_entry(project, holder.call)


def _config_of(project: Project, made: Ref) -> tuple[Ref, ...] | None:
    """What an Estimator may get as config; None if that cannot be told."""
    passed = passed_objects(project, *_taking(project, made))
    return passed.values if passed.certain else None


def _last_word(project: Project, made: Ref) -> str:
    found = construction(project, made)
    return "" if found is None else found.base.rpartition(".")[2]


def _constructing(project: Project, made: Ref) -> Ref:
    """The call that gets what TensorFlow's constructor takes, which may be in the constructor of a class."""
    found = construction(project, made)
    return made if found is None else found.call


class _Taking(NamedTuple):
    """The call that takes the config of an Estimator, by which keyword, and at which position, if any."""

    call: Ref
    keyword: str
    position: int | None


def _taking(project: Project, made: Ref) -> _Taking:
    """Where an Estimator takes its config: a constructor that only hands its parameter on is no place.

    Nor is one that hands on all keywords that it does not know: ``super().__init__(model_fn=fn, **kwargs)``.
    """
    position = _CONFIG_POSITIONS.get(_last_word(project, made))
    call = _constructing(project, made)
    given = argument(call.expr, "config", position) if isinstance(call.expr, Call) else None
    if call.expr is not made.expr and given is None and _hands_keywords_on(project, call):
        return _Taking(made, "config", None)
    if call.expr is made.expr or not isinstance(given, Name):
        return _Taking(call, "config", position)
    facts = project.facts(call.key)
    assert facts is not None
    names = [one.name for one in facts.scopes[call.scope].parameters]
    found = lookup(facts, call.scope, given.id)
    if found is None or found.scope != call.scope or len(found.bindings) != 1 or given.id not in names:
        return _Taking(call, "config", position)
    return _Taking(made, given.id, names.index(given.id) - 1)


def _hands_keywords_on(project: Project, call: Ref) -> bool:
    """Whether a call in a constructor gets all keywords that this has no name for, as they came."""
    assert isinstance(call.expr, Call)
    facts = project.facts(call.key)
    assert facts is not None
    behind_stars = [one.value for one in call.expr.keywords if one.name is None]
    parameters = facts.scopes[call.scope].parameters
    if len(behind_stars) != 1 or any(map(is_starred, call.expr.args)):
        return False
    if any(one.name == "config" for one in parameters):
        return False
    (given,) = behind_stars
    name = next((one.name for one in parameters if one.kind == "varkeywords"), None)
    if name is None or not isinstance(given, Name) or given.id != name:
        return False
    return all(site.expr is given for site in names_of_scope(project, call.key, name, call.scope))


def _serves_others(project: Project, made: Ref, held: tuple[Holder, ...]) -> bool:
    """Whether what is to be changed is in the constructor of a class that also makes other Estimators."""
    call = _taking(project, made).call
    if held and all((one.call.key, one.call.scope) != (call.key, call.scope) for one in held):
        return False
    known = {id(one.expr) for one in trained_estimators(project)}
    return call.expr is not made.expr and any(id(one.expr) not in known for one in made_by(project, call))


@once
def holders(project: Project, made: Ref) -> tuple[Holder, ...]:
    """What may hold the session config of an Estimator."""
    found = tuple(_find_holders(project, made))
    replaced = {id(origin.expr) for one in found for origin in _replaced(project, one.call)}
    return tuple(one for one in found if _is_replace(one.call.expr) or id(one.call.expr) not in replaced)


def _replaced(project: Project, call: Ref) -> tuple[Ref, ...]:
    """What a ``replace`` makes another config of."""
    expr = call.expr
    if not isinstance(expr, Call) or not isinstance(expr.func, Attribute) or not _is_replace(expr):
        return ()
    return origins(project, call._replace(expr=expr.func.value))


def _is_replace(expr: Expr) -> bool:
    return isinstance(expr, Call) and isinstance(expr.func, Attribute) and expr.func.attr == "replace"


def _find_holders(project: Project, made: Ref) -> Iterator[Holder]:
    stack = list(_config_of(project, made) or ())
    seen: set[int] = set()
    while stack:
        for origin in origins(project, stack.pop()):
            if id(origin.expr) in seen or is_none(origin.expr):
                continue
            seen.add(id(origin.expr))
            call = origin.expr
            if not isinstance(call, Call):
                yield Holder(origin, "", None)
                continue
            names = externals_called(project, origin)
            replacing = _is_replace(call)
            given = given_config(project, origin, "session_config", None)
            if replacing and given.config is None:
                assert isinstance(call.func, Attribute)
                stack.append(origin._replace(expr=call.func.value))
            elif replacing:
                yield Holder(origin, session_configs.PLAIN_RUN_CONFIG, *given)
            elif names & session_configs.RUN_CONFIGS:
                (name, *_) = sorted(names & session_configs.RUN_CONFIGS)
                taken = given_config(project, origin, "session_config", _position_in(name))
                yield Holder(origin, name, *taken)
            else:
                yield Holder(origin, "", None)


def _position_in(run_config: str) -> int | None:
    """At which position a class of configs takes the ``session_config``, if at any."""
    is_plain = run_config == session_configs.PLAIN_RUN_CONFIG
    return session_configs.SESSION_CONFIG.position if is_plain else None


def plan_estimator(project: Project, made: Ref) -> Edit:
    """The edit that gives an Estimator the entry, or the reason why there is none."""
    assert isinstance(made.expr, Call)
    edit = _plan(project, made)
    of_own_class = edit.obstacle == NOT_IN_VIEW and callee_definitions(project, made, made.expr)
    return refused(CLASS_NOT_IN_VIEW) if of_own_class else edit


def _plan(project: Project, made: Ref) -> Edit:
    if construction(project, made) is None and not externals_called(project, made):
        return refused(OWN_CONSTRUCTOR)
    word = _last_word(project, made)
    tpu = _without_tpu(project, made) if word == "TPUEstimator" else ()
    if tpu is None:
        return refused(USES_TPU)
    values = _config_of(project, made)
    if values is None:
        return refused(NOT_IN_VIEW)
    held = holders(project, made)
    if _serves_others(project, made, held):
        return refused(FOR_OTHERS_TOO)
    if not held:
        if word == "TPUEstimator":
            return refused(NO_RUN_CONFIG)
        if any(not is_none(one.expr) for one in values):
            return _by_helper(project, made, values, word)
        return _with(_new_run_config(project, made, word), tpu)
    if not all(one.name for one in held):
        return _by_helper(project, made, values, word)
    edits = [
        _plan_holder(project, made, one)
        for one in held
        if not _is_configured(project, one) and not in_test(project, one.call)
    ]
    obstacle = next((one.obstacle for one in edits if one.obstacle), None)
    if obstacle is not None:
        return refused(obstacle)
    intents = tuple(dict.fromkeys(intent for one in edits for intent in one.intents))
    unsafe = next((one for one in edits if one.applicability is Applicability.UNSAFE), Edit(()))
    return _with(unsafe._replace(intents=intents), tpu)


def _with(edit: Edit, intents: tuple[Intent, ...]) -> Edit:
    return edit._replace(intents=(*edit.intents, *intents)) if edit.intents else edit


def _plan_holder(project: Project, made: Ref, holder: Holder) -> Edit:
    wanted = Wanted(
        holder.call,
        holder.name,
        "session_config",
        _position_in(holder.name),
        holder.given,
        reads_data(project, made),
        0,
        made_with=_SOFT,
    )
    return plan_entry(project, wanted, lambda call: stays_on_host(project, call))


def _new_run_config(project: Project, made: Ref, word: str) -> Edit:
    constructing = construction(project, made)
    if constructing is None:
        return refused(NOT_IN_VIEW)
    taking = _taking(project, made)
    return plan_entry(
        project,
        Wanted(
            taking.call,
            constructing.base,
            taking.keyword,
            taking.position,
            None,
            reads_data(project, made),
            _number_of(project, made) if taking.call.expr is made.expr else 0,
            lambda config, tf: f"{tf}.estimator.RunConfig(session_config={config})",
            _SOFT,
        ),
        lambda _: False,
    )


def _number_of(project: Project, made: Ref) -> int:
    """The how manyth Estimator of its scope this is."""
    same = [one for one in estimators_to_move(project) if (one.key, one.scope) == (made.key, made.scope)]
    return [one.expr for one in same].index(made.expr)


def _by_helper(project: Project, made: Ref, values: tuple[Ref, ...], word: str) -> Edit:
    made, keyword, position = _taking(project, made)
    facts = project.facts(made.key)
    assert facts is not None and isinstance(made.expr, Call)
    given = argument(made.expr, keyword, position)
    if not word:
        return refused(EITHER_CLASS)
    if given is None or word == "TPUEstimator":
        return refused(NOT_IN_VIEW)
    if any(_is_obsolete(project, one) for one in values):
        return refused(OBSOLETE)
    imports = import_of(project, facts, made.scope, _HELPER)
    if imports is None:
        return refused(NAME_TAKEN)
    wrap = WrapExpression(made._replace(expr=given).place, f"{_HELPER}(run_config=", ")")
    return Edit((wrap, *imports), Applicability.UNSAFE, assumes=BY_HELPER)


def _is_obsolete(project: Project, config: Ref) -> bool:
    return any(
        name.startswith("tensorflow.contrib.learn.")
        for origin in origins(project, config)
        for name in externals_called(project, origin)
    )


def _without_tpu(project: Project, made: Ref) -> tuple[Intent, ...] | None:
    """What makes a ``TPUEstimator`` one that uses no TPU; None where that is somebody else's decision."""
    made = _constructing(project, made)
    assert isinstance(made.expr, Call)
    given = argument(made.expr, "use_tpu", 4)
    if given is not None and evaluate(project, made._replace(expr=given)).every(lambda value: value is False):
        return ()
    if given is None or (isinstance(given, Constant) and given.value is True):
        return (
            (SetArgument(made.place, "use_tpu", "False"),)
            if given is None or len(made.expr.args) < 5
            else None
        )
    return None


def reads_data(project: Project, made: Ref) -> bool:
    """Whether an Estimator gets input functions that make a ``tf.data`` dataset."""
    return any(sources_of_input(project, one.function).makes_data for one in inputs_of(project, made))
