"""Whether an expression may be evaluated once more: it changes nothing, and gives the same again."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Conditional,
    Constant,
    Expr,
    Name,
    Operation,
    Subscript,
    last_name,
)
from npu_migrate.project.once import once_at_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.flow import call_targets, instance_classes, owner_classes
from npu_migrate.semantics.inheritance import methods_named
from npu_migrate.semantics.resolution import Definition, all_bases, scope_of
from npu_migrate.semantics.statements import statements_of_scope

_PURE_FUNCTIONS = frozenset({"int", "float", "max", "min", "round", "len", "abs", "ceil", "floor", "get"})
_GETTERS = ("__getattr__", "__getattribute__", "__get__")
_IDLE = frozenset({"Return", "Pass"})


@once_at_in_cycles(False)
def is_repeatable(project: Project, ref: Ref) -> bool:
    """Whether evaluating an expression twice is like evaluating it once.

    Reading a property, an item or a length of an object of the project runs code of its class, which may do
    anything, such as count.
    """
    return all(_is_idle(project, part) for part in project.parts(ref))


def _is_idle(project: Project, ref: Ref) -> bool:
    expr = ref.expr
    if isinstance(expr, (Constant, Name, Conditional)):
        return True
    if isinstance(expr, Attribute):
        return all(_returns_only(project, getter) for getter in _getters(project, ref, expr))
    if isinstance(expr, Call):
        if expr.keywords or last_name(expr.func) not in _PURE_FUNCTIONS or call_targets(project, ref):
            return False
        if isinstance(expr.func, Attribute) and expr.func.attr == "get":
            return bool(expr.args) and not _is_of_project(project, ref, expr.func.value)
        return not any(_is_of_project(project, ref, value) for value in expr.args)
    if isinstance(expr, Operation):
        return not any(_is_of_project(project, ref, value) for value in expr.operands)
    return isinstance(expr, Subscript) and not _is_of_project(project, ref, expr.value)


def _is_of_project(project: Project, ref: Ref, expr: Expr) -> bool:
    """Whether a value is an object of the project's own classes, whose operators may be anything."""
    return not isinstance(expr, Constant) and bool(instance_classes(project, ref._replace(expr=expr)))


def _getters(project: Project, ref: Ref, expr: Attribute) -> Iterator[Definition]:
    """The functions of the project that run when an attribute is read."""
    owners = owner_classes(project, ref, expr)
    candidates = owners or _classes_with(project, ref.key, expr.attr)
    for owner in candidates:
        for method in methods_named(project, owner, expr.attr):
            if scope_of(project, method).decorators:
                yield method
    for owner in owners:
        for base in all_bases(project, owner):
            if isinstance(base, Definition):
                for name in _GETTERS:
                    yield from methods_named(project, base, name)


def _classes_with(project: Project, key: str, name: str) -> Iterator[Definition]:
    """The classes in the programs of a file that define a name: an object may be of one of them."""
    files = project.neighbours(key)
    for home in project.files_mentioning(name):
        facts = project.facts(home) if home in files else None
        for scope in facts.scopes if facts is not None else ():
            if scope.kind == "class" and any(one.kind == "def" for one in scope.bindings.get(name, ())):
                yield Definition(home, scope.id)


def _returns_only(project: Project, getter: Definition) -> bool:
    """Whether a function does nothing but return something that may be evaluated any number of times."""
    facts = project.facts(getter.key)
    assert facts is not None
    for statement in statements_of_scope(project, facts, getter.scope):
        is_text = statement.kind == "Expr" and isinstance(statement.values[0], Constant)
        if statement.kind not in _IDLE and not is_text:
            return False
    return all(is_repeatable(project, value) for value in returned_values(project, getter))
