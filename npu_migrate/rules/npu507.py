"""
## What it does

Finds programs that switch dynamic expansion on (`init(use_dynamic_expansion=True)`) and make their sparse
optimizer with a factory that does not work on addresses, while no file of the program names one that does.

## Why

With dynamic expansion the rows of a table are found by their addresses in on-chip memory. Only the ByAddr
optimizers update them there; the others look for a variable that does not exist in this mode.

## Example

```python
from mx_rec.optimizers.lazy_adam import create_hash_optimizer
from mx_rec.util.initialize import init

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100, use_dynamic_expansion=True)
sparse_optimizer = create_hash_optimizer(learning_rate=0.001)
```

## Use instead

```python
from mx_rec.optimizers.lazy_adam_by_addr import create_hash_optimizer_by_address
from mx_rec.util.initialize import init

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100, use_dynamic_expansion=True)
sparse_optimizer = create_hash_optimizer_by_address(learning_rate=0.001)
```

A program that chooses its factory by the mode is fine and is not reported. Adagrad, SGD and LazyAdam have a
ByAddr form, Ftrl has none.

## Fix safety

No edit: the gradients have to be computed and applied by address too.

## Sources

SEED-REC; REC-DOC:optimizers_apis.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.knowledge import rec
from npu_migrate.project.project import Project
from npu_migrate.rules.rec import call_place, reasons
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import describe
from npu_migrate.training.rec.init_calls import (
    Factory,
    init_calls_of,
    mentions_address_factory,
    passed,
    plain_factories,
)

CODE = "NPU507"
MESSAGE = "{switch} needs an optimizer that works on addresses, {advice}"
USE = "use {factory}"
NONE = "which this one is not in any form (SGD, LazyAdam and Adagrad are)"
ANY = "as SGD, LazyAdam and Adagrad have one"
INIT_HERE = "dynamic expansion is switched on here"

_SWITCH = "use_dynamic_expansion"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per factory call that does not suit dynamic expansion."""
    for factory in plain_factories(project):
        place = call_place(factory.call)
        yield from judged(project, CODE, place, partial(_judge, project, factory), asked=factory.call.key)


def _judge(project: Project, factory: Factory, program: str) -> Verdict | None:
    if mentions_address_factory(project, program):
        return None
    for call in init_calls_of(project, program):
        switch = passed(project, call, _SWITCH, program)
        if switch is not None and switch.value.every(lambda value: value is True):
            known = telling(switch.value)
            message = MESSAGE.format(switch=describe(project, _SWITCH, known), advice=_advice(factory.module))
            places = (Related(call_place(call), INIT_HERE), *reasons(known))
            return Verdict(lowered_for(Severity.ERROR, [known]), message, places)
    return None


def _advice(module: str) -> str:
    if module not in rec.ADDRESS_FACTORIES:
        return ANY
    factory = rec.ADDRESS_FACTORIES[module]
    return NONE if factory is None else USE.format(factory=factory)


RULE = Rule(
    code=CODE,
    name="rec-dynamic-expansion-optimizer",
    summary="Dynamic expansion with an optimizer that does not work on addresses.",
    severity="error",
    fix="manual",
    sources=("SEED-REC", "REC-DOC"),
    documentation=__doc__ or "",
    check=check,
)
