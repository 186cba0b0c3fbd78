"""
## What it does

Finds `ExponentialUpdateLossScaleManager` objects that are constructed where `tf.control_dependencies()` is in
force: in its block, and in functions, methods and classes that are called from there, in other files too.
npu_bridge's class, its subclasses, and TensorFlow's own class in a program that runs on the NPU.

A function or lambda that only stands in the block counts where it is called. There is no finding inside
`tf.control_dependencies(None)`, `tf.control_dependencies([])`, `tf.init_scope()` or the block of another
graph. Where the list may also be empty, as in `update_ops if use_bn else []`, the finding is a warning.

## Why

The manager keeps the loss scale in variables. Made under control dependencies, their initializers depend on
operations of the training step: the order in which the graph runs may differ from the expected one. A
typical symptom is the error "Placeholder not support" when the variables are initialized.

## Example

```python
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
    train_op = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-3), manager).minimize(loss)
```

## Use instead

```python
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
with tf.control_dependencies(update_ops):
    train_op = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-3), manager).minimize(loss)
```

The optimizer and its `minimize` may stay in the block. If a function that is called from the block makes the
manager, make it before and pass it on.

`FixedLossScaleManager` has no variables and may stay. It is reported as advice, because the dynamic manager
could not take its place there.

## Fix safety

Safe: the construction moves above the `with`; a manager that is made inside another expression gets a name
first. That is done only where the arguments are there before the block, nothing in the block uses the name
before or changes the arguments, and nothing but `tf.control_dependencies` lies between: no `variable_scope`,
`name_scope` or `device`, no `if` or loop. Elsewhere the construction stays, in a block of its own that leaves
the dependencies and keeps names and devices:

```python
with tf.variable_scope("train"), tf.control_dependencies(update_ops):
    with tf.control_dependencies(None):
        manager = ExponentialUpdateLossScaleManager(init_loss_scale=2**32, incr_every_n_steps=1000)
```

No edit where that is no way either: inside functions of `tf.cond`, `tf.while_loop` and the like, which such a
block would leave as well, where arguments make operations, where the statement shares its line with others,
and where the manager is made in a function that is called from the block.

Operations that take their seed from the graph draw other numbers when operations before them move.

## Sources

SEED-LS; DOC-LSFAQ; TensorFlow 1.15 `control_dependencies`, `init_scope` [TF].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.index.names import code_scope
from npu_migrate.intents import HoistExpression
from npu_migrate.knowledge import loss_scale
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.resolution import Definition, scope_of
from npu_migrate.training.loss_scaling.control_dependencies import Influence, influences
from npu_migrate.training.loss_scaling.enclosing_plan import plan_enclosing
from npu_migrate.training.loss_scaling.hoisting_plan import is_inline, plan_hoist
from npu_migrate.training.loss_scaling.managers import constructions
from npu_migrate.training.pipelines.placement.naming import fresh_name
from npu_migrate.training.porting.programs import npu_programs_of

CODE = "NPU401"
TITLE = "Construct the manager above the with statement"
TITLE_IN_PLACE = "Construct the manager outside of the control dependencies"
DYNAMIC = (
    "{name} is constructed {where}: it owns variables, and the graph may run in an unexpected order; {advice}"
)
FIXED = (
    "{name} is constructed {where}: allowed, since it owns no variables, but "
    "ExponentialUpdateLossScaleManager could not take its place there"
)
INSIDE = "inside tf.control_dependencies()"
INSIDE_CALLED = "in {function}, which is called inside tf.control_dependencies()"
INSIDE_CODE = "in code that is called inside tf.control_dependencies()"
ADVICE = "construct it before the with block"
ADVICE_CALLED = "construct it before the with block and pass it on"
IN_FORCE = "these control dependencies are in force"
IN_FORCE_UNLESS_EMPTY = "these control dependencies are in force, unless the list is empty"
CALLED = "called from here"

_NAME = "loss_scale_manager"


class _Kind(NamedTuple):
    """A manager class: its name, whether it owns variables, whether it is npu_bridge's."""

    name: str
    owns_variables: bool
    ported: bool


