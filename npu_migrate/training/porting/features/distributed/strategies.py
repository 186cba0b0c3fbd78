"""Estimators under a strategy of TensorFlow: what makes one process for each NPU of them.

All of it is changed, or nothing. The strategy goes; `init_resource` takes its place, the optimizers are
wrapped, and each training broadcasts the variables at its start. Sources: DOC-AR; CODE:npu_init.py,
CODE:npu_optimizer.py, CODE:npu_hook.py.
"""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Collection, Constant, Name, argument, last_name
from npu_migrate.intents import DropItems, Intent, ReplaceStatement, WrapExpression
from npu_migrate.knowledge import session_configs
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.uses import uses
from npu_migrate.training.npu.hook_insertion import into_call
from npu_migrate.training.npu.trainings import Training, trainings
from npu_migrate.training.porting.config_edits import NAME_TAKEN
from npu_migrate.training.porting.entry_code import import_of
from npu_migrate.training.porting.features.distributed.communication import (
    communication,
    end_of_training,
    only_runs_behind,
)
from npu_migrate.training.porting.features.distributed.distribution import strategies
from npu_migrate.training.porting.features.found import Found, keyword_of

_MIRRORED = frozenset(
    {"tensorflow.distribute.MirroredStrategy", "tensorflow.contrib.distribute.MirroredStrategy"}
)
_ONE_DEVICE = "tensorflow.distribute.OneDeviceStrategy"
_KEYWORDS = ("train_distribute", "eval_distribute")
_OPTIMIZER = "npu_distributed_optimizer_wrapper"
_HOOK = "NPUBroadcastGlobalVariablesHook(0, get_npu_rank_id())"
_HOOK_NAMES = ("NPUBroadcastGlobalVariablesHook", "get_npu_rank_id")
_INIT_NAMES = ("close_session", "init_resource", "shutdown_resource")
_HOOKS_POSITION = {"train": 1, "spec": 2}

UNUSED = "nothing is seen to use the strategy"
ELSEWHERE = "the strategy is used otherwise than in a RunConfig"
SEVERAL = "the program makes several strategies"
NO_END = "there is no place for the end of the communication"
NO_OPTIMIZER = "the optimizer that reaches minimize is not in view"
NO_HOOKS = "the hooks of the training are not in view"
NO_TRAINING = "the training that it is for is not in view"
OTHER_TRAINING = "the program also trains where the strategy is not made"


class Removal(NamedTuple):
    """What becomes of a strategy: intents, or the reason why there are none."""

    intents: tuple[Intent, ...]
    obstacle: str = ""


@once
def removal(project: Project, strategy: Found) -> Removal:
    """What takes a strategy out of its programs."""
    statement = project.statement(strategy.ref)
    is_named = statement.kind == "Assign" and statement.values[0] is strategy.ref.expr
    if not uses(project, strategy.ref) and not (is_named and _is_read_otherwise(project, strategy, ())):
        return Removal((), UNUSED)
    dropped = _dropped(project, strategy.ref)
    if (
        not dropped
        or not is_named
        or not _is_known(strategy)
        or _is_read_otherwise(project, strategy, dropped)
    ):
        return Removal((), ELSEWHERE)
    near = project.neighbours(strategy.ref.key)
    if [one for one in strategies(project) if one.ref.key in near] != [strategy]:
        return Removal((), SEVERAL)
    place = Place(strategy.ref.key, statement.span)
    if _has_one_device(strategy):
        return Removal((ReplaceStatement(place, ""), *dropped))
    return _distributed(project, strategy, place, dropped, near)


def _is_known(strategy: Found) -> bool:
    call = strategy.ref.expr
    if not isinstance(call, Call) or last_name(call.func) == "getattr":
        return False  # what is kept in a table, others make
    return strategy.name in _MIRRORED or strategy.name == _ONE_DEVICE


def _has_one_device(strategy: Found) -> bool:
    """Whether the strategy says that there is one device."""
    call = strategy.ref.expr
    assert isinstance(call, Call)
    if strategy.name == _ONE_DEVICE:
        return True
    devices = argument(call, "devices", 0)
    if isinstance(devices, Collection):
        return len(devices.items) == 1
    counts = (keyword_of(call, "num_gpus"), keyword_of(call, "num_gpus_per_worker"))
    return any(isinstance(count, Constant) and count.value == 1 for count in counts)


