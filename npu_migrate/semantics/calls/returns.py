"""What a function hands back: the expressions it returns, or an iterator over what it yields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from npu_migrate.index.facts import FileFacts, Other, walk
from npu_migrate.project.once import once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import Definition


def returned_values(project: Project, target: Definition) -> list[Ref]:
    """The expressions that a function or lambda returns; empty for a generator."""
    facts = project.facts(target.key)
    assert facts is not None
    scope = facts.scopes[target.scope]
    if scope.body is not None:
        return [Ref(target.key, target.scope, scope.statement, scope.body)]
    if is_generator(project, target):
        return []
    return list(_results(project, facts).returned.get(target.scope, ()))


def yielded_values(project: Project, target: Definition) -> list[Ref]:
    """The expressions that a generator yields, those it yields from another one not included."""
    facts = project.facts(target.key)
    assert facts is not None
    return list(_results(project, facts).yielded.get(target.scope, ()))


def is_generator(project: Project, target: Definition) -> bool:
    """Whether a function yields, so that calling it gives an iterator and not what it returns."""
    facts = project.facts(target.key)
    assert facts is not None
    return target.scope in _results(project, facts).generators


class _Results(NamedTuple):
    """Of one file: what each function scope returns and yields, and which of them are generators."""

    returned: Mapping[int, tuple[Ref, ...]]
    yielded: Mapping[int, tuple[Ref, ...]]
    generators: frozenset[int]


@once_per_file
def _results(facts: FileFacts) -> _Results:
    returned: dict[int, tuple[Ref, ...]] = {}
    for statement in facts.statements:
        if statement.kind == "Return" and statement.values:
            ref = Ref(facts.key, statement.scope, statement.id, statement.values[0])
            returned[statement.scope] = (*returned.get(statement.scope, ()), ref)
    yielded: dict[int, tuple[Ref, ...]] = {}
    generators: set[int] = set()
    for number in facts.yielding:
        statement = facts.statements[number]
        for value in statement.values:
            for part in walk(value):
                if isinstance(part, Other) and part.kind in ("Yield", "YieldFrom"):
                    generators.add(statement.scope)
                    if part.kind == "Yield" and part.parts:
                        ref = Ref(facts.key, statement.scope, statement.id, part.parts[0])
                        yielded[statement.scope] = (*yielded.get(statement.scope, ()), ref)
    return _Results(returned, yielded, frozenset(generators))
