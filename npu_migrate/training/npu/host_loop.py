"""The Python loops around a call: how often they run it, and whether their count was divided by N."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Constant,
    Expr,
    FileFacts,
    Operation,
    Statement,
    last_name,
    walk,
)
from npu_migrate.index.names import ancestors, enclosing_function, spelled
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import activations, origins, sources_of
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.value import Value, combine

_RANGES = frozenset({"range", "xrange", "trange"})
_AROUND_RANGES = frozenset({"tqdm", "tqdm_notebook", "enumerate", "list", "iter", "progressbar"})
_LOOPS = frozenset({"For", "AsyncFor", "While"})
_DIVISIONS = frozenset({"Div", "FloorDiv"})
_ARITHMETIC_CALLS = frozenset({"int", "len", "min", "max", "round", "float", "ceil", "floor", "abs"})
_LONGEST_WALK = 200
_DEEPEST = 8


class HostLoop(NamedTuple):
    """A Python loop that counts.

    `around` is its iterable, or the test of a ``while``; `start` and `stop` are what it counts from and to
    (`start` is None for 0). `strides` tells that it advances by something other than 1, `certain` that it
    runs its whole body as often as it counts.
    """

    around: Ref
    start: Ref | None
    stop: Ref
    strides: bool
    certain: bool


class Surroundings(NamedTuple):
    """The counting loops around a call, innermost first; `complete` tells that there are no other loops
    and no other ways to the call."""

    loops: tuple[HostLoop, ...]
    complete: bool


def surroundings(project: Project, ref: Ref) -> Surroundings:
    """The loops around the call at `ref`, in its function and in those that call it."""
    found: list[HostLoop] = []
    complete = True
    current: Ref | None = ref
    for _ in range(_DEEPEST):
        assert current is not None
        facts = project.facts(current.key)
        assert facts is not None
        function = enclosing_function(facts, current.scope)
        for statement in _within(facts, current, function):
            if statement.kind == "If":
                if _takes_turns(statement):
                    return Surroundings((), False)
                complete = False
            elif statement.kind in _LOOPS:
                loop = _counting_loop(project, facts, statement)
                complete = complete and loop is not None and loop.certain
                if loop is not None:
                    found.append(loop)
                elif not found:
                    return Surroundings((), False)
        if function == 0:
            return Surroundings(tuple(found), complete)
        sites = activations(project, Definition(current.key, function))
        if len(sites) != 1:
            return Surroundings(tuple(found), complete and not sites)
        current = sites[0]
    return Surroundings(tuple(found), False)


def _takes_turns(statement: Statement) -> bool:
    """Whether an ``if`` lets only every n-th turn of a loop through: ``if step % n == 0:``."""
    return any(
        isinstance(part, Operation) and part.operator == "Mod"
        for value in statement.values
        for part in walk(value)
    )


def _within(facts: FileFacts, ref: Ref, function: int) -> Iterator[Statement]:
    """The statements of the function around `ref`, innermost first."""
    for number in ancestors(facts, ref.statement):
        statement = facts.statements[number]
        if statement.defines == function:
            return
        yield statement


def _counting_loop(project: Project, facts: FileFacts, statement: Statement) -> HostLoop | None:
    around = Ref(facts.key, statement.scope, statement.id, statement.values[0])
    certain = not _leaves_early(facts, statement)
    if statement.kind == "While":
        stop = _counted_up_to(facts, statement)
        return None if stop is None else HostLoop(around, None, around._replace(expr=stop), False, False)
    call = _range_call(project, around)
    if call is None:
        return None
    assert isinstance(call.expr, Call)
    given = [call._replace(expr=item) for item in call.expr.args]
    start = given[0] if len(given) > 1 else None
    if start is not None and isinstance(start.expr, Constant) and start.expr.value == 0:
        start = None
    return HostLoop(around, start, given[min(len(given), 2) - 1], len(given) > 2, certain)


def _range_call(project: Project, iterable: Ref) -> Ref | None:
    """The ``range(…)`` that an iterable is, through ``tqdm`` and the like."""
    seen: set[Expr] = set()
    current: Ref | None = iterable
    while current is not None and current.expr not in seen:
        seen.add(current.expr)
        inner = None
        for origin in origins(project, current):
            call = origin.expr
            if not isinstance(call, Call) or not call.args:
                return None
            name = last_name(call.func)
            if name in _RANGES:
                return origin
            if name in _AROUND_RANGES:
                inner = origin._replace(expr=call.args[0], path=())
                break
        current = inner
    return None


def _counted_up_to(facts: FileFacts, statement: Statement) -> Expr | None:
    """The limit of ``while step < limit:`` whose body adds 1 to ``step``."""
    test = statement.values[0]
    if not isinstance(test, Operation) or test.operator not in ("Lt", "LtE"):
        return None
    counter = spelled(test.operands[0])
    steps = [
        inner.values[0]
        for inner in facts.statements
        if inner.kind == "AugAssign"
        and inner.targets[0] is not None
        and spelled(inner.targets[0]) == counter
        and statement.id in ancestors(facts, inner.id)
    ]
    if counter is None or len(steps) != 1:
        return None
    is_one = isinstance(steps[0], Constant) and steps[0].value == 1
    return test.operands[1] if is_one else None


def _leaves_early(facts: FileFacts, loop: Statement) -> bool:
    return any(
        inner.kind in ("Break", "Return", "Continue") and loop.id in ancestors(facts, inner.id)
        for inner in facts.statements[loop.id :]
        if inner.scope == loop.scope
    )


def count(project: Project, loop: HostLoop, program: str) -> Value:
    """How often the loop runs; unknown if that cannot be told or if it strides."""
    if loop.strides:
        return Value()
    stop = evaluate(project, loop.stop, program)
    if loop.start is None:
        return stop
    return combine(lambda found: found[0] - found[1], [stop, evaluate(project, loop.start, program)])


def is_undivided(project: Project, loop: HostLoop, n: Value, program: str) -> bool:
    """Whether everything that makes the loop's count is in sight and none of it divides by N."""
    if loop.strides:
        return False
    constants = {known.constant for known in n.alternatives}
    seen: set[int] = set()
    stack = [loop.stop]
    while stack:
        ref = stack.pop()
        if id(ref.expr) in seen:
            continue
        seen.add(id(ref.expr))
        if len(seen) > _LONGEST_WALK:
            return False
        expr = ref.expr
        if isinstance(expr, Operation):
            if expr.operator in _DIVISIONS and _is_n(project, ref, expr.operands[1], constants, program):
                return False
            stack.extend(ref._replace(expr=item) for item in expr.operands)
            continue
        step = sources_of(project, ref)
        if step is not None:
            stack.extend(step)
        elif isinstance(expr, Call):
            if last_name(expr.func) not in _ARITHMETIC_CALLS:
                return False
            stack.extend(ref._replace(expr=item) for item in expr.args)
        elif not _is_plain(project, ref, program):
            return False
    return True


