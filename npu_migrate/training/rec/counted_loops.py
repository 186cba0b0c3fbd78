"""Python loops around ``session.run`` and how often they turn.

A loop that may end early, that lies in code which runs several times, or that runs its op only under a
condition has no known count. Leaving at the end of the data (``except OutOfRangeError: break``) does not
count as early.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Collection,
    Constant,
    Expr,
    FileFacts,
    Name,
    Operation,
    Statement,
    argument,
    last_name,
)
from npu_migrate.index.names import code_scope, lookup
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import leaves
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import call_sites, origins
from npu_migrate.semantics.resolution import Definition, external_names
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Value, combine
from npu_migrate.training.npu.device_loop import training_runs
from npu_migrate.training.npu.trainings import runs_repeatedly
from npu_migrate.training.pipelines.sessions import session_kind

_LOOPS = frozenset({"For", "AsyncFor", "While"})
_CONDITIONS = frozenset({"If", "Match"})
_SESSION_NAMES = ("sess", "session")
_TRAIN_OPS = frozenset({"train", "train_op", "train_ops", "train_step", "optim", "optimizer", "opt_op"})
_INITIALIZERS = ("init", "init_op", "initializer")


class Loop(NamedTuple):
    """A loop of a file: its statement, and the ``session.run`` calls directly in it."""

    key: str
    statement: int
    runs: tuple[Ref, ...]


def training_loops(project: Project, program: str) -> tuple[Loop, ...]:
    """The innermost loops of a program that run a train op."""
    return _loops(project, [ref for ref in _runs(project, program) if runs_train_op(project, ref)])


def other_loops(project: Project, program: str) -> tuple[Loop, ...]:
    """The innermost loops of a program that run a session without ever running a train op."""
    training = {(loop.key, loop.statement) for loop in training_loops(project, program)}
    found = _loops(project, list(other_runs(project, program)))
    return tuple(loop for loop in found if (loop.key, loop.statement) not in training)


def other_runs(project: Project, program: str) -> tuple[Ref, ...]:
    """The ``session.run`` calls of a program that run neither a train op nor an initializer."""
    return tuple(
        run for run in _runs(project, program) if not (_runs_initializer(run) or runs_train_op(project, run))
    )


def _runs(project: Project, program: str) -> list[Ref]:
    """The ``session.run`` calls in the files of a program, in order of file and place."""
    files = project.programs.by_entry[program].files
    found = [
        ref_of_call(key, site)
        for key, site in project.calls_named("run")
        if key in files and _is_session(project, ref_of_call(key, site))
    ]
    return sorted(found, key=lambda ref: (ref.key, ref.expr.span))


def _is_session(project: Project, run: Ref) -> bool:
    func = cast(Call, run.expr).func
    if not isinstance(func, Attribute):
        return False
    if (last_name(func.value) or "").endswith(_SESSION_NAMES):
        return True
    made = origins(project, run._replace(expr=func.value))
    return any(isinstance(origin.expr, Call) and session_kind(project, origin) for origin in made)


def runs_train_op(project: Project, run: Ref) -> bool:
    """Whether a ``session.run`` runs a train op: one that an optimizer is seen to make, or one so called."""
    if any(training.call.expr is run.expr for training in training_runs(project)):
        return True
    return any(last_name(item) in _TRAIN_OPS for item in _fetches(run))


def _runs_initializer(run: Ref) -> bool:
    return any((last_name(item) or "").endswith(_INITIALIZERS) for item in _fetches(run))


def _fetches(run: Ref) -> tuple[Expr, ...]:
    fetches = argument(cast(Call, run.expr), "fetches", 0)
    if fetches is None:
        return ()
    items = fetches.items if isinstance(fetches, Collection) else (fetches,)
    return tuple(item.func if isinstance(item, Call) else item for item in items)


def _loops(project: Project, runs: list[Ref]) -> tuple[Loop, ...]:
    found: dict[tuple[str, int], list[Ref]] = {}
    for run in runs:
        loop = _innermost(cast(FileFacts, project.facts(run.key)), run.statement)
        if loop != NOTHING:
            found.setdefault((run.key, loop), []).append(run)
    return tuple(Loop(key, number, tuple(refs)) for (key, number), refs in found.items())


def _innermost(facts: FileFacts, number: int) -> int:
    """The loop directly around a statement, in the same function; `NOTHING` outside of loops."""
    return next((s.id for s in around(facts, number) if s.kind in _LOOPS and s.id != number), NOTHING)


def around(facts: FileFacts, number: int) -> Iterator[Statement]:
    """A statement and those around it in the same function, innermost first."""
    scope = facts.statements[number].scope
    while number != NOTHING and facts.statements[number].scope == scope:
        statement = facts.statements[number]
        if statement.kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
            return
        yield statement
        number = statement.parent


def within(facts: FileFacts, outer: int) -> Iterator[Statement]:
    """The statements in the body of `outer` (not in its ``else``), of the same function."""
    for statement in facts.statements[outer + 1 :]:
        inner = statement
        for item in around(facts, statement.id):
            if item.id == outer and inner.block == "body":
                yield statement
            inner = item


# -- how often -----------------------------------------------------------------------------------------


def turns(project: Project, loop: Loop, program: str) -> Value:
    """How often a loop turns each time it is reached; unknown unless it runs one op per turn in any case."""
    facts = cast(FileFacts, project.facts(loop.key))
    if len(loop.runs) != 1 or _ends_early(facts, loop.statement):
        return UNKNOWN
    for statement in around(facts, loop.runs[0].statement):
        if statement.id == loop.statement:
            return _length(project, facts, loop, program)
        if statement.kind in _CONDITIONS or statement.block.startswith("handler"):
            return UNKNOWN
    return UNKNOWN


def turns_in_all(project: Project, loop: Loop, program: str) -> Value:
    """How often a loop turns while the program runs; unknown if the code around it may run several times."""
    facts = cast(FileFacts, project.facts(loop.key))
    counts = [turns(project, loop, program)]
    sometimes = False
    for statement in around(facts, loop.statement):
        if statement.kind in _CONDITIONS:
            sometimes = True
        elif statement.kind in _LOOPS and statement.id != loop.statement:
            outer = Loop(loop.key, statement.id, ())
            early = sometimes or _ends_early(facts, statement.id)
            counts.append(UNKNOWN if early else _length(project, facts, outer, program))
    if _is_called_repeatedly(project, loop, facts):
        return UNKNOWN
    return combine(_product, counts)


def _product(counts: object) -> int:
    product = 1
    for count in cast("list[int]", counts):
        product *= count
    return product


def _is_called_repeatedly(project: Project, loop: Loop, facts: FileFacts) -> bool:
    home = code_scope(facts, facts.statements[loop.statement].scope)
    if home == 0:
        return False
    sites = call_sites(project, Definition(loop.key, home))
    return len(sites) > 1 or any(runs_repeatedly(project, site) for site in sites)


def _length(project: Project, facts: FileFacts, loop: Loop, program: str) -> Value:
    """The number of items of the ``range(…)`` that a ``for`` loop goes through."""
    found = range_of(project, facts, loop.statement)
    if found is None:
        return UNKNOWN
    call = cast(Call, found.expr)
    values = [evidence(project, found._replace(expr=item), program) for item in call.args]
    return combine(lambda numbers: len(range(*numbers)), values)


def range_of(project: Project, facts: FileFacts, loop: int) -> Ref | None:
    """The ``range(…)`` that a loop goes through, also inside ``tqdm(…)``; None for other loops."""
    statement = facts.statements[loop]
    if statement.kind != "For":
        return None
    ref = Ref(facts.key, statement.scope, statement.id, statement.values[0])
    if isinstance(ref.expr, Call) and ref.expr.args:
        names = external_names(project, ref.key, ref.scope, ref.expr.func)
        if any(name.startswith("tqdm.") for name in names):
            ref = ref._replace(expr=ref.expr.args[0])
    call = ref.expr
    if not isinstance(call, Call) or call.keywords or not isinstance(call.func, Name):
        return None
    is_range = call.func.id in ("range", "xrange") and lookup(facts, ref.scope, call.func.id) is None
    return ref if is_range else None


def _ends_early(facts: FileFacts, loop: int) -> bool:
    """Whether a loop may be left before its end other than by the handler of an exception."""
    for statement in within(facts, loop):
        leaves = statement.kind == "Return" or (
            statement.kind == "Break" and _innermost(facts, statement.id) == loop
        )
        if leaves and not _is_handled(facts, statement.id, loop):
            return True
    return False


def _is_handled(facts: FileFacts, number: int, loop: int) -> bool:
    for statement in around(facts, number):
        if statement.id == loop:
            return False
        if statement.block.startswith("handler"):
            return True
    return False


def is_left_after(project: Project, ref: Ref) -> bool:
    """Whether the code that holds `ref` always leaves a loop around it in the same turn, as a retry does."""
    facts = cast(FileFacts, project.facts(ref.key))
    blocks = project.blocks(ref.key)
    left = False
    for statement in around(facts, ref.statement):
        if statement.kind in _LOOPS:
            return left
        left = left or leaves(blocks, blocks[statement.parent, statement.block])
    return False


# -- every so many turns -------------------------------------------------------------------------------


class Guard(NamedTuple):
    """An ``if i % period == 0:`` in a loop that counts `i` up by one; `statement` is the ``if``."""

    period: Ref
    statement: int


def guards(project: Project, loop: Loop) -> tuple[Guard, ...]:
    """The guards directly in a loop."""
    facts = cast(FileFacts, project.facts(loop.key))
    counters = _counters(project, facts, loop.statement)
    found: list[Guard] = []
    for statement in within(facts, loop.statement):
        if statement.kind == "If" and _innermost(facts, statement.id) == loop.statement:
            period = _period(statement.values[0], counters)
            if period is not None:
                found.append(Guard(Ref(loop.key, statement.scope, statement.id, period), statement.id))
    return tuple(found)


def _counters(project: Project, facts: FileFacts, loop: int) -> frozenset[str]:
    """The names that grow by one in each turn of a loop."""
    names = [
        target.id
        for statement in within(facts, loop)
        if statement.kind == "AugAssign" and _innermost(facts, statement.id) == loop
        for target in statement.targets
        if isinstance(target, Name) and _is_number(statement.values[0], 1)
    ]
    found = range_of(project, facts, loop)
    target = facts.statements[loop].targets[0] if facts.statements[loop].targets else None
    if found is not None and isinstance(target, Name) and len(cast(Call, found.expr).args) < 3:
        names.append(target.id)
    return frozenset(names)


def _period(test: Expr, counters: frozenset[str]) -> Expr | None:
    """``K`` of ``i % K == 0`` or ``not i % K``, also as one of several conditions joined by ``and``."""
    if not isinstance(test, Operation):
        return None
    if test.operator == "And":
        found = [period for item in test.operands if (period := _period(item, counters)) is not None]
        return found[0] if len(found) == 1 else None
    if test.operator == "Not":
        return _divisor(test.operands[0], counters)
    if test.operator == "Eq":
        left, right = test.operands
        if _is_number(right, 0):
            return _divisor(left, counters)
        if _is_number(left, 0):
            return _divisor(right, counters)
    return None


def _divisor(expr: Expr, counters: frozenset[str]) -> Expr | None:
    if not isinstance(expr, Operation) or expr.operator != "Mod":
        return None
    counted, period = expr.operands
    if isinstance(counted, Operation) and counted.operator == "Add" and _is_number(counted.operands[1], 1):
        counted = counted.operands[0]
    return period if isinstance(counted, Name) and counted.id in counters else None


def _is_number(expr: Expr, number: int) -> bool:
    return isinstance(expr, Constant) and expr.value == number and not isinstance(expr.value, bool)
