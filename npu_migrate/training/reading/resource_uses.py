"""Lookup tables and variables that preprocessing uses: in functions of a dataset, and as its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Comprehension,
    Expr,
    Lambda,
    Name,
    Operation,
    Subscript,
    children,
)
from npu_migrate.index.names import lookup
from npu_migrate.knowledge import resources
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.function_values import functions_of
from npu_migrate.semantics.contexts import DEEPEST_CALL, Traced, ends, entered_by
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import Definition, scope_of
from npu_migrate.semantics.statements import statements_of_scope
from npu_migrate.training.reading.transformations import Transformation

_MOST_FUNCTIONS = 200

Kind = Literal["table", "variable", "keras"]


class ResourceUse(NamedTuple):
    """One use of a table or variable: the expression that uses it, and the call that made it.

    `kind` tells a variable that the Keras backend makes in the very place; `name` is its function there.
    """

    kind: Kind
    use: Ref
    made: Ref
    name: str = ""


def uses_of(project: Project, transformation: Transformation) -> tuple[ResourceUse, ...]:
    """The tables and variables that a transformation of a dataset uses; each of them once for a function."""
    search = _Search(project)
    for function in transformation.functions:
        search.bound_method(function)
        for found in functions_of(project, function):
            search.function(found.target, found.inside)
    for argument in transformation.arguments:
        search.expression(argument, None)
    return tuple(search.found.values())


class _Search:
    """Goes through functions and what they call, each once for every way in which it is entered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.seen: set[object] = set()
        self.entered: set[int] = set()
        self.found: dict[object, ResourceUse] = {}

    def function(self, target: Definition, inside: Traced) -> None:
        mark = (target, inside._replace(keys=()).mark[2:])
        if mark in self.seen or len(self.seen) > _MOST_FUNCTIONS or len(inside.frames) > DEEPEST_CALL:
            return
        self.seen.add(mark)
        scope = scope_of(self.project, target)
        facts = self.project.facts(target.key)
        assert facts is not None
        if scope.body is not None:
            ref = Ref(target.key, target.scope, scope.statement, scope.body)
            self.expression(inside._replace(ref=ref, keys=()), None)
            return
        for statement in statements_of_scope(self.project, facts, target.scope):
            for value in statement.values:
                ref = Ref(target.key, target.scope, statement.id, value)
                self.expression(inside._replace(ref=ref, keys=()), None)

    def expression(self, root: Traced, around: Expr | None) -> None:
        stack: list[tuple[Traced, Expr | None]] = [(root, around)]
        while stack:
            here, parent = stack.pop()
            expr = here.ref.expr
            skipped: Expr | None = None
            if isinstance(expr, Call):
                skipped = self.call(here, expr)
            elif isinstance(expr, (Name, Attribute)):
                self.value(here, expr, parent)
            elif isinstance(expr, Subscript):
                self.table(here, here.at(expr.value))
            below = [child for child in children(expr) if child is not skipped]
            stack.extend((here.at(child, _scope(expr, child)), expr) for child in reversed(below))

    def call(self, here: Traced, call: Call) -> Expr | None:
        """Looks at a call; returns the argument that is Python code and runs outside the graph."""
        called = externals_called(self.project, here.ref)
        if called & resources.ON_THE_HOST:
            return call.args[0] if call.args else None
        if called & resources.VARIABLES:
            self.made_here(here, called)
        if isinstance(call.func, Attribute) and call.func.attr in resources.TABLE_METHODS:
            self.table(here, here.at(call.func.value))
        for inside, target in entered_by(self.project, here):
            self.entered.add(id(call))
            self.function(target, inside)
        return None

    def bound_method(self, function: Traced) -> None:
        """``dataset.map(table.lookup)``."""
        for end in ends(self.project, function):
            expr = end.ref.expr
            if isinstance(expr, Attribute) and expr.attr in resources.TABLE_METHODS:
                self.table(end, end.at(expr.value))

    def made_here(self, here: Traced, called: frozenset[str]) -> None:
        keras = called & resources.KERAS_VARIABLES
        if not keras:
            self.add(ResourceUse("variable", here.ref, here.ref))
        elif _has_static_shape(self.project, here):
            self.add(ResourceUse("keras", here.ref, here.ref, min(keras).rpartition(".")[2]))

    def table(self, here: Traced, receiver: Traced) -> None:
        for end in ends(self.project, receiver):
            if externals_called(self.project, end.ref) & resources.TABLES and not end.keys:
                self.add(ResourceUse("table", here.ref, end.ref))

    def value(self, here: Traced, expr: Expr, parent: Expr | None) -> None:
        """A name or attribute: a variable that is read, or a function that is handed on."""
        if isinstance(parent, Attribute) and parent.attr not in resources.VARIABLE_READS:
            return
        if isinstance(parent, Call) and parent.func is expr:
            return
        for made in () if self.is_passed_on(here, expr) else _variables_behind(self.project, here):
            self.add(ResourceUse("variable", here.ref, made))
        if isinstance(parent, Call):
            for found in functions_of(self.project, here):
                self.function(found.target, found.inside)

    def is_passed_on(self, here: Traced, expr: Expr) -> bool:
        """Whether a name is a parameter that gets its value from a call that has been looked at."""
        facts = self.project.facts(here.ref.key)
        assert facts is not None
        found = lookup(facts, here.ref.scope, expr.id) if isinstance(expr, Name) else None
        if found is None or not any(binding.kind == "param" for binding in found.bindings):
            return False
        target = Definition(here.ref.key, found.scope)
        frame = next((frame for frame in reversed(here.frames) if frame.target == target), None)
        return frame is not None and frame.call is not None and id(frame.call.expr) in self.entered

    def add(self, use: ResourceUse) -> None:
        made = id(use.made.expr)
        if use.made.expr is not use.use.expr and (made, made) in self.found:
            return  # made in these functions, and told there
        where = made if use.made.expr is use.use.expr else (use.use.key, use.use.scope)
        self.found.setdefault((made, where), use)


