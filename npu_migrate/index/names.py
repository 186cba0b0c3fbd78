"""Name lookup inside one file, as Python does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import NOTHING, Attribute, Binding, Expr, FileFacts, Name


class Found(NamedTuple):
    """The scope that binds a name, and all its bindings there."""

    scope: int
    bindings: tuple[Binding, ...]


def lookup(facts: FileFacts, scope: int, name: str) -> Found | None:
    """The bindings that `name`, read in `scope`, refers to; None for builtins and star imports.

    Class scopes are skipped from the inside, ``global`` and ``nonlocal`` are followed.
    """
    current = facts.scopes[scope]
    first = True
    while True:
        outer = current.outer_names.get(name)
        if outer == "global":
            bindings = global_bindings(facts, name)
            return Found(0, bindings) if bindings else None
        if outer is None and (first or current.kind != "class"):
            found = current.bindings.get(name)
            if found is not None:
                if current.id == 0:
                    return Found(0, global_bindings(facts, name))
                return Found(current.id, found)
        if current.parent == NOTHING:
            bindings = global_bindings(facts, name)
            return Found(0, bindings) if bindings else None
        first = False
        current = facts.scopes[current.parent]


def global_bindings(facts: FileFacts, name: str) -> tuple[Binding, ...]:
    """All bindings of a module-level name, those in functions that declare it ``global`` included."""
    return facts.scopes[0].bindings.get(name, ()) + facts.globals.get(name, ())


def dotted(expr: Expr) -> tuple[Name, tuple[str, ...]] | None:
    """The name an attribute chain starts with, and the attributes behind it; None for other chains."""
    attributes: list[str] = []
    while isinstance(expr, Attribute):
        attributes.append(expr.attr)
        expr = expr.value
    if isinstance(expr, Name):
        return expr, tuple(reversed(attributes))
    return None


def spelled(expr: Expr) -> str | None:
    """The source spelling of a name or of an attribute chain on a name; None for anything else."""
    if isinstance(expr, Name):
        return expr.id
    if isinstance(expr, Attribute):
        inner = spelled(expr.value)
        return None if inner is None else f"{inner}.{expr.attr}"
    return None


def enclosing_function(facts: FileFacts, scope: int) -> int:
    """The innermost function or module scope at or around `scope`: the one whose statements run there.

    Lambdas, comprehensions and class bodies are looked through.
    """
    current = facts.scopes[scope]
    while current.kind not in ("function", "module"):
        current = facts.scopes[current.parent]
    return current.id


def code_scope(facts: FileFacts, scope: int) -> int:
    """The innermost function, lambda or module scope at or around `scope`: what its code is a part of.

    Like `enclosing_function`, but a lambda counts: its body runs when the lambda is called.
    """
    current = facts.scopes[scope]
    while current.kind not in ("function", "lambda", "module"):
        current = facts.scopes[current.parent]
    return current.id


def enclosing_class(facts: FileFacts, scope: int) -> int:
    """The class whose method `scope` is or lies in; `NOTHING` outside of classes."""
    current = facts.scopes[scope]
    while current.parent != NOTHING:
        if current.kind == "function" and facts.scopes[current.parent].kind == "class":
            return current.parent
        current = facts.scopes[current.parent]
    return NOTHING


def ancestors(facts: FileFacts, statement: int) -> Iterator[int]:
    """The statements around `statement`, innermost first, up to the module; itself not included."""
    parent = facts.statements[statement].parent
    while parent != NOTHING:
        yield parent
        parent = facts.statements[parent].parent


def names_in_use(facts: FileFacts) -> frozenset[str]:
    """Every name that any scope of the file binds: a new name must be none of them."""
    return frozenset(name for scope in facts.scopes for name in scope.bindings) | frozenset(
        name for scope in facts.scopes for name in scope.outer_names
    )
