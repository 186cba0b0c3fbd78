"""Whether the list that ``tf.control_dependencies`` gets holds anything."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from npu_migrate.index.facts import Conditional, Expr, Name
from npu_migrate.index.names import code_scope, lookup
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import all_bindings, reaching
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.dead_code import is_dead
from npu_migrate.semantics.values.evaluation import evaluate


class Presence(enum.Enum):
    """Whether there are control inputs, as far as the code shows."""

    NEVER = enum.auto()
    SOMETIMES = enum.auto()
    ALWAYS = enum.auto()


def presence_of(project: Project, ref: Ref) -> Presence:
    """Whether the inputs `ref` are something: not None, and no empty list.

    What cannot be seen is something. Of a condition the branch counts that is taken in the programs in sight;
    one that rests on a default leaves a doubt.
    """
    found: set[bool] = set()
    doubt = False
    seen: set[Expr] = set()
    stack = [ref]
    while stack:
        current = stack.pop()
        expr = current.expr
        if expr in seen:
            continue
        seen.add(expr)
        if isinstance(expr, Conditional):
            taken, is_default = _branches(project, current, expr)
            doubt = doubt or is_default
            stack.extend(taken)
            continue
        value = evaluate(project, current)
        if value.is_known:
            found.update(known.constant not in (None, [], ()) for known in value.alternatives)
            continue
        assigned = list(_assigned_before(project, current, expr.id)) if isinstance(expr, Name) else []
        stack.extend(assigned)
        if not assigned:
            found.add(True)
    if True not in found:
        return Presence.NEVER if found else Presence.ALWAYS
    return Presence.SOMETIMES if doubt or False in found else Presence.ALWAYS


def _branches(project: Project, ref: Ref, choice: Conditional) -> tuple[list[Ref], bool]:
    """The branches that may be taken, and whether a default decides that."""
    test = evaluate(project, ref._replace(expr=choice.test))
    both = [ref._replace(expr=choice.body), ref._replace(expr=choice.orelse)]
    if test.every(bool):
        return both[:1], test.is_default
    if test.every(lambda value: not value):
        return both[1:], test.is_default
    return both, False


def _assigned_before(project: Project, ref: Ref, name: str) -> Iterator[Ref]:
    """The values that assignments may have given the variable when the statement of `ref` runs."""
    facts = project.facts(ref.key)
    assert facts is not None
    found = lookup(facts, ref.scope, name)
    if found is None:
        return
    bindings = None
    if found.scope == code_scope(facts, ref.scope):
        bindings = reaching(facts, project.blocks(ref.key), found, name, ref.statement)
    for binding in all_bindings(facts, found, name) if bindings is None else bindings:
        if binding.kind == "assign" and binding.value is not None and not binding.path:
            statement = facts.statements[binding.statement]
            value = Ref(ref.key, statement.scope, statement.id, binding.value)
            if statement.id != ref.statement and not is_dead(project, value):
                yield value
