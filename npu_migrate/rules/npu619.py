"""
## What it does

Finds programs that place operations on a GPU with `tf.device`, or let a function place them, and run with an
NPU config that has no `allow_soft_placement=True`; and `NPURunConfig` calls without a `session_config` in
such a program.

## Why

Without soft placement TensorFlow refuses a device that it does not have: `InvalidArgumentError`. An NPU is no
GPU, and there is none beside it. TensorFlow's own `RunConfig` allows soft placement by default;
`NPUEstimator` uses a bare `ConfigProto`.

`npu_bridge.npu_init` switches soft placement on for every session since r1.9, so with the setting `cann` at
7.0 or later a program that imports it is no finding.

## Example

```python
config = tf.ConfigProto()
with tf.device("/gpu:0"):
    y = model(x)
```

## Use instead

```python
config = tf.ConfigProto(allow_soft_placement=True)
with tf.device("/gpu:0"):
    y = model(x)
```

## Fix safety

Safe: where all devices are there it changes nothing. The names of devices stay.

## Sources

DOC-PORT; CODE:npu_config.py; [TF].
"""

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
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged
from npu_migrate.semantics.passing import passed_objects
from npu_migrate.semantics.signatures import added
from npu_migrate.training.npu.configs import calls_of, entries, helper_calls, is_known_to_callees, run_configs
from npu_migrate.training.npu.options.soft_placement import (
    OPTION,
    accelerator_devices,
    is_set_later,
    soft_placement,
)
from npu_migrate.training.npu.readings import files_with_npu_init
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling

CODE = "NPU619"
TITLE = "Allow soft placement"
MESSAGE = "the program places operations on a GPU, and this config does not allow soft placement"
NO_CONFIG = (
    "the program places operations on a GPU, and without a session_config NPUEstimator does not allow soft "
    "placement"
)
PLACED = "placed here"

_SESSION_CONFIG = "session_config"
_PATCHED_SINCE = "r1.9"
_HELPERS = ("npu_bridge.init_resource", "npu_bridge.set_keras_session_npu_config")


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per config without soft placement."""
    if not accelerator_devices(project):
        return
    for config in _configs(project):
        if isinstance(config.expr, Call) and soft_placement(project, config).every(lambda value: not value):
            place = last_token(config.key, config.expr.func)
            rewrite = None
            if not is_set_later(project, config):
                rewrite = Rewrite(Applicability.SAFE, TITLE, (SetArgument(config.place, OPTION, "True"),))
            yield from judged(project, CODE, place, partial(_judge, project, config, MESSAGE), rewrite)
    for call in run_configs(project):
        passed = passed_objects(project, call, _SESSION_CONFIG, POSITIONS[_SESSION_CONFIG])
        if passed.certain and not passed.values:
            place = last_token(call.key, cast(Call, call.expr).func)
            judge = partial(_judge, project, call, NO_CONFIG)
            yield from judged(project, CODE, place, judge, _given(project, call))


def _configs(project: Project) -> tuple[Ref, ...]:
    """What makes the configs of NpuOptimizer entries, each once, if no unseen code gets them."""
    found = {id(root.expr): root for entry in entries(project) for root in entry.roots}
    return tuple(root for root in found.values() if is_known_to_callees(project, root))


def _judge(project: Project, config: Ref, message: str, program: str) -> Verdict | None:
    files = project.programs.by_entry[program].files
    devices = [call for call in accelerator_devices(project) if call.key in files]
    helpers = [*helper_calls(project), *(one for name in _HELPERS for one in calls_of(project, name))]
    patched = has_certainly(project.options.cann, _PATCHED_SINCE) and files & files_with_npu_init(project)
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


RULE = Rule(
    code=CODE,
    name="soft-placement",
    summary="An NPU config without soft placement in a program that names GPUs.",
    severity="warning",
    fix="safe",
    sources=("DOC-PORT", "CODE", "[TF]"),
    documentation=__doc__ or "",
    check=check,
)
