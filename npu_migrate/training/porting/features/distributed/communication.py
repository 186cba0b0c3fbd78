"""The communication of the devices: the statements that begin and end it, and where it may end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, combinations
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Constant,
    Expr,
    FileFacts,
    Name,
    Operation,
    Statement,
    walk,
)
from npu_migrate.index.names import spelled
from npu_migrate.intents import InsertStatement, Side
from npu_migrate.knowledge.tensorflow import APP_RUNS
from npu_migrate.places import Place, Span
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.npu.options.paths import exclusive, is_before
from npu_migrate.training.npu.trainings import runs_repeatedly, trainings
from npu_migrate.training.pipelines.reachability import (
    Steps,
    calls_seen,
    function_of,
    is_main,
    is_reached,
    is_run_by,
    ways_to,
)
from npu_migrate.training.porting.features.found import EXITS
from npu_migrate.training.porting.keras import keras_trainings
from npu_migrate.training.porting.session_openings import session_openings
from npu_migrate.training.porting.spelling import new_names, source_text
from npu_migrate.training.porting.trains import fetch_is_seen_not_to_train, trains
from npu_migrate.training.porting.ways import calls_perhaps
from npu_migrate.training.reading.session_fetches import fetchings_of

_ENDING = APP_RUNS | EXITS
"""What ends the program when it has done what it is asked for."""


class Communication(NamedTuple):
    """The statements that begin the communication of the devices, and that end it, in this order."""

    begin: str
    shut_down: str
    close: str

    def ended_behind(self, last: Place) -> tuple[InsertStatement, ...]:
        """What ends it behind the statement at `last`, and behind what others put there."""
        lines = (self.shut_down, self.close)
        return tuple(InsertStatement(last, Side.AFTER, line, 90 + i) for i, line in enumerate(lines))


def communication(project: Project, ref: Ref) -> Communication:
    """What begins the communication at `ref`, and ends it in the same function."""
    session, shutdown = new_names(project, ref, 0, "npu_sess", "npu_shutdown")
    return Communication(
        f"{session}, {shutdown} = init_resource()",
        f"shutdown_resource({session}, {shutdown})",
        f"close_session({session})",
    )


def end_of_training(project: Project, ref: Ref, others: Sequence[Ref] = ()) -> Span | None:
    """The last statement of the block around `ref`, if all trainings, and `others`, are over there.

    None where the block is left before its end or is run more than once, where a training stands outside of
    it, as behind an ``if`` with `ref` in it, or may be run by another function later. None also in a function
    that only prepares trainings: one that opens a session for others to run, such as a constructor that
    keeps it.
    """
    return _end_of_block(project, ref, project.statement(ref), others)


def only_runs_behind(project: Project, ref: Ref, call: Ref) -> bool:
    """Whether no program with `ref` gets to `call` but by the function around `ref`, behind it."""
    led = _leading_to(project, ref, call)
    return all(ref.expr.span[:2] < one.expr.span[:2] for one in led) and not _is_run_elsewhere(
        project, ref, call, lambda _: True
    )


class ConditionalEnd(NamedTuple):
    """An end behind an ``if``: what stands there has to ask for the same `condition`."""

    last: Span
    condition: str


def conditional_end(project: Project, ref: Ref, others: Sequence[Ref] = ()) -> ConditionalEnd | None:
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
    last = _end_of_block(project, ref, outer, others)
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


def _end_of_block(project: Project, ref: Ref, statement: Statement, others: Sequence[Ref]) -> Span | None:
    led = _leading_to_trainings(project, ref)
    if not led or _is_run_again(project, ref):
        return None
    facts = project.facts(ref.key)
    assert facts is not None
    block = project.block(facts, statement.parent, statement.block)
    around = facts.statements[statement.parent].kind if statement.parent != NOTHING else "Module"
    if around not in ("Module", "FunctionDef", "If", "With", "Try"):
        return None
    first, last = block[0], block[-1]
    if _leaves(project, Ref(ref.key, statement.scope, last.id, ref.expr)) or _is_left(facts, ref, last):
        return None
    led = (*led, *(one for other in others for one in _leading_to(project, ref, other)))
    inside = all(
        first.span[:2] <= place.expr.span[:2] and place.expr.span[2:] <= last.span[2:] for place in led
    )
    needed = (*_needed_elsewhere(project, ref), *others)
    return last.span if inside and not any(_may_come_later(project, ref, one) for one in needed) else None


def _leaves(project: Project, last: Ref) -> bool:
    """Whether nothing behind a statement is reached: it returns, raises or ends the program."""
    statement = project.statement(last)
    if statement.kind in ("Return", "Raise"):
        return True
    if statement.kind != "Expr" or not isinstance(statement.values[0], Call):
        return False
    return bool(externals_called(project, last._replace(expr=statement.values[0])) & _ENDING)


def _is_left(facts: FileFacts, ref: Ref, last: Statement) -> bool:
    """Whether a ``return`` between `ref` and the end of its block leaves the function on some path."""
    return any(
        later.kind == "Return" and later.scope == last.scope and later.span[:2] < last.span[2:]
        for later in facts.statements[ref.statement + 1 :]
    )


def _is_run_again(project: Project, ref: Ref) -> bool:
    """Whether one run of a program may get to `ref` more than once."""
    if runs_repeatedly(project, ref):
        return True
    home = function_of(project, ref)
    callers = calls_seen(project, home) if home.scope else ()
    return any(
        one.expr is not other.expr
        and not exclusive(project, one, other)
        and _share_a_program(project, one, other)
        for one, other in combinations(callers, 2)
    )


def _share_a_program(project: Project, one: Ref, other: Ref) -> bool:
    programs = {*project.programs_of(one.key)} & {*project.programs_of(other.key)}
    return any(is_reached(project, one, each) and is_reached(project, other, each) for each in programs)


def _leading_to_trainings(project: Project, ref: Ref) -> tuple[Ref, ...]:
    """Where the function around `ref` trains, or has others train.

    Nothing if it opens a session that is also run by code which the function does not lead to.
    """
    led: list[Ref] = []
    for call in _trainings(project, ref):
        opened = tuple(_leading_to(project, ref, call))
        runs = [tuple(_leading_to(project, ref, one.call)) for one in fetchings_of(project, call) if opened]
        if not all(runs):
            return ()
        led += chain(opened, *runs)
    return tuple(led)


def _trainings(project: Project, ref: Ref) -> Iterator[Ref]:
    """The calls near `ref` that train, or open a session that may."""
    near = project.neighbours(ref.key)
    opened = (one.call for one in session_openings(project))
    return (call for call in (*opened, *_trainings_of_libraries(project)) if call.key in near)


def _trainings_of_libraries(project: Project) -> tuple[Ref, ...]:
    """The calls that train an Estimator or a model of Keras."""
    return (
        *(one.call for one in trainings(project)),
        *(one.call for one in keras_trainings(project)),
    )


def _needed_elsewhere(project: Project, ref: Ref) -> Iterator[Ref]:
    """The calls near `ref` that train, as far as it is not seen that they do something else."""
    near = project.neighbours(ref.key)
    yield from (call for call in _trainings_of_libraries(project) if call.key in near)
    for opening in session_openings(project):
        if opening.call.key in near and trains(project, opening):
            runs = fetchings_of(project, opening.call)
            training = (one.call for one in runs if not fetch_is_seen_not_to_train(project, one.fetches.ref))
            yield from training if runs else (opening.call,)


def _leading_to(project: Project, ref: Ref, call: Ref) -> Iterator[Ref]:
    """Where the function, or the module, around `ref` makes `call`, by itself or by what it calls."""
    home = function_of(project, ref)
    ways = ways_to(project, call, _up_to(home))
    return (one for one in ways if function_of(project, one) == home)


def _up_to(home: Definition) -> Steps:
    """The steps of a way that ends in `home`."""

    def steps(project: Project, function: Definition) -> tuple[Ref, ...]:
        return () if function == home else calls_seen(project, function)

    return steps


def _may_come_later(project: Project, ref: Ref, call: Ref) -> bool:
    """Whether a program with `ref` may get to `call` after it, by other code than the function around it."""

    def is_passed(way: Ref) -> bool:
        return not exclusive(project, ref, way) and is_before(project, way, ref) is not True

    return _is_run_elsewhere(project, ref, call, is_passed)


def _is_run_elsewhere(project: Project, ref: Ref, call: Ref, is_passed: Callable[[Ref], bool]) -> bool:
    """Whether a program with `ref` may get to `call` by other code than the function around `ref`.

    Only ways count all of whose code `is_passed`.
    """
    home = function_of(project, ref)
    if function_of(project, call) == home or not is_passed(call):
        return False

    def steps(project: Project, function: Definition) -> Iterable[Ref]:
        return filter(is_passed, calls_perhaps(project, function)) if function != home else ()

    for program in project.programs_of(ref.key):
        files = project.programs.by_entry[program].files
        for one in ways_to(project, call, steps, files) if is_reached(project, ref, program) else ():
            function = function_of(project, one)
            begins = function.scope == 0 and is_run_by(project, one, program)
            if function != home and (begins or is_main(project, function, program)):
                return True
    return False
