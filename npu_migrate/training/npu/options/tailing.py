"""``is_tailing_optimization``, which a config and the ``NPUOptimizer`` of its program have to agree on."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.knowledge.loss_scale import COMBINED_OPTIMIZER_PARAMETERS
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.signatures import given, has_star
from npu_migrate.semantics.values.value import UNKNOWN, Value, constant, join
from npu_migrate.training.npu.configs import calls_of
from npu_migrate.training.npu.options.configurations import (
    SESSION,
    Configuration,
    configurations,
    is_closed,
    options,
    value_of,
)

TAILING = "is_tailing_optimization"

_OPTIMIZER = "npu_bridge.NPUOptimizer"
_HOLDING = frozenset({SESSION, "NPURunConfig"})


class Disagreement(NamedTuple):
    """Both values, and the optimizer that has the second one."""

    of_config: Value
    of_optimizer: Value
    optimizer: Ref


def disagreement(project: Project, configuration: Configuration, program: str) -> Disagreement | None:
    """How the one config and the one ``NPUOptimizer`` of a program differ; None if that is not certain."""
    files = project.programs.by_entry[program].files
    optimizers = [call for call in calls_of(project, _OPTIMIZER) if call.key in files]
    configs = [one for one in configurations(project) if one.kind in _HOLDING and one.made.key in files]
    if len(optimizers) != 1 or configs != [configuration]:
        return None
    mine = _of_config(project, configuration, program)
    theirs = _of_optimizer(project, optimizers[0], program)
    if mine.only is None or theirs.only is None or mine.only.constant == theirs.only.constant:
        return None
    return Disagreement(mine, theirs, optimizers[0])


def _of_config(project: Project, configuration: Configuration, program: str) -> Value:
    found = [option for option in options(project, configuration) if option.name == TAILING]
    if found:
        return join(value_of(project, configuration, option, program) for option in found)
    return constant(False) if is_closed(project, configuration, program) else UNKNOWN


def _of_optimizer(project: Project, call: Ref, program: str) -> Value:
    passed = given(project, call, COMBINED_OPTIMIZER_PARAMETERS, TAILING, program)
    if passed is not None:
        return passed.value
    return UNKNOWN if has_star(call) else constant(False)
