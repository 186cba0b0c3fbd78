"""
## What it does

Finds a list that was given to `npu_hooks_append` or `npu_callbacks_append` and whose last item is read
afterwards, as `hooks[-1]`.

## Why

The functions append the NPU's hook to the list they are given, not to a copy. After the call `hooks[-1]` is
the NPU's hook, and the one that the script means is `hooks[-2]`. Mostly this ends in an AttributeError when
training is over.

## Example

```python
hooks = [clock]
estimator.train(input_fn, max_steps=1000, hooks=npu_hooks_append(hooks_list=hooks))
print(hooks[-1].seconds)
```

## Use instead

```python
hooks = [clock]
estimator.train(input_fn, max_steps=1000, hooks=npu_hooks_append(hooks_list=hooks))
print(hooks[-2].seconds)
```

Better still, use the name of the hook: `clock.seconds`.

## Fix safety

Unsafe: the fix takes it that the script means the hook that was there before the call.

## Sources

FAQ:hook_index_error_fix; CODE:npu_init.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call, last_name
from npu_migrate.intents import ReplaceExpression
from npu_migrate.project.project import Project
from npu_migrate.rules.offload import one_per_place
from npu_migrate.rules.rule import Rule
from npu_migrate.training.npu.appended_hooks import MovedIndex, moved_indices

CODE = "NPU310"
TITLE = "Count from behind the hook of the NPU"
MESSAGE = "{function} has appended the hook of the NPU to this list: the last item is that hook now"
APPENDED = "appended here"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per index of the last item of a list that has become longer."""
    return one_per_place(
        _finding(project, moved) for moved in moved_indices(project) if moved.item.key in project.targets
    )


def _finding(project: Project, moved: MovedIndex) -> Finding:
    assert isinstance(moved.appended.expr, Call)
    message = MESSAGE.format(function=last_name(moved.appended.expr.func))
    place = moved.item.place
    rewrite = Rewrite(Applicability.UNSAFE, TITLE, (ReplaceExpression(place, "-2"),))
    related = (Related(moved.appended.place, APPENDED),)
    programs = project.programs_of(moved.item.key)
    return Finding(CODE, Severity.WARNING, message, place, related, rewrite, programs)


RULE = Rule(
    code=CODE,
    name="hook-index-moved",
    summary="A list of hooks whose last item is read after npu_hooks_append.",
    severity="warning",
    fix="unsafe",
    sources=("FAQ", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
