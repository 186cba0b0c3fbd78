"""
## What it does

Finds a `save_checkpoints_steps` that is None on all ranks but one: `n if get_rank_id() == 0 else None`.

## Why

None does not mean "never". Without `save_checkpoints_secs` it means the default, a checkpoint every 100
steps. So the other ranks save more often than the first one, perhaps into the same folder. Only 0 switches
saving off.

## Example

```python
config = NPURunConfig(
    model_dir="model",
    save_checkpoints_steps=1000 if get_rank_id() == 0 else None,
)
```

## Use instead

```python
config = NPURunConfig(
    model_dir="model",
    save_checkpoints_steps=1000 if get_rank_id() == 0 else 0,
)
```

## Fix safety

Safe where the None stands in the call: 0 is what the documents of the vendor give for this purpose. Unsafe
where it goes through a variable, which something else may read.

## Sources

OPS:save_checkpoint_on_particular_device; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Conditional, Constant, Expr
from npu_migrate.intents import ReplaceExpression
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import one_per_place
from npu_migrate.rules.options import plain_finding
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.flow import sources_of
from npu_migrate.training.distributed.ranks import depends_on_rank
from npu_migrate.training.npu.configs import run_config_setting, run_configs

CODE = "NPU802"
TITLE = "0: no checkpoints on this rank"
MESSAGE = (
    "None means a checkpoint every 100 steps, also on the ranks that are meant to save none: 0 means never"
)
STEPS = "save_checkpoints_steps"
SECONDS = "save_checkpoints_secs"
_LONGEST_WALK = 50


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per None that stands for "not on this rank"."""
    return one_per_place(finding for call in run_configs(project) for finding in _check_call(project, call))


def _check_call(project: Project, call: Ref) -> Iterator[Finding]:
    setting = run_config_setting(project, call, STEPS)
    seconds = run_config_setting(project, call, SECONDS)
    by_time = seconds is not None and not seconds.value.every(lambda value: value is None)
    if setting is None or setting.given is None or by_time:
        return
    for choice in _choices(project, setting.given):
        assert isinstance(choice.expr, Conditional)
        nothing = [side for side in (choice.expr.body, choice.expr.orelse) if _is_none(side)]
        if len(nothing) == 1 and depends_on_rank(project, choice._replace(expr=choice.expr.test)):
            place = choice._replace(expr=nothing[0]).place
            is_own = choice.expr is setting.given.expr
            applicability = Applicability.SAFE if is_own else Applicability.UNSAFE
            rewrite = Rewrite(applicability, TITLE, (ReplaceExpression(place, "0"),))
            yield from plain_finding(project, CODE, Severity.WARNING, MESSAGE, place, rewrite)


def _choices(project: Project, given: Ref) -> Iterator[Ref]:
    """The ``a if c else b`` that a value goes through on its way."""
    seen: set[int] = set()
    stack = [given]
    while stack and len(seen) < _LONGEST_WALK:
        ref = stack.pop()
        if id(ref.expr) in seen or ref.path:
            continue
        seen.add(id(ref.expr))
        if isinstance(ref.expr, Conditional):
            yield ref
        stack.extend(sources_of(project, ref) or ())


def _is_none(expr: Expr) -> bool:
    return isinstance(expr, Constant) and expr.value is None


RULE = Rule(
    code=CODE,
    name="checkpoint-on-one-rank",
    summary="save_checkpoints_steps is None on the ranks that are not to save.",
    severity="warning",
    fix="safe in the call, unsafe for a variable",
    sources=("OPS", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
