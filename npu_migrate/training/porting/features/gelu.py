"""Functions of a project that compute the gelu of their argument, told by what they compute.

However such a function is written, it is a formula of one number: it is worked out for a few numbers, and
compared. Sources: CODE:npu_unary_ops.py; the kernel computes the form with tanh (TBE-GELU), which differs
from the one with erf by 4.7e-4 at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Call,
    Constant,
    Expr,
    FileFacts,
    Name,
    Operation,
    Scope,
    Statement,
)
from npu_migrate.index.names import enclosing_function
from npu_migrate.intents import Intent, ReplaceExpression, ReplaceStatement
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.resolution import external_names, receiver_class
from npu_migrate.sources.source import SourceError
from npu_migrate.training.porting.entry_code import import_of

_OP = "npu_unary_ops"
_SAMPLES = (-2.3, -0.7, 0.4, 1.9)
_CLOSE = 1e-5
"""Nearer to each other than the two forms are at any of the samples."""

_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "tanh": math.tanh,
    "erf": math.erf,
    "sqrt": math.sqrt,
    "pow": math.pow,
    "power": math.pow,
    "square": lambda x: x * x,
    "multiply": lambda x, y: x * y,
    "add": lambda x, y: x + y,
    "divide": lambda x, y: x / y,
    "cast": lambda x, *_: x,
    "constant": lambda x, *_: x,
    "identity": lambda x: x,
    "float": float,
}
_OPERATORS: Mapping[str, Callable[..., float]] = {
    "Add": lambda x, y: x + y,
    "Sub": lambda x, y: x - y,
    "Mult": lambda x, y: x * y,
    "Div": lambda x, y: x / y,
    "Pow": lambda x, y: x**y,
    "USub": lambda x: -x,
}
_LIBRARIES = ("tensorflow.", "numpy.", "math.")
_LIMITED = frozenset({"tensorflow.tanh", "tensorflow.nn.tanh", "tensorflow.math.tanh"})
_EXACT = frozenset({"tensorflow.erf", "tensorflow.math.erf"})


class Gelu(NamedTuple):
    """A function that computes gelu: where it says tanh or erf, and what puts the NPU's op in its place.

    `form` is ``tanh`` or ``erf``; there is no change for the latter, which is another function.
    """

    ref: Ref
    form: Literal["tanh", "erf"]
    change: tuple[Intent, ...]


@once
def gelus(project: Project) -> tuple[Gelu, ...]:
    """The functions that compute gelu by TensorFlow's ops, in order of file and place."""
    found = {}
    for word in ("tanh", "erf"):
        for key, site in project.calls_named(word):
            ref = ref_of_call(key, site)
            one = _gelu(project, ref)
            if one is not None:
                found[key, enclosing_function(_facts(project, key), site.scope)] = one
    return tuple(sorted(found.values(), key=lambda one: (one.ref.key, one.ref.expr.span)))


def _gelu(project: Project, ref: Ref) -> Gelu | None:
    facts = _facts(project, ref.key)
    function = facts.scopes[enclosing_function(facts, ref.scope)]
    assert isinstance(ref.expr, Call)
    names = external_names(project, ref.key, ref.scope, ref.expr.func)
    if not names & (_LIMITED | _EXACT) or function.kind != "function":
        return None
    formula = _formula(facts, function)
    argument = None if formula is None else _argument(facts, function)
    if formula is None or argument is None:
        return None
    results = [_worked_out(project, facts, function, formula, argument, x) for x in _SAMPLES]
    if _agrees(results, _with_tanh):
        return Gelu(ref, "tanh", _change(project, facts, function, formula, argument))
    return Gelu(ref, "erf", ()) if _agrees(results, _with_erf) else None


