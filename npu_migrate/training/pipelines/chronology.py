"""Whether sessions are opened before or after a pipeline is built, as far as the project's calls tell.

The calls that lead to either are gone through in the order in which they run, from each start of the
program: a module's own code, or a function that nobody in sight calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, FileFacts
from npu_migrate.index.names import ancestors, code_scope
from npu_migrate.project.project import Project
from npu_migrate.semantics.calls.function_calls import all_calls_of
from npu_migrate.semantics.resolution import Definition

_MOST_SCOPES = 300
_MOST_EVENTS = 500
_LOOPS = ("For", "While", "AsyncFor")


class Mark(NamedTuple):
    """A statement that opens a session, or builds a pipeline.

    `once` tells that it opens the session only if there is none yet.
    """

    key: str
    scope: int
    statement: int
    opens: bool
    once: bool = False


class _Step(NamedTuple):
    """What one function does at one place: a mark of its own, or a call of another function.

    `read` tells that the function is a property, which keeps what it made.
    """

    place: tuple[int, int, int]
    statement: int
    mark: Mark | None
    target: Definition | None
    read: bool = False


History = tuple[bool, ...]
"""What happens in one run of the program: True where a session is opened, False where a pipeline is built."""


def histories(project: Project, marks: Iterable[Mark]) -> Iterator[History]:
    """For each start of the program that leads to one of the marks: which happen, in order."""
    steps = _steps(project, tuple(marks))
    called = {step.target for own in steps.values() for step in own}
    for scope in steps:
        if scope not in called:
            events = _Events([], set())
            _follow(project, steps, scope, (), events)
            yield tuple(events.happened)


def built_behind_session(project: Project, marks: Iterable[Mark]) -> bool:
    """Whether in some run a session is there, and none is opened after the last pipeline is built."""
    return any(True in history and not history[-1] for history in histories(project, marks))


def always_built_behind_session(project: Project, marks: Iterable[Mark]) -> bool:
    """Whether in every run each pipeline is built after the last session is opened."""
    found = [history for history in histories(project, marks) if False in history]
    return bool(found) and all(
        history[0] and history == tuple(sorted(history, reverse=True)) for history in found
    )


def built_before_session(project: Project, marks: Iterable[Mark]) -> bool:
    """Whether in some run a pipeline is built, and only later the first session is opened."""
    return any(True in history and not history[0] for history in histories(project, marks))


class _Events(NamedTuple):
    happened: list[bool]
    once: set[Mark | Definition]


def _steps(project: Project, marks: tuple[Mark, ...]) -> dict[Definition, list[_Step]]:
    """What leads to the marks, by function (or module), each in the order in which it runs."""
    found: dict[Definition, list[_Step]] = {}
    waiting: list[Definition] = []
    for mark in marks:
        facts = project.facts(mark.key)
        assert facts is not None
        scope = Definition(mark.key, mark.scope)
        if scope not in found:
            waiting.append(scope)
        step = _Step((*_end(facts, mark.statement), 1), mark.statement, mark, None)
        found.setdefault(scope, []).append(step)
    while waiting and len(found) < _MOST_SCOPES:
        target = waiting.pop()
        if target.scope == 0:
            continue
        for site in all_calls_of(project, target):
            facts = project.facts(site.key)
            assert facts is not None
            caller = Definition(site.key, code_scope(facts, site.scope))
            if caller not in found:
                waiting.append(caller)
            step = _Step(
                (*site.expr.span[2:], 0), site.statement, None, target, isinstance(site.expr, Attribute)
            )
            found.setdefault(caller, []).append(step)
    return {scope: sorted(own, key=lambda step: step.place) for scope, own in found.items()}


def _end(facts: FileFacts, statement: int) -> tuple[int, int]:
    """Where a statement ends, for a block its header."""
    found = facts.statements[statement]
    span = max((value.span[2:] for value in found.values), default=found.span[2:])
    return span if found.kind == "With" else found.span[2:]


def _follow(
    project: Project,
    steps: dict[Definition, list[_Step]],
    scope: Definition,
    around: tuple[Definition, ...],
    events: _Events,
) -> None:
    if scope in around:
        return
    facts = project.facts(scope.key)
    assert facts is not None
    for step in _as_run(facts, steps.get(scope, [])):
        if len(events.happened) > _MOST_EVENTS:
            return
        what = step.target or step.mark
        assert what is not None
        if what in events.once:
            continue
        if step.read or (step.mark is not None and step.mark.once):
            events.once.add(what)
        if step.target is not None:
            _follow(project, steps, step.target, (*around, scope), events)
        elif step.mark is not None:
            events.happened.append(step.mark.opens)


def _as_run(facts: FileFacts, steps: list[_Step]) -> Iterator[_Step]:
    """The steps of one function; those in a loop twice."""
    position = 0
    while position < len(steps):
        loop = _outermost_loop(facts, steps[position].statement)
        end = position + 1
        while loop is not None and end < len(steps):
            if _outermost_loop(facts, steps[end].statement) != loop:
                break
            end += 1
        inside = steps[position:end]
        yield from inside if loop is None else [*inside, *inside]
        position = end


def _outermost_loop(facts: FileFacts, statement: int) -> int | None:
    scope = facts.statements[statement].scope
    loops = [
        number
        for number in ancestors(facts, statement)
        if facts.statements[number].kind in _LOOPS and facts.statements[number].scope == scope
    ]
    return loops[-1] if loops else None


def repeats_in_session(project: Project, sessions: Iterable[Mark], mark: Mark) -> bool:
    """Whether a statement may run twice in one session: in a loop, or as its function is called twice."""
    return any(
        not one and not other
        for history in histories(project, (mark, *sessions))
        for one, other in pairwise(history)
    )