def _dropped(project: Project, made: Ref) -> tuple[DropItems, ...]:
    """What takes a strategy out of the configs that get it; nothing if anything else is done with it."""
    found = []
    for use in uses(project, made):
        is_config = (
            use.kind == "argument" and externals_called(project, use.ref) & session_configs.RUN_CONFIGS
        )
        if not is_config or use.name not in _KEYWORDS or not isinstance(use.ref.expr, Call):
            return ()
        value = keyword_of(use.ref.expr, use.name)
        if value is None:
            return ()
        found.append((use.ref, value))
    together: dict[Place, list[Place]] = {}
    for ref, value in found:
        together.setdefault(ref.place, []).append(Place(ref.key, value.span))
    return tuple(DropItems(place, tuple(items)) for place, items in together.items())


def _is_read_otherwise(project: Project, strategy: Found, dropped: tuple[DropItems, ...]) -> bool:
    """Whether the variable of a strategy is read where it is not dropped, as where a function gets it."""
    statement = project.statement(strategy.ref)
    gone = {item for one in dropped for item in one.items}
    for target in statement.targets:
        if isinstance(target, Name):
            read = [(strategy.ref.key, site) for site in project.names(strategy.ref.key, target.id)]
        elif isinstance(target, Attribute):
            keys = project.files_mentioning(target.attr)
            read = [(key, site) for key in keys for site in project.attributes(key, target.attr)]
        else:
            return True
        if any(not site.stored and Place(key, site.expr.span) not in gone for key, site in read):
            return True
    return False


def _distributed(
    project: Project, strategy: Found, place: Place, dropped: tuple[Intent, ...], near: frozenset[str]
) -> Removal:
    end = end_of_training(project, strategy.ref)
    if end is None:
        return Removal((), NO_END)
    wrapped = _wrapped_optimizers(project, near)
    if not wrapped:
        return Removal((), NO_OPTIMIZER)
    trained = [one for one in trainings(project) if one.call.key in near]
    if not trained:
        return Removal((), NO_TRAINING)
    if not all(only_runs_behind(project, strategy.ref, one.call) for one in trained):
        return Removal((), OTHER_TRAINING)
    hooked = [_hooked(project, one) for one in trained]
    if None in hooked:
        return Removal((), NO_HOOKS)
    needed: dict[str, set[str]] = {strategy.ref.key: {*_INIT_NAMES}}
    for one in wrapped:
        needed.setdefault(one.place.path, set()).add(_OPTIMIZER)
    for training in trained:
        needed.setdefault(training.call.key, set()).update(_HOOK_NAMES)
    imports: list[Intent] = []
    for key, names in sorted(needed.items()):
        facts = project.facts(key)
        assert facts is not None
        added = import_of(project, facts, 0, *sorted(names))
        if added is None:
            return Removal((), NAME_TAKEN)
        imports += added
    begun = communication(project, strategy.ref)
    return Removal(
        (
            ReplaceStatement(place, begun.begin),
            *begun.ended_behind(Place(strategy.ref.key, end)),
            *dropped,
            *wrapped,
            *(one for one in hooked if one is not None),
            *imports,
        )
    )


def _wrapped_optimizers(project: Project, near: frozenset[str]) -> tuple[WrapExpression, ...]:
    """What wraps each optimizer that makes a train op; nothing if one of them is not in view."""
    found = []
    for name in ("apply_gradients", "compute_gradients"):
        if any(key in near for key, _ in project.calls_named(name)):
            return ()
    for key, site in project.calls_named("minimize"):
        if key not in near or not isinstance(site.call.func, Attribute):
            continue
        call = ref_of_call(key, site)
        for made in origins(project, call._replace(expr=site.call.func.value)):
            names = externals_called(project, made) if isinstance(made.expr, Call) else frozenset()
            if not names or not all(name.endswith("Optimizer") for name in names):
                return ()
            found.append(WrapExpression(made.place, f"{_OPTIMIZER}(", ")"))
    return tuple(dict.fromkeys(found))


def _hooked(project: Project, training: Training) -> Intent | None:
    hooks = passed_objects(project, training.call, "hooks", _HOOKS_POSITION[training.kind])
    return into_call(project, training.call, hooks, _HOOK)
