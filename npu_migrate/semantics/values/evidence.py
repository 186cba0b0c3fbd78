"""What a value proves: a default proves nothing inside a condition that reads the same name.

``elif FLAGS.loss_scale >= 1: use(FLAGS.loss_scale)`` runs only when somebody gave the flag another value.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Comprehension,
    Conditional,
    Constant,
    Expr,
    Name,
    Operation,
    walk,
)
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import leaves
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.dead_code import whole_requirements
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.value import UNKNOWN, Known, Value


def evidence(project: Project, ref: Ref, program: str | None = None, *, fulfilled: bool = False) -> Value:
    """The value of `ref` as far as it is evidence at that place: see `evaluate` and the module's text.

    With `fulfilled` a default counts that fulfils the condition: for what the condition itself asks.
    """
    value = evaluate(project, ref, program)
    if any(guarded_by_same_name(project, ref, known, fulfilled) for known in value.alternatives):
        return UNKNOWN
    return value


def guarded_by_same_name(project: Project, ref: Ref, known: Known, fulfilled: bool = False) -> bool:
    """Whether the default `known`, as the value of `ref`, is read under a condition on itself.

    Every stop between the use and the default counts: the condition may be around the call that passes
    the value on. With `fulfilled`, a condition that the defaults fulfil is none.
    """
    if not known.is_default:
        return False
    names = frozenset(step.name for step in known.steps)
    places = [ref, *(step.ref for step in known.steps if not step.is_default)]
    return any(
        _reads(condition, names) and not (fulfilled and _holds_by_default(project, place, condition))
        for place in places
        for condition in conditions_at(project, place)
    )


def _holds_by_default(project: Project, place: Ref, condition: Expr) -> bool:
    """Whether a condition on the way to `place` is as it has to be, if nothing is given but defaults."""
    facts = project.facts(place.key)
    assert facts is not None
    return any(
        evaluate(project, asked).every(bool if wanted else operator.not_)
        for asked, wanted in whole_requirements(project, facts, place)
        if asked.expr is condition
    )


def conditions_at(project: Project, ref: Ref) -> Iterator[Expr]:
    """The conditions that decide whether `ref` is evaluated, in its function: around it, or guards before."""
    yield from _in_expression(project, ref)
    facts = project.facts(ref.key)
    assert facts is not None
    blocks = project.blocks(ref.key)
    statement = facts.statements[ref.statement]
    while True:
        for sibling in blocks[statement.parent, statement.block][: statement.position]:
            left = sibling.kind == "If" and leaves(blocks, blocks.get((sibling.id, "body"), ()))
            if left or sibling.kind == "Assert":
                yield from sibling.values[:1]
        if statement.parent == NOTHING:
            return
        statement = facts.statements[statement.parent]
        if statement.kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
            return
        if statement.kind in ("If", "While"):
            yield from statement.values


def _in_expression(project: Project, ref: Ref) -> Iterator[Expr]:
    inner, outer = ref, project.parent_ref(ref)
    while outer is not None:
        expr = outer.expr
        if isinstance(expr, Conditional) and inner.expr is not expr.test:
            yield expr.test
        elif isinstance(expr, Operation) and expr.operator in ("And", "Or"):
            yield from (operand for operand in expr.operands if operand is not inner.expr)
        elif isinstance(expr, Comprehension) and inner.expr in expr.elements:
            yield from expr.conditions
        inner, outer = outer, project.parent_ref(outer)


def _reads(condition: Expr, names: frozenset[str]) -> bool:
    return any(
        (isinstance(part, Name) and part.id in names)
        or (isinstance(part, Attribute) and part.attr in names)
        or (isinstance(part, Constant) and isinstance(part.value, str) and part.value in names)
        for part in walk(condition)
    )