_KINDS = (
    _Kind(loss_scale.EXPONENTIAL, owns_variables=True, ported=True),
    _Kind(loss_scale.CONTRIB_EXPONENTIAL, owns_variables=True, ported=False),
    _Kind(loss_scale.FIXED, owns_variables=False, ported=True),
    _Kind(loss_scale.CONTRIB_FIXED, owns_variables=False, ported=False),
)


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per construction of a manager under control dependencies."""
    taken: dict[tuple[str, int], set[str]] = {}
    seen: set[int] = set()
    for kind in _KINDS:
        for ref in constructions(project, kind.name):
            if ref.key in project.targets and id(ref.expr) not in seen:
                seen.add(id(ref.expr))
                facts = project.facts(ref.key)
                assert facts is not None
                place = (ref.key, code_scope(facts, ref.scope))
                yield from _check(project, kind, ref, taken.setdefault(place, set()))


def _check(project: Project, kind: _Kind, ref: Ref, taken: set[str]) -> Iterator[Finding]:
    judged = frozenset(project.programs_of(ref.key) if kind.ported else npu_programs_of(project, ref.key))
    found = [influence for influence in influences(project, ref) if judged.intersection(influence.programs)]
    if not found:
        return
    assert isinstance(ref.expr, Call)
    programs = judged.intersection(program for influence in found for program in influence.programs)
    certain = any(influence.certain for influence in found)
    severity = Severity.ERROR if certain else Severity.ERROR.lowered()
    yield Finding(
        CODE,
        severity if kind.owns_variables else Severity.INFO,
        _message(project, kind, ref, found[0]),
        last_token(ref.key, ref.expr.func),
        _path(found[0]),
        _rewrite(project, ref, taken) if kind.owns_variables and not found[0].calls else None,
        tuple(sorted(programs)),
    )


def _message(project: Project, kind: _Kind, ref: Ref, influence: Influence) -> str:
    where = _called_code(project, ref) if influence.calls else INSIDE
    text = DYNAMIC if kind.owns_variables else FIXED
    name = kind.name.rpartition(".")[2]
    return text.format(name=name, where=where, advice=ADVICE_CALLED if influence.calls else ADVICE)


def _called_code(project: Project, ref: Ref) -> str:
    facts = project.facts(ref.key)
    assert facts is not None
    scope = scope_of(project, Definition(ref.key, code_scope(facts, ref.scope)))
    if scope.kind != "function":
        return INSIDE_CODE
    around = facts.scopes[scope.parent]
    name = f"{around.name}.{scope.name}()" if around.kind == "class" else f"{scope.name}()"
    return INSIDE_CALLED.format(function=name)


def _path(influence: Influence) -> tuple[Related, ...]:
    calls = (Related(call.place, CALLED) for call in influence.calls)
    text = IN_FORCE if influence.certain else IN_FORCE_UNLESS_EMPTY
    return (Related(influence.context.place, text), *calls)


def _rewrite(project: Project, ref: Ref, taken: set[str]) -> Rewrite | None:
    """The construction above the block, or else in a block of its own."""
    facts = project.facts(ref.key)
    assert facts is not None
    fresh = ""
    if is_inline(project, ref):
        fresh = fresh_name(project, facts, code_scope(facts, ref.scope), taken, _NAME)
    title, intents = TITLE, plan_hoist(project, ref, fresh)
    if not intents:
        title, intents = TITLE_IN_PLACE, plan_enclosing(project, ref, fresh)
    if not intents:
        return None
    if any(isinstance(intent, HoistExpression) for intent in intents):
        taken.add(fresh)
    return Rewrite(Applicability.SAFE, title, intents)


RULE = Rule(
    code=CODE,
    name="loss-scale-manager-under-control-dependencies",
    summary="A loss-scale manager constructed where control dependencies are in force.",
    severity="error, or warning where the list may be empty; FixedLossScaleManager: info",
    fix="safe, or manual where it is made in a called function",
    sources=("SEED-LS", "DOC-LSFAQ"),
    documentation=__doc__ or "",
    check=check,
)