def _scope(expr: Expr, child: Expr) -> int | None:
    """The scope of a part of an expression where it is another one."""
    if isinstance(expr, Lambda) and child is expr.body:
        return expr.scope
    if isinstance(expr, Comprehension) and child is not expr.sources[0]:
        return expr.scope
    return None


def _variables_behind(project: Project, start: Traced) -> Iterator[Ref]:
    """The calls that make the variables from which TensorFlow computes what is captured here."""
    seen: set[object] = set()
    stack = [start]
    while stack:
        for end in ends(project, stack.pop()):
            expr = end.ref.expr
            if end.mark in seen or end.keys:
                continue
            seen.add(end.mark)
            if isinstance(expr, Operation):
                stack.extend(end.at(operand) for operand in expr.operands)
            elif isinstance(expr, Call):
                called = externals_called(project, end.ref)
                if called & resources.VARIABLES:
                    if not called & resources.KERAS_VARIABLES or _has_static_shape(project, end):
                        yield end.ref
                elif any(map(_is_op, called)):
                    stack.extend(end.at(value) for value in expr.args)
                elif isinstance(expr.func, Attribute) and expr.func.attr in resources.VARIABLE_READS:
                    stack.append(end.at(expr.func.value))


def _is_op(name: str) -> bool:
    """Whether a function of TensorFlow computes a tensor from its arguments, as its name tells."""
    home, _, last = name.removeprefix("tensorflow.").rpartition(".")
    is_tensorflow = name.startswith("tensorflow.") and (not home or home in resources.OP_MODULES)
    return is_tensorflow and last[:1].islower() and last not in resources.STATIC_OPS


def _has_static_shape(project: Project, made: Traced) -> bool:
    """Whether the Keras backend gets a shape that the graph is built with: else it makes a tensor."""
    assert isinstance(made.ref.expr, Call)
    if not externals_called(project, made.ref) & resources.KERAS_SHAPED:
        return True
    seen: set[object] = set()
    shape = next((k.value for k in made.ref.expr.keywords if k.name == "shape"), None)
    shape = shape or (made.ref.expr.args[0] if made.ref.expr.args else None)
    stack = [] if shape is None else [made.at(shape)]
    while stack:
        here = stack.pop()
        if here.mark in seen:
            continue
        seen.add(here.mark)
        for end in ends(project, here):
            expr = end.ref.expr
            if any(name.startswith("tensorflow.") for name in externals_called(project, end.ref)):
                return False
            if isinstance(expr, Name) and _is_parameter(project, end.ref, expr):
                return False
            if expr is not here.ref.expr or not isinstance(expr, (Name, Attribute)):
                stack.extend(end.at(child) for child in children(expr))
    return True


def _is_parameter(project: Project, ref: Ref, name: Name) -> bool:
    facts = project.facts(ref.key)
    assert facts is not None
    found = lookup(facts, ref.scope, name.id)
    return found is not None and any(binding.kind == "param" for binding in found.bindings)
