"""What a function hands back: the expressions it returns, or an iterator over what it yields."""

from __future__ import annotations

from npu_migrate.index.facts import Other, walk
from npu_migrate.project.project import Project, Ref
from npu_migrate.project.resolution import Definition


def returned_values(project: Project, target: Definition) -> list[Ref]:
    """The expressions that a function or lambda returns; empty for a generator."""
    facts = project.facts(target.key)
    assert facts is not None
    scope = facts.scopes[target.scope]
    if scope.body is not None:
        return [Ref(target.key, target.scope, scope.statement, scope.body)]
    returns = [
        Ref(target.key, target.scope, statement.id, statement.values[0])
        for statement in facts.statements
        if statement.scope == target.scope and statement.kind == "Return" and statement.values
    ]
    return [] if is_generator(project, target) else returns


def is_generator(project: Project, target: Definition) -> bool:
    """Whether a function yields, so that calling it gives an iterator and not what it returns."""
    facts = project.facts(target.key)
    assert facts is not None
    generators = project.memo.get(("generators", target.key))
    if generators is None:
        generators = frozenset(
            statement.scope
            for statement in facts.statements
            for value in statement.values
            for part in walk(value)
            if isinstance(part, Other) and part.kind in ("Yield", "YieldFrom")
        )
        project.memo["generators", target.key] = generators
    return target.scope in generators  # type: ignore[operator]
