"""Initializers of iterators that Rec SDK has replaced by iterators of its own.

Sources: REC-DOC:automatic_graph_modification.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute
from npu_migrate.knowledge.rec import MODIFY, PACKAGE
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.training.npu.options.paths import always_precedes
from npu_migrate.training.pipelines.iterators import initializable_creations
from npu_migrate.training.pipelines.order import certainly_before
from npu_migrate.training.pipelines.partition.executions import runs
from npu_migrate.training.pipelines.partition.op_parts import Kind, alternatives


class DeadInitializer(NamedTuple):
    """An initializer that is run after the graph was modified; `is_only`: there is no other iterator."""

    initializer: Ref
    run: Ref
    modified: Ref
    is_only: bool


def dead_initializers(project: Project) -> Iterator[DeadInitializer]:
    """All runs of initializers of iterators that were made before the graph was modified."""
    if not _modifications(project):
        return
    for run in runs(project):
        near = [one for one in _modifications(project) if _is_before(project, one, run.call)]
        found = alternatives(project, run.op) if near else ()
        for part in found[0] if len(found) == 1 else ():
            is_plain = (
                part.kind is Kind.ITERATOR and isinstance(part.leaf.expr, Attribute) and not part.choices
            )
            if is_plain and _is_of_old_graph(project, part.leaf, near[-1]):
                yield DeadInitializer(part.leaf, run.call, near[-1], _is_only(project, run.call.key))


@once
def _modifications(project: Project) -> tuple[Ref, ...]:
    return tuple(
        ref_of_call(key, site)
        for key, site in project.calls_named(MODIFY)
        if any(name.startswith(PACKAGE) for name in external_names(project, key, site.scope, site.call.func))
    )


def _is_before(project: Project, first: Ref, second: Ref) -> bool:
    """Whether one place comes before the other one, in one function or in functions that are called once."""
    facts = project.facts(first.key)
    assert facts is not None
    if first.key == second.key:
        scopes = {facts.statements[one.statement].scope for one in (first, second)}
        if len(scopes) == 1:
            return certainly_before(facts, first.statement, second.statement)
    return always_precedes(project, first, second)


def _is_of_old_graph(project: Project, initializer: Ref, modified: Ref) -> bool:
    """Whether all iterators that an initializer may be of were made before the graph was modified."""
    assert isinstance(initializer.expr, Attribute)
    made = origins(project, initializer._replace(expr=initializer.expr.value, path=()))
    return bool(made) and all(_is_before(project, one, modified) for one in made)


def _is_only(project: Project, key: str) -> bool:
    near = sorted(project.neighbours(key))
    return sum(len(initializable_creations(project, one)) for one in near) == 1
