"""Calls: of functions, methods, classes and objects of the program, of library functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from npu_migrate.abstract_run.machine.attributes import found_in_class, is_absent
from npu_migrate.abstract_run.machine.run import Raised, Run
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Class,
    Descriptor,
    External,
    Frame,
    Function,
    Generator,
    Instance,
    Method,
    Native,
    Partial,
    Raising,
    Sequence,
    Table,
    Unknown,
    Value,
    shape,
)
from npu_migrate.index.facts import Parameter
from npu_migrate.index.plain_bases import is_plain_base

_EXCEPTIONS = ("Exception", "Error", "BaseException", "Warning", "StopIteration", "SystemExit", "Interrupt")


def call(run: Run, callee: Value, arguments: Arguments) -> Value:
    """What calling a value returns. Raises `Raised`, `Lost` and `Pruned`."""
    if isinstance(callee, Function):
        return _function(run, callee, arguments)
    if isinstance(callee, Method):
        positional = [callee.receiver, *arguments.positional]
        return call(
            run,
            callee.function,
            Arguments(positional, arguments.keywords, arguments.vague, arguments.rest),
        )
    if isinstance(callee, Native):
        return callee.function(arguments)
    if isinstance(callee, Class):
        return _instance(run, callee, arguments)
    if isinstance(callee, Partial):
        given = callee.arguments
        return call(
            run,
            callee.function,
            Arguments(
                [*given.positional, *arguments.positional],
                {**given.keywords, **arguments.keywords},
                given.vague or arguments.vague,
                arguments.rest,
            ),
        )
    if isinstance(callee, External):
        if is_exception(callee.name):
            return Raising(callee.name, tuple(arguments.positional))
        return run.libraries.call(callee.name, arguments)
    if isinstance(callee, Instance):
        return call(run, run.attribute(callee, "__call__"), arguments)
    called = getattr(callee, "called", None)
    if called is not None:
        value: Value = called(arguments)
        return value
    if isinstance(callee, Unknown):
        return run.libraries.call("", arguments)
    if callee is None or isinstance(callee, (str, int, float, tuple, Sequence, Table)):
        raise Raised(Raising("TypeError"), fails=True)
    raise run.lost(f"{shape(callee)} is called")


def is_exception(name: str) -> bool:
    """Whether a name is that of an exception class of a library."""
    last = name.rpartition(".")[2]
    return last[:1].isupper() and last.endswith(_EXCEPTIONS)


def _function(run: Run, function: Function, arguments: Arguments) -> Value:
    frame = bound_frame(function, arguments)
    if function.yields:
        return Generator(_yielded(run, function, frame))
    with_body = function.scope.body
    if with_body is not None:
        return _within(run, frame, lambda: run.evaluate(frame, with_body))
    return _within(run, frame, lambda: _to_the_end(run, function, frame))


def _within(run: Run, frame: Frame, work: Callable[[], Value]) -> Value:
    if len(run.frames) > run.budget.calls_within_calls:
        raise run.exhausted("calls lie deeper in each other than is looked at")
    run.frames.append(frame)
    try:
        return work()
    finally:
        run.frames.pop()


def _to_the_end(run: Run, function: Function, frame: Frame) -> Value:
    body = run.source.blocks(frame.facts.key).get((function.scope.statement, "body"), ())
    walk = run.doors.block(run, frame, body)
    while True:
        try:
            next(walk)
        except StopIteration as end:
            signal = end.value
            return None if signal is None else signal.value


def _yielded(run: Run, function: Function, frame: Frame) -> Iterator[Value]:
    """The values of a generator; its frame is there only while it runs."""
    body = run.source.blocks(frame.facts.key).get((function.scope.statement, "body"), ())
    walk = run.doors.block(run, frame, body)
    thrown: Raised | None = None
    while True:
        run.frames.append(frame)
        try:
            value = next(walk) if thrown is None else walk.throw(thrown)
        except StopIteration:
            return
        finally:
            run.frames.pop()
        thrown = None
        try:
            yield value
        except Raised as raised:
            thrown = raised


def bound_frame(function: Function, arguments: Arguments) -> Frame:
    """The frame of a call, with its parameters bound. Raises `Raised` where they don't fit."""
    frame = Frame(function.frame.module, function.scope, function.frame)
    frame.owner = function.owner
    frame.statement = max(function.scope.statement, 0)
    positional = list(arguments.positional)
    keywords = dict(arguments.keywords)
    names = frame.names
    for parameter in function.scope.parameters:
        if parameter.kind == "varargs":
            names[parameter.name] = Sequence(positional, True) if arguments.vague else tuple(positional)
            positional = []
        elif parameter.kind == "varkeywords":
            names[parameter.name] = Table(dict(keywords.items()), arguments.vague)
            keywords = {}
        elif parameter.kind == "positional" and positional:
            names[parameter.name] = positional.pop(0)
        elif parameter.name in keywords:
            names[parameter.name] = keywords.pop(parameter.name)
        elif parameter.default is None and parameter.kind == "positional" and arguments.rest is not None:
            names[parameter.name] = arguments.rest
        else:
            names[parameter.name] = _default(function, parameter, arguments)
    if positional or keywords:
        raise Raised(Raising("TypeError"), fails=True)
    parameters = function.scope.parameters
    if parameters and function.owner is not None:
        frame.first = names[parameters[0].name]
        if isinstance(frame.first, tuple) and parameters[0].kind == "varargs" and frame.first:
            frame.first = frame.first[0]
    return frame


