"""Code that is never run: conditions around it, or around all calls of its function, rule it out.

What rules it out is for the asker to say: a constant in sight (`is_dead`), or anything else that one knows of
a condition (`is_ruled_out`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import NOTHING, Conditional, FileFacts, Operation, Statement
from npu_migrate.index.names import enclosing_function
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import leaves
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.values.evaluation import evaluate

_FUNCTIONS = ("FunctionDef", "AsyncFunctionDef")

Decides = Callable[[Project, Ref], bool | None]
"""What is known of a condition: that it holds, that it does not, or nothing."""


class Requirement(NamedTuple):
    """A condition that has to hold, or (where `holds` is False) must not hold, for some code to run."""

    condition: Ref
    holds: bool


def is_dead(project: Project, ref: Ref) -> bool:
    """Whether constants in sight rule out that `ref` is ever evaluated: ``if False``, ``elif SCALE >= 1``.

    A default proves nothing: whoever starts the program may give another value.
    """
    return is_ruled_out(project, ref, holds)


def holds(project: Project, condition: Ref) -> bool | None:
    """Whether a condition holds, as far as constants tell."""
    value = evaluate(project, condition)
    if not value.is_known or value.is_default:
        return None
    found = {bool(known.constant) for known in value.alternatives}
    return found.pop() if len(found) == 1 else None


def is_ruled_out(project: Project, ref: Ref, decides: Decides) -> bool:
    """Whether what `decides` knows of the conditions rules out that `ref` is ever evaluated.

    A function is out of reach if all its calls are in sight and each of them is: a function that nobody calls
    may be somebody's entry.
    """
    seen: set[Definition] = set()
    stack = [ref]
    while stack:
        current = stack.pop()
        facts = project.facts(current.key)
        if facts is None:
            return False
        if _is_ruled_out_here(project, facts, current, decides):
            continue
        function = enclosing_function(facts, current.scope)
        if function == 0:
            return False
        target = Definition(current.key, function)
        if target in seen:
            continue
        seen.add(target)
        known = callers(project, target)
        if not known.sites or not known.all_seen:
            return False
        stack.extend(known.sites)
    return True


def _is_ruled_out_here(project: Project, facts: FileFacts, ref: Ref, decides: Decides) -> bool:
    return any(
        decides(project, condition) is (not wanted) for condition, wanted in requirements(project, facts, ref)
    )


def requirements(project: Project, facts: FileFacts, ref: Ref) -> Iterator[Requirement]:
    """What has to hold for `ref` to be evaluated when its function runs: conditions around it and before."""
    for requirement in whole_requirements(project, facts, ref):
        yield from _parts(requirement)


def whole_requirements(project: Project, facts: FileFacts, ref: Ref) -> Iterator[Requirement]:
    """The same with conditions as they stand in the code, ``and`` and ``not`` included."""
    yield from _in_expression(project, ref)
    blocks = project.blocks(ref.key)
    statement = facts.statements[ref.statement]
    while True:
        for sibling in blocks[statement.parent, statement.block][: statement.position]:
            if sibling.kind == "If" and leaves(blocks, blocks.get((sibling.id, "body"), ())):
                yield Requirement(_test(facts, sibling), holds=False)
            if sibling.kind == "If" and leaves(blocks, blocks.get((sibling.id, "orelse"), ())):
                yield Requirement(_test(facts, sibling), holds=True)
        if statement.parent == NOTHING:
            return
        block = statement.block
        statement = facts.statements[statement.parent]
        if statement.kind in (*_FUNCTIONS, "ClassDef"):
            return
        if statement.kind == "If" or (statement.kind == "While" and block == "body"):
            yield Requirement(_test(facts, statement), holds=block == "body")


def _test(facts: FileFacts, statement: Statement) -> Ref:
    return Ref(facts.key, statement.scope, statement.id, statement.values[0])


def _in_expression(project: Project, ref: Ref) -> Iterator[Requirement]:
    inner, outer = ref, project.parent_ref(ref)
    while outer is not None:
        expr = outer.expr
        if isinstance(expr, Conditional) and inner.expr is not expr.test:
            yield Requirement(outer._replace(expr=expr.test), holds=inner.expr is expr.body)
        elif isinstance(expr, Operation) and expr.operator in ("And", "Or"):
            for operand in expr.operands:
                if operand is inner.expr:
                    break
                yield Requirement(outer._replace(expr=operand), holds=expr.operator == "And")
        inner, outer = outer, project.parent_ref(outer)


def _parts(requirement: Requirement) -> Iterator[Requirement]:
    """A requirement as simpler ones: of ``a and b`` both have to hold, of ``a or b`` neither may."""
    condition, wanted = requirement
    expr = condition.expr
    if isinstance(expr, Operation) and expr.operator == "Not":
        yield from _parts(Requirement(condition._replace(expr=expr.operands[0]), not wanted))
    elif isinstance(expr, Operation) and expr.operator == ("And" if wanted else "Or"):
        for operand in expr.operands:
            yield from _parts(Requirement(condition._replace(expr=operand), wanted))
    else:
        yield requirement
