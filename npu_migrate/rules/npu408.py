"""
## What it does

Finds loss scaling whose overflows cannot be told apart:

- one `session.run`, or one `train_op`, holds the updates of two `NPULossScaleOptimizer`s;
- an `NPULossScaleOptimizer` around another one;
- one `ExponentialUpdateLossScaleManager` for two optimizers that both train.

## Why

In saturation mode an overflow sets a flag of the device, which each `NPULossScaleOptimizer` reads and clears
when its gradients are there. In one run the order of the two is open: one may see the overflow of the other,
or clear it before the other looks. A manager that serves two optimizers counts the steps of both and lowers
the scale of one for an overflow of the other.

## Example

```python
manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
d_step = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-4), manager).minimize(d_loss)
g_step = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-4), manager).minimize(g_loss)
sess.run([d_step, g_step])
```

## Use instead

```python
d_manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
g_manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
d_step = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-4), d_manager).minimize(d_loss)
g_step = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-4), g_manager).minimize(g_loss)
sess.run(d_step)
sess.run(g_step)
```

Where both have to be in one run, test the gradients of both together; the FAQ of the vendor has an example.

## Fix safety

No edit: with two runs the second one sees the weights that the first one has changed.

## Sources

FAQ:multi_optimizer_fp_exception_detection; CODE:npu_loss_scale_optimizer.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.index.facts import Attribute, Call, Name
from npu_migrate.index.names import code_scope
from npu_migrate.knowledge import loss_scale
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.semantics.dead_code import requirements
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import Definition, is_receiver
from npu_migrate.training.loss_scaling.update_calls import two_updates
from npu_migrate.training.loss_scaling.updates import Together, runs_together, scaling, updating
from npu_migrate.training.npu.configs import calls_of
from npu_migrate.training.npu.trainings import runs_repeatedly
from npu_migrate.training.pipelines.partition.choices import exclude_each_other
from npu_migrate.training.pipelines.partition.op_parts import Part

CODE = "NPU408"
RUN = (
    "this runs the updates of two NPULossScaleOptimizers, which share one overflow flag: run each update by "
    "itself"
)
NESTED = "an NPULossScaleOptimizer around another one: the gradients are scaled and tested twice"
SHARED = "another optimizer has the same manager, which counts the steps and overflows of both: make two"
UPDATE = "an update is made here"
OTHER = "the other optimizer"

_MANAGER_POSITION = 1


class _Use(NamedTuple):
    """An optimizer that gets a manager, and the call that brings it: its own, or that of its function."""

    call: Ref
    at: Ref


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per run of two updates, nested optimizer, and manager of two optimizers."""
    return one_per_place([*_runs(project), *_nested(project), *_shared(project)])


# -- one run -------------------------------------------------------------------------------------------


def _runs(project: Project) -> Iterator[Finding]:
    for together in runs_together(project) if calls_of(project, loss_scale.OPTIMIZER) else ():
        if together.place.key in project.targets:
            pair = _pair_of(project, together) or two_updates(project, together.place)
            if pair is not None:
                places = tuple(Related(one.place, UPDATE) for one in pair)
                yield _finding(project, together.place, RUN, places)


def _pair_of(project: Project, together: Together) -> tuple[Ref, Ref] | None:
    """Two updates of two optimizers that one run holds for certain."""
    updates = [part for part in together.parts if updating(project, part.leaf).certain]
    pairs = combinations(updates, 2)
    return next(
        ((one.leaf, other.leaf) for one, other in pairs if _are_two(project, one, other)),
        None,
    )


def _are_two(project: Project, one: Part, other: Part) -> bool:
    """Whether two parts are in one run for certain, and are updates of two optimizers."""
    if exclude_each_other(one.choices, other.choices) or one.leaf.expr is other.leaf.expr:
        return False
    first, second = ({id(call.expr) for call in updating(project, part.leaf).calls} for part in (one, other))
    return first.isdisjoint(second)


# -- what is made --------------------------------------------------------------------------------------


def _nested(project: Project) -> Iterator[Finding]:
    for call in calls_of(project, loss_scale.OPTIMIZER):
        passed = passed_objects(project, call, loss_scale.OPTIMIZER_PARAMETERS[0], 0)
        inner = [scaling(project, given) for given in passed.values]
        if call.key in project.targets and inner and all(one.certain for one in inner):
            places = tuple(
                Related(made.place, OTHER)
                for one in inner
                for made in one.calls
                if made.expr is not call.expr
            )
            if places:
                yield _finding(project, call, NESTED, places)