def _with_tanh(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _with_erf(x: float) -> float:
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def _agrees(results: list[float | None], known: Callable[[float], float]) -> bool:
    return all(y is not None and abs(y - known(x)) < _CLOSE for x, y in zip(_SAMPLES, results, strict=True))


class _Formula(NamedTuple):
    """The body of a function: values that get a name one after the other, and what is returned."""

    steps: tuple[Statement, ...]
    result: Statement


def _formula(facts: FileFacts, function: Scope) -> _Formula | None:
    own = [one for one in facts.statements if one.scope == function.id]
    if own and own[0].kind == "Expr" and isinstance(own[0].values[0], Constant):
        own = own[1:]
    if not own or own[-1].kind != "Return" or not own[-1].values:
        return None
    is_plain = all(
        one.kind == "Assign" and len(one.targets) == 1 and isinstance(one.targets[0], Name)
        for one in own[:-1]
    )
    is_flat = all(one.parent == function.statement for one in own)
    return _Formula(tuple(own[:-1]), own[-1]) if is_plain and is_flat else None


def _argument(facts: FileFacts, function: Scope) -> str | None:
    """The only parameter besides ``self`` that has no default, and the only one that the body can name."""
    wanted = [one for one in function.parameters if receiver_class(facts, function.id, one.name) == NOTHING]
    plain = [one.name for one in wanted if one.default is None]
    return plain[0] if len(plain) == 1 and wanted[0].name == plain[0] else None


def _worked_out(
    project: Project, facts: FileFacts, function: Scope, formula: _Formula, argument: str, x: float
) -> float | None:
    known = {argument: x}
    for step in (*formula.steps, formula.result):
        value = _value(project, facts, function, step.values[0], known)
        if value is None or step is formula.result:
            return value
        target = step.targets[0]
        assert isinstance(target, Name)
        known[target.id] = value
    return None


def _value(
    project: Project, facts: FileFacts, function: Scope, expr: Expr, known: Mapping[str, float]
) -> float | None:
    """What an expression gives; None if it is not known to be a number."""
    if isinstance(expr, Constant):
        is_number = isinstance(expr.value, (int, float)) and not isinstance(expr.value, bool)
        return float(expr.value) if is_number else None
    if isinstance(expr, Name):
        return known.get(expr.id)
    if external_names(project, facts.key, function.id, expr) & {"numpy.pi", "math.pi"}:
        return math.pi
    if isinstance(expr, Operation):
        operation = _OPERATORS.get(expr.operator)
        parts: tuple[Expr, ...] = expr.operands
    elif isinstance(expr, Call):
        operation = _function(project, facts, function, expr)
        parts = expr.args[:1] if _converts(expr) else expr.args
    else:
        return None
    values = [_value(project, facts, function, part, known) for part in parts]
    numbers = [value for value in values if value is not None]
    if operation is None or not numbers or len(numbers) < len(values):
        return None
    try:
        return operation(*numbers)
    except (ArithmeticError, TypeError, ValueError):
        return None


def _converts(call: Call) -> bool:
    return getattr(call.func, "attr", "") in ("cast", "constant")


def _function(project: Project, facts: FileFacts, function: Scope, call: Call) -> Callable[..., float] | None:
    names = external_names(project, facts.key, function.id, call.func)
    is_plain = not call.keywords or _converts(call)
    if len(names) != 1 or not is_plain:
        return None
    (name,) = names
    return _FUNCTIONS.get(name.rpartition(".")[2]) if name.startswith(_LIBRARIES) else None


def _change(
    project: Project, facts: FileFacts, function: Scope, formula: _Formula, argument: str
) -> tuple[Intent, ...]:
    """The op in the place of the returned formula; what only led to that goes."""
    imports = import_of(project, facts, function.id, _OP)
    if imports is None or any(getattr(one.targets[0], "id", "") == argument for one in formula.steps):
        return ()
    if any(_has_comment(project, facts.key, one) for one in (*formula.steps, formula.result)):
        return ()
    return (
        *(ReplaceStatement(Place(facts.key, one.span), "") for one in formula.steps),
        ReplaceExpression(Place(facts.key, formula.result.values[0].span), f"{_OP}.gelu({argument})"),
        *imports,
    )


def _has_comment(project: Project, key: str, statement: Statement) -> bool:
    """Whether there may be a comment on the lines of a statement: it would go with it."""
    try:
        lines = project.tree.source(key).text.splitlines()
    except (OSError, SourceError):
        return True
    return any("#" in line for line in lines[statement.span[0] - 1 : statement.span[2]])


def _facts(project: Project, key: str) -> FileFacts:
    facts = project.facts(key)
    assert facts is not None
    return facts
