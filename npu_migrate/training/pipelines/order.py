"""What has certainly run before what, within one function."""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Call, FileFacts, Operation, Statement, Subscript, last_name, walk
from npu_migrate.index.names import ancestors
from npu_migrate.project.project import Project
from npu_migrate.training.pipelines.initial_values import feeds_a_variable
from npu_migrate.training.pipelines.session_runs import runs_of
from npu_migrate.training.pipelines.sessions import Session

_TRANSPARENT = ("With",)
_EXITS = frozenset({"_exit", "abort", "exit", "quit"})
_SUPPRESSING = frozenset({"assertRaises", "assertRaisesRegex", "raises", "suppress"})
_BEFORE_INITIALIZERS = frozenset(
    {
        "Coordinator",
        "FileWriter",
        "Saver",
        "global_variables_initializer",
        "group",
        "initialize_all_variables",
        "local_variables_initializer",
        "merge_all",
        "print",
        "start_queue_runners",
        "tables_initializer",
    }
)
"""Functions that programs call before the initializers without expecting that they fail."""


def certainly_before(facts: FileFacts, first: int, second: int) -> bool:
    """Whether `first` has run, and finished, whenever `second` of the same scope starts to run."""
    chain = [second, *ancestors(facts, second)]
    places = {(facts.statements[s].parent, facts.statements[s].block): s for s in chain}
    current = facts.statements[first]
    while True:
        beside = places.get((current.parent, current.block))
        if beside is not None:
            return current.id < beside
        if current.parent == NOTHING or facts.statements[current.parent].kind not in _TRANSPARENT:
            return False
        current = facts.statements[current.parent]


def runs_unconditionally(facts: FileFacts, statement: int) -> bool:
    """Whether a statement runs each time its function (or module) does, as far as blocks tell."""
    scope = facts.statements[statement].scope
    return all(
        facts.statements[number].kind in _TRANSPARENT
        for number in ancestors(facts, statement)
        if facts.statements[number].scope == scope
    )


def is_inside(facts: FileFacts, statement: int, outer: int) -> bool:
    """Whether `statement` lies in the blocks of `outer`."""
    return outer in ancestors(facts, statement)


def is_open_at(facts: FileFacts, session: Session, statement: int) -> bool:
    """Whether a session of the same scope is certainly open at `statement`."""
    opened = facts.statements[session.opened]
    if opened.kind == "With":
        return is_inside(facts, statement, opened.id)
    return session.kind == "evaluate" or certainly_before(facts, opened.id, statement)


Point = tuple[int, str]
"""A statement, and ``after``, ``before`` or ``body-start``."""


def insertion_point(project: Project, facts: FileFacts, session: Session, barrier: int) -> Point | None:
    """Where an initializer can run: in the session, after the variables' initializers, before anything else.

    `barrier` is a statement of the session's scope that has to come before (`NOTHING` for none). None when
    no such place is certain. Where a variable starts from the data, the place is before its initializer.
    """
    opening = _opening(project, facts, session, barrier)
    if opening is None:
        return None
    start, following = opening
    if barrier != NOTHING and feeds_a_variable(project, facts, barrier):
        return start
    return _after_initializers(project, facts, session, start, following, ())


def _opening(
    project: Project, facts: FileFacts, session: Session, barrier: int
) -> tuple[Point, tuple[Statement, ...]] | None:
    """The first place in the session that is behind `barrier`, and the statements that follow."""
    opened = facts.statements[session.opened]
    start: Point = (opened.id, "body-start" if opened.kind == "With" else "after")
    following = _following(project, facts, opened)
    if barrier != NOTHING and barrier >= opened.id:
        return _passed(project, facts, following, barrier)
    return start, following


def _following(project: Project, facts: FileFacts, opened: Statement) -> tuple[Statement, ...]:
    """The statements of the block in which a session is open."""
    if opened.kind == "With":
        return project.block(facts, opened.id, "body")
    beside = project.block(facts, opened.parent, opened.block)
    return tuple(one for one in beside if one.position > opened.position)


