"""
## What it does

Finds an `ExperimentalConfig` that is made and then never passed to `NPURunConfig` as `experimental_config`.
An object that goes where the tool cannot follow it (returned to a caller out of sight, kept in a container,
given to an unknown function) is left alone.

## Why

The options take effect only through `NPURunConfig(experimental_config=…)`. Without that, the training runs as
if the object were not there, and nothing says so.

## Example

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(save_checkpoints_steps=1000)
```

## Use instead

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
run_config = NPURunConfig(save_checkpoints_steps=1000, experimental_config=experimental_config)
```

## Fix safety

No edit: which config should get the object is for you to decide.

## Sources

SEED-EXP; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call, Name
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.acceleration import EXPERIMENTAL
from npu_migrate.knowledge.run_config import POSITIONS
from npu_migrate.project.project import Project
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.training.npu.acceleration import experimental_configs

CODE = "NPU307"
MESSAGE = "this ExperimentalConfig never reaches NPURunConfig(experimental_config=…): it has no effect"

_LOOKS = frozenset({"print", "str", "repr", "type", "id", "isinstance", "vars"})


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per ExperimentalConfig without effect."""
    for call in experimental_configs(project):
        if call.key in project.targets and not any(_may_count(project, use) for use in uses(project, call)):
            assert isinstance(call.expr, Call)
            place = last_token(call.key, call.expr.func)
            programs = project.programs_of(call.key)
            yield Finding(CODE, Severity.WARNING, MESSAGE, place, programs=programs)


def _may_count(project: Project, use: Use) -> bool:
    """Whether a use passes the object on to a config, or to where it cannot be followed."""
    if use.kind in ("attribute", "tested"):
        return False
    if use.kind != "argument":
        return True
    call = use.ref.expr
    assert isinstance(call, Call)
    names = external_names(project, use.ref.key, use.ref.scope, call.func)
    if npu.RUN_CONFIG in names:
        return use.name in (EXPERIMENTAL, str(POSITIONS[EXPERIMENTAL]))
    looks = isinstance(call.func, Name) and call.func.id in _LOOKS
    return not (looks or any(name.startswith(("logging.", "tensorflow.logging.", "absl.")) for name in names))


RULE = Rule(
    code=CODE,
    name="experimental-config-not-passed",
    summary="An ExperimentalConfig that no NPURunConfig gets.",
    severity="warning",
    fix="manual",
    sources=("SEED-EXP", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
