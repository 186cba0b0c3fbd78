"""What the rules of soft placement have in common: configs of the NPU that do not allow it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import cast

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.intents import SetArgument
from npu_migrate.knowledge.releases import has_certainly
from npu_migrate.knowledge.run_config import POSITIONS
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.weighing import Verdict, judged
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.calls.signatures import added
from npu_migrate.training.npu.configs import calls_of, entries, helper_calls, is_known_to_callees, run_configs
from npu_migrate.training.npu.options.soft_placement import (
    OPTION,
    accelerator_devices,
    is_set_later,
    soft_placement,
)
from npu_migrate.training.npu.readings import files_with_npu_init
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling

TITLE = "Allow soft placement"
MESSAGE = "the program places operations on a GPU, and this config does not allow soft placement"
NO_CONFIG = (
    "the program places operations on a GPU, and without a session_config NPUEstimator does not allow soft "
    "placement"
)
PLACED = "placed here"
PATCHED_SINCE = "r1.9"

_SESSION_CONFIG = "session_config"
_HELPERS = ("npu_bridge.init_resource", "npu_bridge.set_keras_session_npu_config")


def hard_placement(project: Project, code: str) -> Iterator[Finding]:
    """One finding per config with an entry that does not allow soft placement, in programs that name GPUs."""
    configs, runs = tuple(_configs(project)), run_configs(project)
    # Most programs have neither, and whether devices are GPUs takes longer to say.
    if not (configs or runs) or not accelerator_devices(project):
        return
    for config in configs:
        if isinstance(config.expr, Call) and soft_placement(project, config).every(lambda value: not value):
            place = last_token(config.key, config.expr.func)
            rewrite = allowed(project, config)
            yield from judged(project, code, place, partial(_judge, project, config, MESSAGE), rewrite)
    for call in runs:
        passed = passed_objects(project, call, _SESSION_CONFIG, POSITIONS[_SESSION_CONFIG])
        if passed.certain and not passed.values:
            place = last_token(call.key, cast(Call, call.expr).func)
            judge = partial(_judge, project, call, NO_CONFIG)
            yield from judged(project, code, place, judge, _given(project, call))


def allowed(project: Project, config: Ref) -> Rewrite | None:
    """What lets a config that is made in sight allow soft placement; None where it says something later."""
    if is_set_later(project, config):
        return None
    return Rewrite(Applicability.SAFE, TITLE, (SetArgument(config.place, OPTION, "True"),))


def _configs(project: Project) -> tuple[Ref, ...]:
    """What makes the configs of NpuOptimizer entries, each once, if no unseen code gets them."""
    found = {id(root.expr): root for entry in entries(project) for root in entry.roots}
    return tuple(root for root in found.values() if is_known_to_callees(project, root))


def _judge(project: Project, config: Ref, message: str, program: str) -> Verdict | None:
    files = project.programs.by_entry[program].files
    devices = [call for call in accelerator_devices(project) if call.key in files]
    helpers = [*helper_calls(project), *(one for name in _HELPERS for one in calls_of(project, name))]
    patched = has_certainly(project.options.cann, PATCHED_SINCE) and files & files_with_npu_init(project)
    if not devices or config.key not in files or patched or any(call.key in files for call in helpers):
        return None
    return Verdict(Severity.WARNING, message, (Related(devices[0].place, PLACED),))


def _given(project: Project, call: Ref) -> Rewrite | None:
    facts = project.facts(call.key)
    spelling = None if facts is None else tensorflow_spelling(project, facts, call.scope)
    if spelling is None:
        return None
    intents = added(call, [(_SESSION_CONFIG, f"{spelling}.ConfigProto({OPTION}=True)")])
    return None if intents is None else Rewrite(Applicability.SAFE, TITLE, intents)
