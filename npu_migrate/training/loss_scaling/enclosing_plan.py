"""Constructing in place, but outside of all control dependencies: where it stands nothing is overtaken.

``tf.control_dependencies(None)`` also leaves the loop or conditional of the graph that the code builds, so
there it is no way [TF]. Names and devices stay as they are.
"""

from __future__ import annotations

from npu_migrate.index.facts import Call, walk
from npu_migrate.index.names import spelled
from npu_migrate.intents import EncloseStatement, HoistExpression, Intent
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.loss_scaling.control_dependencies import in_force
from npu_migrate.training.loss_scaling.hoisting_plan import (
    always_evaluated,
    has_lines_of_its_own,
    is_pure,
)
from npu_migrate.training.loss_scaling.side_effects import makes_operations
from npu_migrate.training.pipelines.first_use.hindrances import is_in_graph_function
from npu_migrate.training.pipelines.input_functions import runs_in_graph_function
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling

_SIMPLE = frozenset({"Assign", "AnnAssign", "Expr", "Return", "AugAssign"})
_METHOD = "control_dependencies"


def is_enclosed_alone(project: Project, ref: Ref) -> bool:
    """Whether the statement of the construction `ref` does nothing else that would make operations."""
    statement = project.statement(ref)
    own = {id(part) for part in walk(ref.expr)}
    return statement.kind in _SIMPLE and not any(
        isinstance(part, Call) and id(part) not in own and not is_pure(project, ref, part)
        for value in statement.values
        for part in walk(value)
    )


def plan_enclosing(project: Project, ref: Ref, fresh: str) -> tuple[Intent, ...]:
    """What puts the construction `ref` into a block without control dependencies; empty where nothing can.

    `fresh` is the name that it gets where its statement does more than that.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    statement = project.statement(ref)
    spelling = _spelling(project, ref)
    if spelling is None or ref.scope != statement.scope or not has_lines_of_its_own(facts, statement):
        return ()
    if runs_in_graph_function(project, ref.key, ref.scope) or is_in_graph_function(project, ref):
        return ()
    header = f"with {spelling}(None):"
    place = Place(ref.key, statement.span)
    given = _arguments(ref)
    if any(makes_operations(project, value) for value in given):
        return ()
    if is_enclosed_alone(project, ref):
        return (EncloseStatement(place, header),)
    may_come_first = always_evaluated(project, ref) and all(is_pure(project, ref, one.expr) for one in given)
    if statement.kind in _SIMPLE and may_come_first:
        return (HoistExpression(ref.place, fresh, place, header),)
    return ()


def _arguments(ref: Ref) -> list[Ref]:
    assert isinstance(ref.expr, Call)
    given = (*ref.expr.args, *(keyword.value for keyword in ref.expr.keywords))
    return [ref._replace(expr=value) for value in given]


def _spelling(project: Project, ref: Ref) -> str | None:
    """How the file spells ``tf.control_dependencies`` at `ref`."""
    facts = project.facts(ref.key)
    assert facts is not None
    tensorflow = tensorflow_spelling(project, facts, ref.scope)
    if tensorflow is not None:
        return f"{tensorflow}.{_METHOD}"
    active, _ = in_force(project, ref)
    names = (spelled(context.ref.expr.func) for context in active if isinstance(context.ref.expr, Call))
    return next((name for name in names if name is not None), None)
