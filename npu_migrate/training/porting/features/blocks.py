"""Where a block ends, for statements that close what its first ones open."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Constant,
    Expr,
    FileFacts,
    Name,
    Operation,
    Statement,
    walk,
)
from npu_migrate.index.names import enclosing_function, spelled
from npu_migrate.places import Span
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.function_calls import all_calls_of
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.npu.trainings import trainings
from npu_migrate.training.pipelines.input_functions import references
from npu_migrate.training.pipelines.reachability import constructions
from npu_migrate.training.porting.keras import keras_trainings
from npu_migrate.training.porting.session_openings import session_openings
from npu_migrate.training.porting.spelling import source_text
from npu_migrate.training.reading.session_fetches import fetchings_of


def end_of_training(project: Project, ref: Ref) -> Span | None:
    """The last statement of the block around `ref`, if all trainings of its function are over there.

    None where the block leaves the function or is repeated, where a training stands outside of it, as behind
    an ``if`` with `ref` in it, and in a function that only prepares trainings: one that opens a session for
    others to run, such as a constructor that keeps it.
    """
    return _end_of_block(project, ref, project.statement(ref))


class ConditionalEnd(NamedTuple):
    """An end behind an ``if``: what stands there has to ask for the same `condition`."""

    last: Span
    condition: str


def conditional_end(project: Project, ref: Ref) -> ConditionalEnd | None:
    """The end of the block around an ``if`` that decides whether `ref` is run, as a flag does."""
    facts = project.facts(ref.key)
    assert facts is not None
    parent = facts.statements[ref.statement].parent
    outer = facts.statements[parent] if parent != NOTHING else None
    if outer is None or outer.kind != "If" or facts.statements[ref.statement].block != "body":
        return None
    if not all(map(_stays_true, walk(outer.values[0]))) or _is_set_later(facts, outer):
        return None
    condition = source_text(project, Ref(ref.key, outer.scope, outer.id, outer.values[0]))
    last = _end_of_block(project, ref, outer)
    return None if last is None or condition is None else ConditionalEnd(last, condition)


def _stays_true(expr: Expr) -> bool:
    """Whether a part of a condition gives the same if it is asked again: names and what compares them."""
    return isinstance(expr, (Attribute, Constant, Name, Operation))


def _is_set_later(facts: FileFacts, condition: Statement) -> bool:
    """Whether something that an ``if`` asks for gets another value in one of its branches or behind it."""
    asked = {text for part in walk(condition.values[0]) if (text := spelled(part)) is not None}
    return any(
        target is not None and spelled(target) in asked
        for later in facts.statements[condition.id + 1 :]
        if later.scope == condition.scope
        for target in later.targets
    )


def _end_of_block(project: Project, ref: Ref, statement: Statement) -> Span | None:
    led = _leading_to_trainings(project, ref)
    if led is None:
        return None
    facts = project.facts(ref.key)
    assert facts is not None
    block = project.block(facts, statement.parent, statement.block)
    around = facts.statements[statement.parent].kind if statement.parent != NOTHING else "Module"
    if around not in ("Module", "FunctionDef", "If", "With", "Try") or block[-1].kind in ("Return", "Raise"):
        return None
    first, last = block[0].span, block[-1].span
    inside = all(first[:2] <= place.expr.span[:2] and place.expr.span[2:] <= last[2:] for place in led)
    return last if led and inside else None


def _leading_to_trainings(project: Project, ref: Ref) -> tuple[Ref, ...] | None:
    """Where the function around `ref` trains, or has others train.

    None if it opens a session that is also run by code which the function does not lead to.
    """
    led: list[Ref] = []
    for call in _trainings(project, ref):
        opened = tuple(_leading_to(project, ref, call))
        runs = [tuple(_leading_to(project, ref, one.call)) for one in fetchings_of(project, call) if opened]
        if not all(runs):
            return None
        led += chain(opened, *runs)
    return tuple(led)


def _trainings(project: Project, ref: Ref) -> Iterator[Ref]:
    """The calls near `ref` that train, or open a session that may."""
    found = (
        *(one.call for one in session_openings(project)),
        *(one.call for one in trainings(project)),
        *(one.call for one in keras_trainings(project)),
    )
    near = project.neighbours(ref.key)
    return (call for call in found if call.key in near)


def _leading_to(project: Project, ref: Ref, call: Ref) -> Iterator[Ref]:
    """Where the function, or the module, around `ref` makes `call`, by itself or by what it calls."""
    facts = project.facts(ref.key)
    assert facts is not None
    home = Definition(ref.key, enclosing_function(facts, ref.scope))
    seen: set[Definition] = set()
    stack = [call]
    while stack:
        current = stack.pop()
        around = project.facts(current.key)
        if around is None:
            continue
        function = Definition(current.key, enclosing_function(around, current.scope))
        if function == home:
            yield current
        elif function.scope and function not in seen:
            seen.add(function)
            stack += (*references(project, function), *all_calls_of(project, function))
            stack += constructions(project, function)
