"""Runs that only some ranks make.

Source: FAQ:multi-device_model_error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Call, Collection, Expr, Mapping, Name, Operation, argument
from npu_migrate.index.names import ancestors, lookup
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.dead_code import Requirement, requirements
from npu_migrate.semantics.flow import origins
from npu_migrate.training.distributed.ranks import depends_on_rank
from npu_migrate.training.npu.programs import programs_with_npu, some_program_with_npu
from npu_migrate.training.pipelines.placement.code import code_of
from npu_migrate.training.reading.session_fetches import all_fetchings

_DEEPEST = 4
"""How deep in lists of lists a fetch is looked for."""


class RankRun(NamedTuple):
    """A ``run`` of a session below a condition that differs from rank to rank."""

    run: Ref
    condition: Ref


def rank_runs(project: Project) -> Iterator[RankRun]:
    """All runs that some ranks of a program on the NPU make, and others not, with nothing in their place.

    Of the runs in the branches of one ``if`` those of the first branch that has any stand for the others.
    """
    if not some_program_with_npu(project):
        return
    runs = {
        id(one.call.expr): one.call
        for one in all_fetchings(project)
        if programs_with_npu(project, one.call.key)
    }
    told: dict[tuple[str, int], bool] = {}
    for run in sorted(runs.values(), key=lambda one: (one.key, one.expr.span)):
        facts = project.facts(run.key)
        assert facts is not None
        for needed in requirements(project, facts, run):
            if depends_on_rank(project, needed.condition):
                twins = (one for one in runs.values() if one is not run)
                branches = (run.key, needed.condition.statement)
                is_told = told.get(branches, needed.holds) is not needed.holds
                if not is_told and not any(_stands_in(project, run, one, needed) for one in twins):
                    told[branches] = needed.holds
                    yield RankRun(run, needed.condition)
                break


def _stands_in(project: Project, run: Ref, other: Ref, below: Requirement) -> bool:
    """Whether another run below, or behind, the same condition or its opposite fetches the same."""
    facts = project.facts(run.key)
    assert facts is not None
    if other.key != run.key:
        return False
    condition = below.condition
    is_below = condition.statement in ancestors(facts, other.statement)
    needed = tuple(requirements(project, facts, other))
    shares = is_below or any(one.condition.expr is condition.expr for one in needed)
    shares = shares or any(_is_opposite(one, below) for one in needed)
    return shares and _fetched(project, run) == _fetched(project, other)


def _is_opposite(one: Requirement, other: Requirement) -> bool:
    """``rank == 0`` and ``rank != 0``; ``chief`` and ``not chief``."""
    left, right = one.condition.expr, other.condition.expr
    if one.holds is not other.holds:
        return _text(left) == _text(right) is not None
    if not isinstance(left, Operation) or not isinstance(right, Operation):
        return False
    texts = tuple(map(_text, left.operands))
    is_negated = {left.operator, right.operator} == {"Eq", "NotEq"}
    return is_negated and None not in texts and texts == tuple(map(_text, right.operands))


def _text(expr: Expr) -> str | None:
    return code_of(expr, calls=True)


def _fetched(project: Project, run: Ref) -> frozenset[tuple[int, tuple[int, ...]]]:
    """What a run fetches, however it is put together: the order of fetches changes no graph."""
    assert isinstance(run.expr, Call)
    given = argument(run.expr, "fetches", 0)
    return frozenset() if given is None else frozenset(_leaves(project, run._replace(expr=given), 0))


def _leaves(project: Project, value: Ref, depth: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    for one in origins(project, value):
        if isinstance(one.expr, Collection | Mapping) and not one.path and depth < _DEEPEST:
            items = one.expr.items if isinstance(one.expr, Collection) else one.expr.values
            for item in items:
                yield from _leaves(project, one._replace(expr=item), depth + 1)
        else:
            yield _identity(project, one), one.path


def _identity(project: Project, origin: Ref) -> int:
    """What is the same for all places that read a parameter, or make one value."""
    facts = project.facts(origin.key)
    assert facts is not None
    found = lookup(facts, origin.scope, origin.expr.id) if isinstance(origin.expr, Name) else None
    return id(origin.expr) if found is None else id(found.bindings)
