"""Names for expressions that have none: fresh ones, and where an expression can get one."""

from __future__ import annotations

from collections.abc import Collection

from npu_migrate.index.facts import NOTHING, Conditional, Expr, FileFacts, Operation
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref


def fresh_name(
    project: Project, facts: FileFacts, scope: int, taken: Collection[str], base: str = "iterator"
) -> str:
    """`base`, or ``base_1``, …: a name that means nothing in `scope`, around it or inside it.

    `taken` are further names to avoid.
    """
    used = _names_seen_from(project, facts.key, scope)
    number = 0
    while True:
        name = f"{base}_{number}" if number else base
        if name not in used and name not in taken:
            return name
        number += 1


@once
def _names_seen_from(project: Project, key: str, scope: int) -> frozenset[str]:
    """The names that a scope, those around it and those inside it bind or read."""
    facts = project.facts(key)
    if facts is None:
        return frozenset()
    related = related_scopes(facts, scope)
    bound = {name for number in related for name in facts.scopes[number].bindings}
    bound.update(name for number in related for name in facts.scopes[number].outer_names)
    read = {name for name in facts.words if any(site.scope in related for site in project.names(key, name))}
    return frozenset(bound | read | (_names_of_star_importers(project, key) if scope == 0 else set()))


def _names_of_star_importers(project: Project, key: str) -> set[str]:
    """The names that files use which import all names of this one."""
    users = (project.facts(importer) for importer in project.importers(key))
    return {
        name
        for facts in users
        if facts is not None and any(scope.stars for scope in facts.scopes)
        for name in facts.words
    }


def related_scopes(facts: FileFacts, scope: int) -> frozenset[int]:
    """A scope, those around it and those inside it."""
    return frozenset(_scopes_around(facts, scope) | _scopes_inside(facts, scope))


def _scopes_around(facts: FileFacts, scope: int) -> set[int]:
    found = {scope}
    while facts.scopes[scope].parent != NOTHING:
        scope = facts.scopes[scope].parent
        found.add(scope)
    return found


def _scopes_inside(facts: FileFacts, scope: int) -> set[int]:
    found = {scope}
    for inner in facts.scopes[scope + 1 :]:
        if inner.parent in found:
            found.add(inner.id)
    return found


def unbindable(project: Project, ref: Ref) -> str:
    """Why the expression cannot get a name on a statement before its own; empty if it can."""
    facts = project.facts(ref.key)
    assert facts is not None
    kind = facts.scopes[ref.scope].kind
    if kind in ("comprehension", "lambda"):
        return kind
    if kind == "class":
        return "statement"
    current: Ref | None = ref
    while current is not None:
        outer = project.parent_ref(current)
        if outer is not None and _evaluated_conditionally(outer.expr, current.expr):
            return "conditional"
        current = outer
    statement = facts.statements[ref.statement]
    if statement.kind in ("While", "FunctionDef", "ClassDef"):
        return "statement"
    return ""


def _evaluated_conditionally(outer: Expr, inner: Expr) -> bool:
    if isinstance(outer, Conditional):
        return inner is not outer.test
    return isinstance(outer, Operation) and outer.operator in ("And", "Or") and inner is not outer.operands[0]