def _shared(project: Project) -> Iterator[Finding]:
    managed: dict[int, list[_Use]] = {}
    for call in calls_of(project, loss_scale.OPTIMIZER):
        for manager, at in _managers(project, call):
            managed.setdefault(id(manager.expr), []).append(_Use(call, at))
    for uses in managed.values():
        for one, other in combinations(uses, 2):
            if other.call.key in project.targets and _both_run(project, one.at, other.at):
                yield _finding(project, other.call, SHARED, (Related(one.at.place, OTHER),))


def _both_run(project: Project, one: Ref, other: Ref) -> bool:
    """Whether two calls of one function run together: the one needs no condition that the other does not."""
    facts = project.facts(one.key)
    assert facts is not None
    if one.key != other.key or code_scope(facts, one.scope) != code_scope(facts, other.scope):
        return False
    first, second = (
        {(id(needed.condition.expr), needed.holds) for needed in requirements(project, facts, ref)}
        for ref in (one, other)
    )
    return first <= second or second <= first


def _managers(project: Project, call: Ref) -> Iterator[tuple[Ref, Ref]]:
    """The dynamic managers that an optimizer gets, made once, each with the call beside it that brings it.

    It is the optimizer's own, or the one of the function that makes the optimizer for its callers.
    """
    passed = passed_objects(project, call, loss_scale.OPTIMIZER_PARAMETERS[1], _MANAGER_POSITION)
    made = [end for given in passed.values for end in ends(project, traced(given))]
    if not passed.certain or any(end.keys or end.frames for end in made):
        return
    ways = [(end.ref, [frame.call for frame in end.assumed]) for end in made]
    if len({tuple(id(at.expr) for at in sites if at is not None) for _, sites in ways}) != len(ways):
        return
    for manager, sites in ways:
        if loss_scale.EXPONENTIAL in externals_called(project, manager) and len(sites) <= 1:
            for at in sites if sites else _bringing(project, call, manager):
                if at is not None and manager.key == at.key and not runs_repeatedly(project, manager):
                    yield manager, at


def _bringing(project: Project, call: Ref, manager: Ref) -> tuple[Ref, ...]:
    """The calls that have an optimizer made with a manager which nobody passes: of its object, or a global.

    They are those of the function around the optimizer, where each call makes one more with the same manager;
    else the optimizer's own. Calls of a method count where they are ``self.method()``, so on one object.
    """
    facts = project.facts(call.key)
    assert facts is not None
    function = Definition(call.key, code_scope(facts, call.scope))
    made_inside = manager.key == call.key and code_scope(facts, manager.scope) == function.scope
    if made_inside or facts.scopes[function.scope].kind != "function":
        return (call,)
    known = callers(project, function)
    if (
        not known.sites
        or not known.all_seen
        or not all(_gets_the_same(project, site, manager) for site in known.sites)
    ):
        return (call,)
    return known.sites


def _gets_the_same(project: Project, site: Ref, manager: Ref) -> bool:
    """Whether a call finds the manager that an object or the module makes once, or its own function."""
    facts = project.facts(site.key)
    assert facts is not None
    if site.key != manager.key:
        return False
    home = facts.scopes[code_scope(facts, manager.scope)]
    is_made_once = home.id in (0, code_scope(facts, site.scope)) or home.name == "__init__"
    return is_made_once and _is_on_one_object(project, site)


def _is_on_one_object(project: Project, site: Ref) -> bool:
    """Whether a call is one of a plain function, or of a method of ``self``."""
    func = site.expr.func if isinstance(site.expr, Call) else None
    if not isinstance(func, Attribute):
        return isinstance(func, Name)
    facts = project.facts(site.key)
    assert facts is not None
    return is_receiver(facts, site.scope, func.value)


def _finding(project: Project, ref: Ref, message: str, related: tuple[Related, ...]) -> Finding:
    is_call = isinstance(ref.expr, Call) and message != RUN
    place = last_token(ref.key, ref.expr.func) if is_call and isinstance(ref.expr, Call) else ref.place
    return Finding(CODE, Severity.WARNING, message, place, related, programs=project.programs_of(ref.key))


RULE = Rule(
    code=CODE,
    name="two-scaled-updates-in-one-run",
    summary="Loss scaling whose overflows cannot be told apart: two updates in one run, one manager for two.",
    severity="warning",
    fix="manual",
    sources=("FAQ", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
