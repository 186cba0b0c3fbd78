"""Estimators that could be an ``NPUEstimator``, which brings npu_bridge's own hooks, and what makes them one.

Sources: CODE:npu_config.py and CODE:npu_estimator.py for what the classes take; the defaults of
``tf.estimator.RunConfig`` are TensorFlow's [TF].
"""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import Call, Expr, argument, is_starred
from npu_migrate.intents import DropItems, Intent, ReplaceExpression, SetArgument
from npu_migrate.knowledge import session_configs
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import Definition, definitions, scope_of
from npu_migrate.semantics.uses import uses
from npu_migrate.training.porting.config_edits import NAME_TAKEN
from npu_migrate.training.porting.edit import Edit, refused
from npu_migrate.training.porting.entry_code import import_of
from npu_migrate.training.porting.estimators import estimators_to_move
from npu_migrate.training.porting.session_openings import is_none
from npu_migrate.training.porting.spelling import source_text, tensorflow_at

_ESTIMATOR = "tensorflow.estimator.Estimator"
_NPU, _NPU_CONFIG = "NPUEstimator", "NPURunConfig"
_SPEC = "tensorflow.estimator.EstimatorSpec"
_SHARED_ARGUMENTS = 4
"""So many positional arguments mean the same to both classes."""

_WITHOUT_COUNTERPART = (
    "protocol",
    "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)
"""What ``NPURunConfig`` does not take, and nobody misses."""

_OF_OTHER_RULES = ("train_distribute", "eval_distribute", "experimental_distribute", "device_fn")
_STEPS, _SECONDS, _SUMMARIES = "save_checkpoints_steps", "save_checkpoints_secs", "save_summary_steps"

MODEL_OUT_OF_VIEW = "what its model function returns is not known to be an EstimatorSpec"
CONFIG_OUT_OF_VIEW = "its RunConfig is not made in view, or by arguments without keywords"
NO_CONFIG = "it gets no RunConfig, and NPUEstimator needs one"
CONFIG_USED = "its RunConfig is also used for something else"
DISTRIBUTED = "its RunConfig places the model on several devices"
TWO_FOLDERS = "RunConfig and Estimator name a folder each"


class Route(NamedTuple):
    """An Estimator, and the edit that makes it an ``NPUEstimator``, or the reason why there is none."""

    made: Ref
    edit: Edit


@once
def npu_estimator_routes(project: Project) -> tuple[Route, ...]:
    """One for each plain Estimator that trains and is not on the NPU."""
    return tuple(
        Route(made, _plan(project, made))
        for made in estimators_to_move(project)
        if externals_called(project, made) == {_ESTIMATOR}
    )


def _plan(project: Project, made: Ref) -> Edit:
    call = made.expr
    assert isinstance(call, Call)
    given = argument(call, "config", 2)
    if _is_spread(call):
        return refused(CONFIG_OUT_OF_VIEW)
    if given is None or is_none(given):
        return refused(NO_CONFIG)
    found = origins(project, made._replace(expr=given))
    if len(found) != 1 or externals_called(project, found[0]) != {session_configs.PLAIN_RUN_CONFIG}:
        return refused(CONFIG_OUT_OF_VIEW)
    (config,) = found
    sharing = _estimators_with(project, config)
    if sharing is None:
        return refused(CONFIG_USED)
    change = _config_change(project, config)
    obstacle = next((one for other in sharing if (one := _obstacle(project, other, config))), None)
    if isinstance(change, str) or obstacle:
        return refused(change if isinstance(change, str) else obstacle or "")
    imports = _imports(project, config, sharing)
    if imports is None:
        return refused(NAME_TAKEN)
    renamed = (
        _renamed(one, name) for one, name in ((config, _NPU_CONFIG), *((one, _NPU) for one in sharing))
    )
    return Edit(tuple(dict.fromkeys((*renamed, *change, *imports))), Applicability.UNSAFE)


def _renamed(ref: Ref, name: str) -> Intent:
    assert isinstance(ref.expr, Call)
    return ReplaceExpression(Place(ref.key, ref.expr.func.span), name)


def _imports(project: Project, config: Ref, estimators: tuple[Ref, ...]) -> tuple[Intent, ...] | None:
    """One import for each file, of what is new there; None if a name means something else."""
    found: list[Intent] = []
    for key in sorted({config.key, *(one.key for one in estimators)}):
        refs = [one for one in (config, *estimators) if one.key == key]
        names = [_NPU] if refs[0] is not config else [_NPU_CONFIG] if len(refs) == 1 else [_NPU, _NPU_CONFIG]
        facts = project.facts(key)
        assert facts is not None
        imports = import_of(project, facts, refs[0].scope, *names)
        if imports is None:
            return None
        found += imports
    return tuple(found)


def _is_spread(call: Call) -> bool:
    return any(keyword.name is None for keyword in call.keywords) or any(
        is_starred(item) for item in call.args
    )


def _estimators_with(project: Project, config: Ref) -> tuple[Ref, ...] | None:
    """The Estimators that get a config; None if anything else is done with it."""
    found = []
    for use in uses(project, config):
        if use.kind != "argument" or use.name not in ("config", "2"):
            return None
        if externals_called(project, use.ref) != {_ESTIMATOR}:
            return None
        found.append(use.ref)
    return tuple(found)


def _obstacle(project: Project, made: Ref, config: Ref) -> str:
    """Why an Estimator cannot be an ``NPUEstimator``; nothing if it can."""
    call = made.expr
    assert isinstance(call, Call) and isinstance(config.expr, Call)
    if _is_spread(call) or len(call.args) > _SHARED_ARGUMENTS:
        return CONFIG_OUT_OF_VIEW
    model = argument(call, "model_fn", 0)
    if model is None or not _returns_specs(project, made._replace(expr=model)):
        return MODEL_OUT_OF_VIEW
    own = argument(call, "model_dir", 1)
    folder = argument(config.expr, "model_dir")
    if own is not None and folder is not None and not is_none(own):
        texts = [
            source_text(project, made._replace(expr=own)),
            source_text(project, config._replace(expr=folder)),
        ]
        return "" if texts[0] == texts[1] is not None else TWO_FOLDERS
    return ""


def _returns_specs(project: Project, model: Ref) -> bool:
    """Whether a model function is in view, and returns nothing but plain specs."""
    functions = [
        one for one in definitions(project, model.key, model.scope, model.expr) if _is_function(project, one)
    ]
    values = [value for function in functions for value in returned_values(project, function)]
    return bool(values) and all(
        externals_called(project, origin) == {_SPEC} for value in values for origin in origins(project, value)
    )


def _is_function(project: Project, definition: Definition) -> bool:
    return scope_of(project, definition).kind == "function"


def _config_change(project: Project, config: Ref) -> tuple[Intent, ...] | str:
    """What makes a ``RunConfig`` an ``NPURunConfig`` that says what the other one has as default."""
    call = config.expr
    assert isinstance(call, Call)
    if _is_spread(call) or call.args:
        return CONFIG_OUT_OF_VIEW
    given = {str(keyword.name): keyword.value for keyword in call.keywords}
    if any(name in given and not is_none(given[name]) for name in _OF_OTHER_RULES):
        return DISTRIBUTED
    spelling = tensorflow_at(project, config, session_configs.PLAIN_RUN_CONFIG)
    if spelling is None:
        return NAME_TAKEN
    saving = _checkpoints(config, given)
    if saving is None:
        return CONFIG_OUT_OF_VIEW
    intents = [*saving]
    if _SUMMARIES not in given:
        intents.append(SetArgument(config.place, _SUMMARIES, "100"))
    if "session_config" not in given:
        tf, more = spelling
        code = f"{tf}.ConfigProto(allow_soft_placement=True)"
        intents += [SetArgument(config.place, "session_config", code), *more]
    dropped = [given[name] for name in (*_WITHOUT_COUNTERPART, *_OF_OTHER_RULES) if name in given]
    if dropped:
        intents.append(DropItems(config.place, tuple(Place(config.key, one.span) for one in dropped)))
    return tuple(intents)


def _checkpoints(config: Ref, given: dict[str, Expr]) -> list[Intent] | None:
    """What keeps the checkpoints as often as they are; None if that is not clear.

    TensorFlow saves every 600 seconds if nothing is said, and never if both are None; npu_bridge saves every
    100 steps, and never if that is 0.
    """
    steps, seconds = given.get(_STEPS), given.get(_SECONDS)
    if steps is None and seconds is None:
        return [SetArgument(config.place, _SECONDS, "600")]
    if any(one is not None and not is_none(one) for one in (steps, seconds)):
        return []
    if steps is not None and seconds is not None:
        return [SetArgument(config.place, _STEPS, "0")]
    return None