def _passed(
    project: Project, facts: FileFacts, following: tuple[Statement, ...], barrier: int
) -> tuple[Point, tuple[Statement, ...]] | None:
    """The block position directly behind the statement that is, or holds, the barrier."""
    chain = [barrier, *ancestors(facts, barrier)]
    for statement in following:
        if statement.id == barrier:
            return (barrier, "after"), tuple(s for s in following if s.position > statement.position)
        if statement.id in chain:
            if statement.kind not in _TRANSPARENT:
                return (barrier, "after"), ()
            return _passed(project, facts, project.block(facts, statement.id, "body"), barrier)
    return None


def _after_initializers(
    project: Project,
    facts: FileFacts,
    session: Session,
    start: Point,
    following: tuple[Statement, ...],
    behind: tuple[Statement, ...],
) -> Point | None:
    """The place behind the initializers in `following`, else `start`; `behind` is what comes after them."""
    best = start
    for number, statement in enumerate(following, 1):
        runs = runs_of(project, facts, statement, session.text)
        if runs.initializes and statement.kind in ("With", "Try"):
            later = (*following[number:], *behind)
            if _may_be_skipped(project, facts, session, statement, later):
                if runs.uses:
                    return None
                best = (statement.id, "after")
                continue
            # What comes behind the initializers in there may use the session as the default one.
            inner = project.block(facts, statement.id, "body")
            return _after_initializers(project, facts, session, best, inner, later)
        if runs.uses:
            break
        if runs.initializes:
            best = (statement.id, "after")
    return best


def _may_be_skipped(
    project: Project, facts: FileFacts, session: Session, guard: Statement, later: tuple[Statement, ...]
) -> bool:
    """Whether a failure that a statement handles may skip what its body would initialize, for who reads then.

    Something that may fail has to stand before the initializers in there, and a handler has to go on to where
    the session is used.
    """
    handlers = [
        project.block(facts, guard.id, block)
        for parent, block in project.blocks(facts.key)
        if parent == guard.id and block.startswith("handler")
    ]
    going_on = [one for one in handlers if not _leaves(one)]
    if not going_on and not _is_suppressing(guard):
        return False
    for statement in project.block(facts, guard.id, "body"):
        if runs_of(project, facts, statement, session.text).initializes:
            return False
        if not _cannot_fail(statement):
            break
    reading = (*later, *(one for block in going_on for one in block))
    return any(runs_of(project, facts, one, session.text).uses for one in reading)


def _leaves(handler: tuple[Statement, ...]) -> bool:
    """Whether the program, or the function, goes on nowhere behind a handler."""
    last = handler[-1]
    if last.kind == "Expr" and last.values and isinstance(last.values[0], Call):
        return last_name(last.values[0].func) in _EXITS
    return last.kind in ("Raise", "Return")


def _is_suppressing(guard: Statement) -> bool:
    """Whether a ``with`` may go on behind it after a failure inside it."""
    return any(isinstance(one, Call) and last_name(one.func) in _SUPPRESSING for one in guard.values)


def _cannot_fail(statement: Statement) -> bool:
    """Whether a statement before initializers is one of those that each program has there."""
    if statement.kind not in ("Expr", "Assign", "AnnAssign", "Pass"):
        return False
    parts = [part for value in statement.values for part in walk(value)]
    called = [last_name(part.func) for part in parts if isinstance(part, Call)]
    computed = any(isinstance(part, (Operation, Subscript)) for part in parts)
    return not computed and all(name in _BEFORE_INITIALIZERS for name in called)


def tables_run_after(project: Project, facts: FileFacts, session: Session, barrier: int) -> bool:
    """Whether the session already runs ``tf.tables_initializer()`` made after `barrier`."""
    opened = facts.statements[session.opened]
    for statement in _following(project, facts, opened):
        for call in runs_of(project, facts, statement, session.text).tables:
            if call.key != facts.key or call.scope != session.scope or call.statement > barrier:
                return True
    return False
