"""The values of expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from npu_migrate.abstract_run.machine.containers import item_of, unpacked
from npu_migrate.abstract_run.machine.operations import combined, compared, known_truth, truth
from npu_migrate.abstract_run.machine.raising import ANYTHING
from npu_migrate.abstract_run.machine.run import Raised, Run, is_plain
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    External,
    Frame,
    Function,
    Generator,
    Raising,
    Sequence,
    Table,
    Unknown,
    Value,
)
from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Conditional,
    Constant,
    Expr,
    Lambda,
    Name,
    Operation,
    Other,
    Subscript,
    is_starred,
)
from npu_migrate.index.facts import (
    Mapping as Display,
)


def evaluate(run: Run, frame: Frame, expr: Expr) -> Value:
    """The value of `expr` in a frame. Raises `Raised`, `Lost` and `Pruned`."""
    run.nesting += 1
    if run.nesting > run.budget.nesting:
        raise run.exhausted("the program is nested more deeply than is looked at")
    try:
        return _EVALUATE[type(expr)](run, frame, expr)
    finally:
        run.nesting -= 1


def look_up(run: Run, frame: Frame, name: str) -> Value:
    """What a name stands for, as Python looks it up. Raises `Raised` for none."""
    current: Frame | None = frame
    first = True
    while current is not None:
        scope = current.scope
        if scope.outer_names.get(name) == "global":
            current = current.module.frame
            first = True
            scope = current.scope
        elif scope.outer_names.get(name) == "nonlocal":
            current, first = current.outer, False
            continue
        if first or scope.kind != "class":
            if name in current.names:
                return current.names[name]
            if first and scope.kind == "function" and name in scope.bindings:
                raise Raised(Raising("UnboundLocalError"), fails=True)
        current, first = current.outer, False
    found = run.libraries.builtin(name)
    if found is None:
        stars = frame.module.stars
        if stars:
            return External(f"{stars[-1]}.{name}")
        if name == "__name__":
            return frame.module.name
        if name == "__file__":
            return Unknown("a path")
        raise Raised(Raising("NameError"), fails=True)
    return found


def _constant(run: Run, frame: Frame, expr: Constant) -> Value:
    return expr.value


def _name(run: Run, frame: Frame, expr: Name) -> Value:
    if expr.id == "__name__" and frame.module.frame.names.get("__name__") is None:
        return frame.module.name
    return look_up(run, frame, expr.id)


def _attribute(run: Run, frame: Frame, expr: Attribute) -> Value:
    return run.attribute(evaluate(run, frame, expr.value), expr.attr)


def _call(run: Run, frame: Frame, expr: Call) -> Value:
    callee = evaluate(run, frame, expr.func)
    arguments = Arguments()
    for arg in expr.args:
        if is_starred(arg):
            _spread(run, arguments, evaluate(run, frame, arg.parts[0]))
        else:
            arguments.positional.append(evaluate(run, frame, arg))
    for keyword in expr.keywords:
        value = evaluate(run, frame, keyword.value)
        if keyword.name is not None:
            arguments.keywords[keyword.name] = value
        else:
            _spread_keywords(run, arguments, value)
    run.step()
    run.calls_run.add(expr)
    if run.trying and run.libraries.may_raise(callee):
        run.may_fail(expr, ANYTHING, ("the call succeeds", "the call raises"))
    return run.doors.call(run, callee, arguments)


def _spread(run: Run, arguments: Arguments, value: Value) -> None:
    if isinstance(value, tuple):
        arguments.positional.extend(value)
    elif isinstance(value, Sequence) and not value.vague:
        arguments.positional.extend(value.items)
    elif isinstance(value, Generator):
        arguments.positional.extend(run.items(value))
    elif hasattr(value, "item"):
        arguments.positional.append(value)
        arguments.rest = value
    else:
        reason = run.libraries.must_not_see(value)
        if reason:
            raise run.lost(f"a call with a starred argument that is not known: {reason}")
        arguments.vague = True


def _spread_keywords(run: Run, arguments: Arguments, value: Value) -> None:
    if isinstance(value, Table):
        for key, item in value.items.items():
            if isinstance(key, str):
                arguments.keywords[key] = item
        if not value.vague:
            return
    reason = run.libraries.must_not_see(value)
    if reason:
        raise run.lost(f"a call with keyword arguments that are not known: {reason}")
    arguments.vague = True


def _collection(run: Run, frame: Frame, expr: Collection) -> Value:
    items: list[Value] = []
    vague = False
    for item in expr.items:
        if is_starred(item):
            value = evaluate(run, frame, item.parts[0])
            vague = vague or isinstance(value, Unknown) or getattr(value, "vague", False)
            items.extend(run.items(value))
        else:
            items.append(evaluate(run, frame, item))
    if expr.kind == "Tuple" and not vague:
        return tuple(items)
    return Sequence(items, vague, "set" if expr.kind == "Set" else "list")


def _display(run: Run, frame: Frame, expr: Display) -> Value:
    table = Table({})
    for key, value in zip(expr.keys, expr.values, strict=True):
        if key is None:
            inner = evaluate(run, frame, value)
            if isinstance(inner, Table):
                table.items |= inner.items
                table.vague |= inner.vague
            else:
                table.vague = True
            continue
        at = evaluate(run, frame, key)
        item = evaluate(run, frame, value)
        if isinstance(at, (Unknown, Sequence, Table)):
            table.vague = True
            table.items[Unknown()] = item
        else:
            table.items[at] = item
    return table


def _operation(run: Run, frame: Frame, expr: Operation) -> Value:
    if expr.operator in ("And", "Or"):
        return _logical(run, frame, expr)
    operands = [evaluate(run, frame, operand) for operand in expr.operands]
    modelled = [one for one in operands if hasattr(one, "combined")]
    if modelled:
        if expr.operator in ("Is", "IsNot", "In", "NotIn"):
            return compared(run, expr.operator, operands[0], operands[1])
        result: Value = modelled[0].combined(operands)
        return result
    if expr.operator == "Compare":
        return Unknown("a condition")
    return combined(run, expr.operator, operands)


def _logical(run: Run, frame: Frame, expr: Operation) -> Value:
    wanted = expr.operator == "Or"
    value: Value = None
    last = len(expr.operands) - 1
    for number, operand in enumerate(expr.operands):
        value = evaluate(run, frame, operand)
        if number == last:
            return value
        if known_truth(run, value) is None and all(map(_is_bare, expr.operands[number + 1 :])):
            rest = [evaluate(run, frame, one) for one in expr.operands[number + 1 :]]
            if isinstance(value, Unknown) and all(map(is_plain, rest)):
                return Unknown()
        if truth(run, value) is wanted:
            return value
    return value


def _is_bare(expr: Expr) -> bool:
    """Whether nothing can happen while an expression is evaluated."""
    if isinstance(expr, (Constant, Name)):
        return True
    if isinstance(expr, Attribute):
        return _is_bare(expr.value)
    return False


def _conditional(run: Run, frame: Frame, expr: Conditional) -> Value:
    test = evaluate(run, frame, expr.test)
    if known_truth(run, test) is None and _is_bare(expr.body) and _is_bare(expr.orelse):
        both = evaluate(run, frame, expr.body), evaluate(run, frame, expr.orelse)
        if is_plain(both):
            return Unknown()
    return evaluate(run, frame, expr.body if truth(run, test) else expr.orelse)


def _subscript(run: Run, frame: Frame, expr: Subscript) -> Value:
    owner = evaluate(run, frame, expr.value)
    item = evaluate(run, frame, expr.item)
    return item_of(run, owner, item)


def _lambda(run: Run, frame: Frame, expr: Lambda) -> Value:
    scope = frame.facts.scopes[expr.scope]
    given = [parameter.name for parameter in scope.parameters if parameter.default is not None]
    defaults = [evaluate(run, frame, default) for default in expr.defaults]
    return Function(scope, frame, dict(zip(given, defaults, strict=True)), yields=False)


def _comprehension(run: Run, frame: Frame, expr: Comprehension) -> Value:
    inner = Frame(frame.module, frame.facts.scopes[expr.scope], frame)
    inner.statement = frame.statement
    filled = _Filled(run, frame, inner, expr)
    filled.fill(0)
    items, vague = filled.items, filled.vague
    if expr.kind == "DictComp":
        pairs = [pair for pair in items if isinstance(pair, tuple)]
        vague = vague or any(isinstance(key, (Unknown, Sequence)) for key, _ in pairs)
        return Table({key: value for key, value in pairs if not isinstance(key, Sequence)}, vague)
    return Sequence(items, vague, "set" if expr.kind == "SetComp" else "list")


@dataclass
class _Filled:
    """What a comprehension has made so far; `inner` has its names, and `frame` those around it."""

    run: Run
    frame: Frame
    inner: Frame
    expr: Comprehension
    items: list[Value] = field(default_factory=list)
    vague: bool = False

    def fill(self, level: int) -> None:
        """Go through the source `level` and those behind it."""
        if level == len(self.expr.sources):
            self._add()
            return
        source = self.expr.sources[level]
        over = evaluate(self.run, self.inner if level else self.frame, source)
        self.vague = self.vague or not _is_closed(over)
        for item in self.run.items(over):
            self.run.step()
            for name, bindings in self.inner.scope.bindings.items():
                for binding in bindings:
                    if binding.rest is not None or min(binding.path, default=0) < 0:
                        raise self.run.lost("a comprehension unpacks what is not counted")
                    if binding.value is source:
                        self.inner.names[name] = _at(self.run, item, binding.path)
            self.fill(level + 1)

    def _add(self) -> None:
        for condition in self.expr.conditions:
            test = evaluate(self.run, self.inner, condition)
            if known_truth(self.run, test) is None:
                self.vague = True
            elif not truth(self.run, test):
                return
        made = [evaluate(self.run, self.inner, element) for element in self.expr.elements]
        self.items.append(tuple(made) if len(made) > 1 else made[0])


def _is_closed(value: Value) -> bool:
    if isinstance(value, (Sequence, Table)):
        return not value.vague
    return isinstance(value, (tuple, str, Generator)) or getattr(value, "is_closed", False)


def _at(run: Run, item: Value, path: tuple[int, ...]) -> Value:
    for index in path:
        item = unpacked(run, item, max(index + 1, 1), exact=False)[index]
    return item


def _other(run: Run, frame: Frame, expr: Other) -> Value:
    kind = expr.kind
    if kind == "NamedExpr":
        target, value = expr.parts[0], evaluate(run, frame, expr.parts[1])
        owner = frame
        while owner.scope.kind == "comprehension" and owner.outer is not None:
            owner = owner.outer
        assert isinstance(target, Name)
        owner.names[target.id] = value
        return value
    parts = [evaluate(run, frame, part) for part in expr.parts]
    if kind == "JoinedStr":
        texts = [part if isinstance(part, str) else None for part in parts]
        return "".join(text for text in texts if text) if None not in texts else Unknown("a text")
    if kind == "FormattedValue" and len(parts) == 1 and isinstance(parts[0], (str, int)):
        return str(parts[0])
    if kind.startswith("Slice"):
        given = dict(zip(kind.partition("!")[2], parts, strict=False))
        return _slice(given.get("l"), given.get("u"), given.get("s"))
    if kind.startswith(("Yield", "Await")):
        raise run.lost("a generator gives a value inside of an expression")
    return Unknown()


def _slice(lower: Value, upper: Value, step: Value) -> Value:
    bounds = (lower, upper, step)
    if all(bound is None or isinstance(bound, int) for bound in bounds):
        return slice(*bounds)
    return slice(Unknown(), None, None)


_EVALUATE: Mapping[type, Callable[[Run, Frame, Any], Value]] = {
    Constant: _constant,
    Name: _name,
    Attribute: _attribute,
    Call: _call,
    Collection: _collection,
    Display: _display,
    Operation: _operation,
    Conditional: _conditional,
    Subscript: _subscript,
    Lambda: _lambda,
    Comprehension: _comprehension,
    Other: _other,
}