def _default(function: Function, parameter: Parameter, arguments: Arguments) -> Value:
    if arguments.vague:
        return Unknown(parameter.name)
    if parameter.name in function.defaults:
        return function.defaults[parameter.name]
    raise Raised(Raising("TypeError"), fails=True)


def _instance(run: Run, cls: Class, arguments: Arguments) -> Value:
    if any(not isinstance(base, (Class, External)) for base in cls.order):
        raise run.lost(f"a base class of `{cls.name}` is not known")
    maker = found_in_class(cls, "__new__")
    if not is_absent(maker):
        raise run.lost(f"`{cls.name}` makes its objects in a way of its own")
    made = run.libraries.made_of(cls)
    start = found_in_class(cls, "__init__")
    if isinstance(start, Function):
        given = Arguments([made, *arguments.positional], arguments.keywords, arguments.vague, arguments.rest)
        _function(run, start, given)
    elif is_absent(start):
        _inherited_start(run, cls, made, arguments)
    else:
        raise run.lost(f"`{cls.name}` makes its objects in a way of its own")
    return made


def _inherited_start(run: Run, cls: Class, made: Value, arguments: Arguments) -> None:
    outside = [one.name for one in cls.order if isinstance(one, External) and not is_plain_base(one.name)]
    base = outside[0] if outside else "builtins.object"
    fields = found_in_class(cls, "_fields")
    if isinstance(fields, tuple) and isinstance(made, Instance):
        for name, value in zip(fields, arguments.positional, strict=False):
            made.fields[str(name)] = value
        made.fields.update(arguments.keywords)
        return
    start = run.libraries.inherited(made, base, "__init__")
    call(run, start, arguments)


def function_of(frame: Frame, scope_number: int, defaults: dict[str, Value]) -> Function:
    """The function that a ``def`` statement makes."""
    facts = frame.facts
    scope = facts.scopes[scope_number]
    yields = any(facts.statements[number].scope == scope_number for number in facts.yielding)
    return Function(scope, frame, defaults, yields)


def class_of(run: Run, frame: Frame, name: str, bases: tuple[Value, ...], names: dict[str, Value]) -> Class:
    """The class that a ``class`` statement makes."""
    made = Class(name, frame.module, bases, names)
    orders = [list(base.order) if isinstance(base, Class) else [base] for base in bases]
    made.order = (made, *_merged(run, [*orders, list(bases)]))
    for value in names.values():
        own = value.function if isinstance(value, Descriptor) else value
        if isinstance(own, Function):
            own.owner = made
    return made


def _merged(run: Run, orders: list[list[Value]]) -> Iterator[Value]:
    """The order in which Python looks through the bases of a class (C3): each before its own bases, and as
    the class names them."""
    left = [order for order in orders if order]
    while left:
        chosen = next((one[0] for one in left if not any(one[0] in other[1:] for other in left)), None)
        if chosen is None:
            raise run.lost("the bases of a class have no order")
        yield chosen
        for order in left:
            if order[0] == chosen:
                del order[0]
        left = [order for order in left if order]
