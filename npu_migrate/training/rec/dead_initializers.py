"""Initializers of iterators that Rec SDK has replaced by iterators of its own.

Sources: REC-DOC:automatic_graph_modification.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute
from npu_migrate.index.names import code_scope
from npu_migrate.knowledge.rec import MODIFY, PACKAGE
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.semantics.resolution import Definition, external_names
from npu_migrate.training.npu.options.paths import always_precedes
from npu_migrate.training.pipelines.iterators import initializable_creations
from npu_migrate.training.pipelines.order import certainly_before
from npu_migrate.training.pipelines.partition.executions import runs
from npu_migrate.training.pipelines.partition.op_parts import Kind, Part, alternatives


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
        parts = found[0] if len(found) == 1 else ()
        dead = [part for part in parts if _is_dead(project, part, near[-1])]
        for part in dead:
            if not part.choices or len(dead) == len(parts):
                yield DeadInitializer(part.leaf, run.call, near[-1], _is_only(project, run.call.key))


def _is_dead(project: Project, part: Part, modified: Ref) -> bool:
    """Whether a part of a run is the initializer of an iterator of the graph before it was modified."""
    is_plain = part.kind is Kind.ITERATOR and isinstance(part.leaf.expr, Attribute)
    return is_plain and _is_of_old_graph(project, part.leaf, modified)


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
    """Whether all iterators that an initializer may be of were made before the graph was modified.

    So they were if it was read before. What a function makes was made when it was called.
    """
    assert isinstance(initializer.expr, Attribute)
    if _is_before(project, initializer, modified):
        return True
    iterator = initializer._replace(expr=initializer.expr.value, path=())
    found = ends(project, traced(iterator))
    calls = (end.frames[0].call if end.frames else end.ref for end in found)
    return bool(found) and all(one is not None and _is_before(project, one, modified) for one in calls)


def _is_only(project: Project, key: str) -> bool:
    near = sorted(project.neighbours(key))
    found = [made for one in near for made in initializable_creations(project, one)]
    return len(found) == 1 and _is_made_once(project, found[0].ref)


def _is_made_once(project: Project, made: Ref) -> bool:
    """Whether an iterator is made by the module, or by a function that is called at one place at most."""
    facts = project.facts(made.key)
    assert facts is not None
    function = Definition(made.key, code_scope(facts, made.scope))
    return function.scope == 0 or len(callers(project, function).sites) <= 1