def counts_runs(project: Project, loop: HostLoop, n: Value, program: str) -> bool:
    """Whether the body of a ``for`` multiplies its counter by N to get at the step, as in ``i * n``."""
    facts = project.facts(loop.around.key)
    assert facts is not None
    statement = facts.statements[loop.around.statement]
    counter = spelled(statement.targets[0]) if len(statement.targets) == 1 and statement.targets[0] else None
    if statement.kind == "While" or counter is None:
        return False
    constants = {known.constant for known in n.alternatives}
    for inner in facts.statements[statement.id :]:
        if statement.id not in ancestors(facts, inner.id):
            continue
        here = Ref(loop.around.key, inner.scope, inner.id, statement.values[0])
        for part in (part for value in inner.values for part in walk(value)):
            if not isinstance(part, Operation) or part.operator != "Mult":
                continue
            factors = [item for item in part.operands if spelled(item) != counter]
            if len(factors) == 1 and _is_n(project, here, factors[0], constants, program):
                return True
    return False


def _is_n(project: Project, ref: Ref, divisor: Expr, constants: set[object], program: str) -> bool:
    value = evaluate(project, ref._replace(expr=divisor), program)
    if any(known.constant in constants for known in value.alternatives):
        return True
    return any("perloop" in (last_name(part) or "").lower().replace("_", "") for part in walk(divisor))


def _is_plain(project: Project, ref: Ref, program: str) -> bool:
    """Whether nothing can hide behind the expression: a constant, a flag, an attribute from outside."""
    return isinstance(ref.expr, (Constant, Attribute)) or evaluate(project, ref, program).is_known
