"""Where the global step advances beside an update of an `NPULossScaleOptimizer` that does not advance it.

Sources: DOC-MIXP, CODE:npu_loss_scale_optimizer.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, Name, argument, last_name
from npu_migrate.index.names import code_scope, lookup
from npu_migrate.intents import DropItems, Intent, SetArgument
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.loss_scaling.updates import runs_together, updating
from npu_migrate.training.npu.step_count import STEP_GETTERS
from npu_migrate.training.pipelines.partition.choices import exclude_each_other
from npu_migrate.training.pipelines.partition.op_parts import Part

STEP = "global_step"
_STEP_POSITION = 1
_ASSIGNING = frozenset({"assign", "assign_add"})
_FUNCTIONS = frozenset(f"tensorflow.{name}" for name in _ASSIGNING)
_NAME_POSITIONS = {"tensorflow.Variable": 5, "tensorflow.get_variable": 0}


class CountedBeside(NamedTuple):
    """An assignment of the global step, and the update that it is run with."""

    assign: Part
    update: Part


@once
def counted_beside(project: Project) -> tuple[CountedBeside, ...]:
    """All assignments of the global step that are run together with a scaled update without one."""
    found = {
        (id(assign.leaf.expr), id(update.leaf.expr)): CountedBeside(assign, update)
        for together in runs_together(project)
        for update in together.parts
        for assign in together.parts
        if _assigned(project, assign.leaf) is not None
        and not exclude_each_other(assign.choices, update.choices)
        and _counts_nothing(project, update.leaf)
    }
    return tuple(found.values())


def _counts_nothing(project: Project, update: Ref) -> bool:
    if not updating(project, update).certain:
        return False
    passed = passed_objects(project, update, STEP, _STEP_POSITION)
    return passed.certain and all(
        isinstance(given.expr, Constant) and given.expr.value is None for given in passed.values
    )


def _assigned(project: Project, leaf: Ref) -> Ref | None:
    """The global step that a leaf assigns to; None where it does not, or where that cannot be told."""
    call = leaf.expr
    if not isinstance(call, Call) or leaf.path:
        return None
    if externals_called(project, leaf) & _FUNCTIONS:
        given = argument(call, "ref", 0)
    else:
        is_method = isinstance(call.func, Attribute) and last_name(call.func) in _ASSIGNING
        given = call.func.value if is_method and isinstance(call.func, Attribute) else None
    variable = None if given is None else leaf._replace(expr=given)
    return variable if variable is not None and _is_global_step(project, variable) else None


def _is_global_step(project: Project, variable: Ref) -> bool:
    found = ends(project, traced(variable))
    return bool(found) and all(_makes_global_step(project, end) for end in found)


def _makes_global_step(project: Project, end: Traced) -> bool:
    names = externals_called(project, end.ref)
    if end.keys or not isinstance(end.ref.expr, Call):
        return False
    if names & STEP_GETTERS:
        return True
    for maker in sorted(names & _NAME_POSITIONS.keys()):
        given = argument(end.ref.expr, "name", _NAME_POSITIONS[maker])
        if given is not None:
            return evaluate(project, end.ref._replace(expr=given)).every(lambda name: name == STEP)
    return False


def moved_into_update(project: Project, found: CountedBeside) -> tuple[Intent, ...] | None:
    """What lets the update count and takes the assignment out of its group; None where that is not plain.

    The step has to be a variable that is bound once, before the update, in the same function.
    """
    assign, update = found
    step = _assigned(project, assign.leaf)
    if step is None or not isinstance(step.expr, Name) or assign.item is None or assign.container is None:
        return None
    if not externals_called(project, assign.container) & tf.GROUPS or step.key != update.leaf.key:
        return None
    facts = project.facts(step.key)
    assert facts is not None
    known = lookup(facts, step.scope, step.expr.id)
    is_visible = code_scope(facts, step.scope) == code_scope(facts, update.leaf.scope)
    if known is None or len(known.bindings) != 1 or not is_visible:
        return None
    binding = known.bindings[0]
    same_block = facts.statements[binding.statement].parent in _around(project, update.leaf)
    if binding.kind != "assign" or binding.statement >= update.leaf.statement or not same_block:
        return None
    return (
        SetArgument(update.leaf.place, STEP, step.expr.id),
        DropItems(assign.container.place, (assign.item.place,)),
    )


def _around(project: Project, ref: Ref) -> Iterator[int]:
    """The statements around `ref`, with the number that stands for the module."""
    facts = project.facts(ref.key)
    assert facts is not None
    number = ref.statement
    while number >= 0:
        number = facts.statements[number].parent
        yield number
