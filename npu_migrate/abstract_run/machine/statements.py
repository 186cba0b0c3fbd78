"""Statements, executed one after the other.

Blocks are generators, which give what the program's own generators give, and return how they were left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Generator as Walk
from collections.abc import Sequence as Items
from itertools import islice

from npu_migrate.abstract_run.machine.calling import class_of, function_of
from npu_migrate.abstract_run.machine.imports import import_from, import_modules
from npu_migrate.abstract_run.machine.loops import is_cut, names_bound_in, rounds_of
from npu_migrate.abstract_run.machine.managers import enter, leave
from npu_migrate.abstract_run.machine.operations import known_truth, truth
from npu_migrate.abstract_run.machine.raising import as_exception, handler_for
from npu_migrate.abstract_run.machine.run import Exhausted, Lost, Raised, Run, Signal
from npu_migrate.abstract_run.machine.storing import augmented, delete, store
from npu_migrate.abstract_run.machine.values import (
    Class,
    Descriptor,
    External,
    Frame,
    Raising,
    Unknown,
    Value,
)
from npu_migrate.index.facts import Other, Parameter, Statement

_NO_FILES = Raising("tensorflow.errors.InvalidArgumentError")
"""What an iterator raises that starts over files which are not there."""

Ended = Walk[Value, None, Signal | None]
"""A statement on its way: gives the values of ``yield``, returns how it was left."""


def block(run: Run, frame: Frame, statements: Items[Statement]) -> Ended:
    """Run statements until one of them leaves the block. Raises `Raised`, `Lost` and `Pruned`."""
    for statement in statements:
        run.step()
        frame.statement = statement.id
        run.statements_run.add((frame.facts.key, statement.id))
        simple = _SIMPLE.get(statement.kind)
        if simple is not None and not _gives(statement):
            try:
                signal = simple(run, frame, statement)
            except Raised as raised:
                raised.place = raised.place or run.place()
                raise
            except Exhausted:
                raise
            except Lost:
                if not run.skips:
                    raise
                signal = _skipped(run, frame, statement)
        else:
            walk = _COMPOUND.get(statement.kind)
            if walk is None:
                raise run.lost("a statement of this kind is not followed")
            signal = yield from walk(run, frame, statement)
            frame.statement = statement.id
        if signal is not None:
            return signal
    return None


def _skipped(run: Run, frame: Frame, statement: Statement) -> Signal | None:
    """Leave out a simple statement: what it assigns, defines or returns is not known."""
    run.version += 1
    run.log.skipped += 1
    for target in statement.targets:
        if target is not None:
            store(run, frame, target, Unknown("not followed"))
    if statement.kind in ("FunctionDef", "ClassDef", "AsyncFunctionDef"):
        _bind(run, frame, frame.facts.scopes[statement.defines].name, Unknown("not followed"))
    return Signal("return", Unknown("not followed")) if statement.kind == "Return" else None


def _blocks(run: Run, frame: Frame, statement: Statement, name: str) -> Items[Statement]:
    return run.source.blocks(frame.facts.key).get((statement.id, name), ())


# -- simple statements --------------------------------------------------------------------------------


def _gives(statement: Statement) -> bool:
    return bool(statement.values) and _is_yield(statement.values[0])


def _is_yield(value: object) -> bool:
    return isinstance(value, Other) and value.kind.startswith("Yield")


def _expression(run: Run, frame: Frame, statement: Statement) -> None:
    run.evaluate(frame, statement.values[0])


def _assign(run: Run, frame: Frame, statement: Statement) -> None:
    if not statement.values:
        return
    value = run.evaluate(frame, statement.values[0])
    for target in statement.targets:
        assert target is not None
        store(run, frame, target, value)


def _return(run: Run, frame: Frame, statement: Statement) -> Signal:
    return Signal("return", run.evaluate(frame, statement.values[0]) if statement.values else None)


def _raise(run: Run, frame: Frame, statement: Statement) -> None:
    if not statement.values:
        raise Raised(run.handling[-1] if run.handling else Raising("RuntimeError"))
    raise Raised(as_exception(run, run.evaluate(frame, statement.values[0])))


def _assert(run: Run, frame: Frame, statement: Statement) -> None:
    value = run.evaluate(frame, statement.values[0])
    known = known_truth(run, value)
    if known is False:
        raise Raised(Raising("AssertionError"), fails=True)
    if known is None:
        _may_fail(run, statement, "AssertionError")


def _nothing(run: Run, frame: Frame, statement: Statement) -> None:
    pass


def _break(run: Run, frame: Frame, statement: Statement) -> Signal:
    return Signal("break")


def _continue(run: Run, frame: Frame, statement: Statement) -> Signal:
    return Signal("continue")


def _def(run: Run, frame: Frame, statement: Statement) -> None:
    scope = frame.facts.scopes[statement.defines]
    defaults = _defaults(run, frame, scope.parameters)
    made: Value = function_of(frame, scope.id, defaults)
    for decorator in reversed(scope.decorators):
        made = _decorated(run, run.evaluate(frame, decorator), made)
    _bind(run, frame, scope.name, made)


def _defaults(run: Run, frame: Frame, parameters: Items[Parameter]) -> dict[str, Value]:
    return {one.name: run.evaluate(frame, one.default) for one in parameters if one.default is not None}


def _decorated(run: Run, decorator: Value, made: Value) -> Value:
    if isinstance(decorator, External):
        last = decorator.name.rpartition(".")[2]
        if last in ("staticmethod", "classmethod"):
            return Descriptor(last, made)
        if last in ("property", "abstractproperty", "cached_property"):
            return Descriptor("property", made)
        if last in ("abstractmethod", "override", "final", "skip", "unique", "total_ordering"):
            return made
    return run.call(decorator, made)


def _class(run: Run, frame: Frame, statement: Statement) -> None:
    scope = frame.facts.scopes[statement.defines]
    bases = tuple(run.evaluate(frame, base) for base in scope.bases)
    keywords = [run.evaluate(frame, one) for one in statement.values[len(scope.decorators) + len(bases) :]]
    if not all(isinstance(one, External) for one in keywords):
        raise run.lost("a class is made by a metaclass of the program")
    inner = Frame(frame.module, scope, frame)
    run.frames.append(inner)
    try:
        for _ in block(run, inner, _blocks(run, frame, statement, "body")):
            raise run.lost("a class body gives a value")
    finally:
        run.frames.pop()
    made: Value = class_of(run, frame, scope.name, bases, inner.names)
    for decorator in reversed(scope.decorators):
        found = run.evaluate(frame, decorator)
        if not (isinstance(found, External) and isinstance(made, Class)):
            made = run.call(found, made)
    _bind(run, frame, scope.name, made)


def _bind(run: Run, frame: Frame, name: str, value: Value) -> None:
    if name in frame.scope.outer_names:
        raise run.lost("a function is bound to a global name")
    frame.names[name] = value


def _may_fail(run: Run, statement: Statement, kind: str) -> None:
    """A statement fails on one path, where something has happened before and the program handles that."""
    if run.log.events:
        at = (run.frames[-1].facts.key, statement.id)
        run.may_fail(at, kind, ("the statement succeeds", "the statement raises"))


def _import(run: Run, frame: Frame, statement: Statement) -> None:
    _may_fail(run, statement, "ImportError")
    import_modules(run, frame, statement)


def _import_from(run: Run, frame: Frame, statement: Statement) -> None:
    _may_fail(run, statement, "ImportError")
    import_from(run, frame, statement)


def _delete(run: Run, frame: Frame, statement: Statement) -> None:
    for target in statement.values:
        delete(run, frame, target)


# -- compound statements ------------------------------------------------------------------------------


def _yielding(run: Run, frame: Frame, statement: Statement) -> Ended:
    """``yield x``, ``y = yield x``, ``yield from xs``, ``return (yield x)``."""
    value = statement.values[0]
    assert isinstance(value, Other)
    given = run.evaluate(frame, value.parts[0]) if value.parts else None
    if value.kind == "YieldFrom":
        yield from run.items(given)
    else:
        yield given
    for target in statement.targets:
        if target is not None:
            store(run, frame, target, Unknown("what is sent"))
    return Signal("return", Unknown()) if statement.kind == "Return" else None


def _if(run: Run, frame: Frame, statement: Statement) -> Ended:
    test = run.evaluate(frame, statement.values[0])
    turns = len(run.log.turns)
    taken = truth(run, test)
    decided = len(run.log.turns) > turns
    mark = run.mark(frame, names_bound_in(frame, statement)) if decided else None
    signal = yield from block(run, frame, _blocks(run, frame, statement, "body" if taken else "orelse"))
    if signal is None and mark is not None:
        frame.statement = statement.id
        run.join(frame, mark)
    return signal


def _for(run: Run, frame: Frame, statement: Statement) -> Ended:
    over = run.evaluate(frame, statement.values[0])
    rounds = rounds_of(run, over)
    mark = None
    if rounds.open:
        taken = run.fork(2, ("the loop is entered", "the loop is not entered"))
        mark = run.mark(frame, names_bound_in(frame, statement))
        if taken:
            rounds = rounds.none()
    target = statement.targets[0]
    assert target is not None
    if is_cut(rounds):
        run.cut.add((frame.facts.key, statement.id))
    signal = None
    left = False
    for number, item in enumerate(islice(rounds.items, rounds.most)):
        run.step()
        frame.statement = statement.id
        if number and number == rounds.last:
            _forget_numbers(frame, statement)
        store(run, frame, target, Unknown("an item") if number == rounds.last else item)
        signal = yield from block(run, frame, _blocks(run, frame, statement, "body"))
        if signal is not None and signal.kind != "continue":
            left = True
            break
        signal = None
    if left and signal is not None and signal.kind == "return":
        return signal
    frame.statement = statement.id
    if not left:
        signal = yield from block(run, frame, _blocks(run, frame, statement, "orelse"))
        if signal is not None:
            return signal
    if mark is not None:
        run.join(frame, mark)
    return None


def _while(run: Run, frame: Frame, statement: Statement) -> Ended:
    mark = None
    entered = 0
    while True:
        frame.statement = statement.id
        run.step()
        if entered == 2:
            _forget_numbers(frame, statement)
        test = run.evaluate(frame, statement.values[0])
        known = known_truth(run, test) if not isinstance(test, Unknown) or entered == 0 else None
        if known is False:
            break
        if known is None:
            run.cut.add((frame.facts.key, statement.id))
            if entered == 0 or (entered == 2 and mark is None):
                taken = run.fork(2, ("the loop is entered", "the loop is not entered"))
                if entered == 0:
                    mark = run.mark(frame, names_bound_in(frame, statement))
                if taken:
                    break
            elif entered >= 2:
                break
        elif entered >= 3:
            run.cut.add((frame.facts.key, statement.id))
            raise Raised(Raising("the loop goes on"))
        entered += 1
        signal = yield from block(run, frame, _blocks(run, frame, statement, "body"))
        if signal is not None and signal.kind == "return":
            return signal
        if signal is not None and signal.kind == "break":
            if mark is not None:
                run.join(frame, mark)
            return None
    signal = yield from block(run, frame, _blocks(run, frame, statement, "orelse"))
    if signal is None and mark is not None:
        run.join(frame, mark)
    return signal


def _forget_numbers(frame: Frame, statement: Statement) -> None:
    """In the last round that is looked at of a loop, what earlier rounds have counted may be anything."""
    for name in names_bound_in(frame, statement):
        if isinstance(frame.names.get(name), (int, float)):
            frame.names[name] = Unknown(name)


def _with(run: Run, frame: Frame, statement: Statement) -> Ended:
    return (yield from _with_items(run, frame, statement, 0))


def _with_items(run: Run, frame: Frame, statement: Statement, number: int) -> Ended:
    if number == len(statement.values):
        return (yield from block(run, frame, _blocks(run, frame, statement, "body")))
    manager = run.evaluate(frame, statement.values[number])
    value = enter(run, manager)
    target = statement.targets[number]
    if target is not None:
        store(run, frame, target, value)
    try:
        signal = yield from _with_items(run, frame, statement, number + 1)
    except Raised as raised:
        frame.statement = statement.id
        if leave(run, manager, raised):
            return None
        raise
    frame.statement = statement.id
    leave(run, manager, None)
    return signal


def _try(run: Run, frame: Frame, statement: Statement) -> Ended:
    handlers = sum(1 for name in _HANDLERS if _blocks(run, frame, statement, name))
    try:
        signal = yield from _guarded(run, frame, statement, handlers)
    except Raised:
        final = yield from block(run, frame, _blocks(run, frame, statement, "finalbody"))
        if final is not None:
            return final
        raise
    final = yield from block(run, frame, _blocks(run, frame, statement, "finalbody"))
    return final or signal


def _guarded(run: Run, frame: Frame, statement: Statement, handlers: int) -> Ended:
    excusing = handler_for(run, frame, statement, handlers, _NO_FILES) is not None
    run.trying += bool(handlers)
    run.excusing += excusing
    try:
        signal = yield from block(run, frame, _blocks(run, frame, statement, "body"))
    except Raised as raised:
        run.trying -= bool(handlers)
        run.excusing -= excusing
        number = handler_for(run, frame, statement, handlers, raised.value)
        if number is None:
            raise
        for name, bindings in frame.scope.bindings.items():
            if any(one.kind == "except" and one.statement == statement.id for one in bindings):
                frame.names[name] = raised.value
        run.handling.append(raised.value)
        try:
            return (yield from block(run, frame, _blocks(run, frame, statement, f"handler{number}")))
        finally:
            run.handling.pop()
    run.trying -= bool(handlers)
    run.excusing -= excusing
    if signal is not None:
        return signal
    return (yield from block(run, frame, _blocks(run, frame, statement, "orelse")))


_HANDLERS = tuple(f"handler{number}" for number in range(10))

_SIMPLE: Mapping[str, Callable[[Run, Frame, Statement], Signal | None]] = {
    "Expr": _expression,
    "Assign": _assign,
    "AnnAssign": _assign,
    "AugAssign": augmented,
    "Return": _return,
    "Raise": _raise,
    "Assert": _assert,
    "Pass": _nothing,
    "Global": _nothing,
    "Nonlocal": _nothing,
    "Break": _break,
    "Continue": _continue,
    "FunctionDef": _def,
    "ClassDef": _class,
    "Import": _import,
    "ImportFrom": _import_from,
    "Delete": _delete,
}
_COMPOUND: Mapping[str, Callable[[Run, Frame, Statement], Ended]] = {
    "Expr": _yielding,
    "Assign": _yielding,
    "Return": _yielding,
    "If": _if,
    "For": _for,
    "While": _while,
    "With": _with,
    "Try": _try,
}
