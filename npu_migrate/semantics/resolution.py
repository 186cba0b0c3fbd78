"""What a name or attribute stands for: something outside, a module, a function or class of the project."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Binding,
    Conditional,
    Expr,
    FileFacts,
    ImportTarget,
    Name,
    Scope,
)
from npu_migrate.index.names import enclosing_class, lookup
from npu_migrate.project.once import once_below, once_in_cycles, once_per_file
from npu_migrate.project.project import Project

_DEEPEST = 12


class External(NamedTuple):
    """Something that the project imports; `name` is its canonical dotted name."""

    name: str


class Module(NamedTuple):
    """A module of the project."""

    key: str


class Definition(NamedTuple):
    """A function or class of the project, by the scope it opens."""

    key: str
    scope: int


Symbol = External | Module | Definition


class _Search:
    """One search for symbols: how deep it is, and what the variables on the way came to.

    `known` has for each variable from which depth on it was followed, and its symbols. One that leads to
    itself is then what its earlier bindings have given it.
    """

    __slots__ = ("depth", "known")

    def __init__(
        self, depth: int = 0, known: dict[tuple[str, int, str], tuple[int, tuple[Symbol, ...]]] | None = None
    ) -> None:
        self.depth = depth
        self.known = {} if known is None else known

    def deeper(self) -> _Search:
        return _Search(self.depth + 1, self.known)


def symbols(project: Project, key: str, scope: int, expr: Expr) -> tuple[Symbol, ...]:
    """Everything that `expr`, read in `scope`, may stand for; several where branches bind it differently."""
    if isinstance(expr, Name):
        return _symbols_named(project, key, scope, expr.id)
    return _symbols_of(project, key, scope, expr)


@once_below
def _symbols_named(project: Project, key: str, scope: int, name: str) -> tuple[Symbol, ...]:
    facts = project.facts(key)
    return () if facts is None else _name_symbols(project, facts, scope, name, _Search())


@once_below
def _symbols_of(project: Project, key: str, scope: int, expr: Expr) -> tuple[Symbol, ...]:
    facts = project.facts(key)
    if facts is None or not isinstance(expr, Attribute):
        return ()
    return _attribute_of(project, facts, scope, expr, symbols(project, key, scope, expr.value), _Search())


def external_names(project: Project, key: str, scope: int, expr: Expr) -> frozenset[str]:
    """All canonical names that `expr` may stand for outside the project."""
    found = symbols(project, key, scope, expr)
    return frozenset(symbol.name for symbol in found if isinstance(symbol, External))


def definitions(project: Project, key: str, scope: int, expr: Expr) -> tuple[Definition, ...]:
    """The functions and classes of the project that `expr` may stand for."""
    return tuple(symbol for symbol in symbols(project, key, scope, expr) if isinstance(symbol, Definition))


def scope_of(project: Project, definition: Definition) -> Scope:
    """The scope that a definition opens."""
    facts = project.facts(definition.key)
    assert facts is not None
    return facts.scopes[definition.scope]


def _symbols(project: Project, key: str, scope: int, expr: Expr, search: _Search) -> tuple[Symbol, ...]:
    facts = project.facts(key)
    if facts is None or search.depth > _DEEPEST:
        return ()
    if isinstance(expr, Name):
        return _name_symbols(project, facts, scope, expr.id, search)
    if isinstance(expr, Attribute):
        receiver = _symbols(project, key, scope, expr.value, search.deeper())
        return _attribute_of(project, facts, scope, expr, receiver, search)
    if isinstance(expr, Conditional):
        branches = (expr.body, expr.orelse)
        return _unique(
            [one for side in branches for one in _symbols(project, key, scope, side, search.deeper())]
        )
    return ()


def _attribute_of(
    project: Project,
    facts: FileFacts,
    scope: int,
    expr: Attribute,
    receiver: tuple[Symbol, ...],
    search: _Search,
) -> tuple[Symbol, ...]:
    """What an attribute stands for, where `receiver` is what the expression before its dot stands for."""
    if is_receiver(facts, scope, expr.value):
        owner = enclosing_class(facts, scope)
        return class_attribute(project, Definition(facts.key, owner), expr.attr)
    found: list[Symbol] = []
    for symbol in receiver:
        found.extend(_member_symbols(project, facts.key, symbol, expr.attr, search.deeper()))
    return _unique(found)


def _member_symbols(
    project: Project, key: str, symbol: Symbol, attr: str, search: _Search
) -> tuple[Symbol, ...]:
    """An attribute of a symbol; for a package without ``__init__.py`` also the modules in it."""
    if isinstance(symbol, External) and symbol.name.partition(".")[0] in project.folder_names:
        module = project.resolve_module(key, f"{symbol.name}.{attr}", 0)
        if module is not None:
            return (Module(module),)
    return _attribute_symbols(project, symbol, attr, search)


def is_receiver(facts: FileFacts, scope: int, expr: Expr) -> bool:
    """Whether `expr` is ``self`` (or ``cls``) in a method, under whatever name."""
    return isinstance(expr, Name) and receiver_class(facts, scope, expr.id) != NOTHING


def receiver_class(facts: FileFacts, scope: int, name: str) -> int:
    """The class whose instance (or itself) `name` is, because it is the first parameter of a method."""
    found = lookup(facts, scope, name)
    if found is None:
        return NOTHING
    function = facts.scopes[found.scope]
    if (
        function.kind != "function"
        or function.parent == NOTHING
        or facts.scopes[function.parent].kind != "class"
        or not function.parameters
        or function.parameters[0].name != name
        or len(found.bindings) != 1
    ):
        return NOTHING
    if any(isinstance(item, Name) and item.id == "staticmethod" for item in function.decorators):
        return NOTHING
    return function.parent


def _is_of_classmethod(facts: FileFacts, scope: int, name: str, function: int) -> bool:
    """Whether `name` is the class itself, as the first parameter of a method that is decorated so."""
    decorators = facts.scopes[function].decorators
    return (
        any(isinstance(item, Name) and item.id == "classmethod" for item in decorators)
        and receiver_class(facts, scope, name) != NOTHING
    )


def _name_symbols(
    project: Project, facts: FileFacts, scope: int, name: str, search: _Search
) -> tuple[Symbol, ...]:
    found = lookup(facts, scope, name)
    variable = (facts.key, NOTHING if found is None else found.scope, name)
    depth, known = search.known.get(variable, (_DEEPEST, None))
    if known is not None and depth <= search.depth:
        return known
    result: dict[Symbol, None] = {}
    search.known[variable] = (search.depth, ())
    if found is None:
        result = dict.fromkeys(_star_symbols(project, facts, name, search))
    if found is not None and _is_of_classmethod(facts, scope, name, found.scope):
        result[Definition(facts.key, facts.scopes[found.scope].parent)] = None
    for binding in found.bindings if found is not None else ():
        result |= dict.fromkeys(_binding_symbols(project, facts, binding, search))
        search.known[variable] = (search.depth, tuple(result))
    search.known[variable] = (search.depth, tuple(result))
    return tuple(result)


def _binding_symbols(
    project: Project, facts: FileFacts, binding: Binding, search: _Search
) -> tuple[Symbol, ...]:
    if binding.target is not None:
        return _import_symbols(project, facts.key, binding.target, search)
    if binding.defines != NOTHING:
        return (Definition(facts.key, binding.defines),)
    if binding.kind == "assign" and binding.value is not None and not binding.path:
        return _symbols(project, facts.key, binding.scope, binding.value, search.deeper())
    return ()


def _import_symbols(project: Project, key: str, target: ImportTarget, search: _Search) -> tuple[Symbol, ...]:
    module = project.resolve_module(key, target.module, target.level)
    if target.name is None:
        return (
            (Module(module),)
            if module is not None
            else (External(project.libraries.canonical(target.module)),)
        )
    if module is not None:
        found = _attribute_symbols(project, Module(module), target.name, search.deeper())
        if found:
            return found
    dotted = f"{target.module}.{target.name}" if target.module else target.name
    submodule = project.resolve_module(key, dotted, target.level)
    if submodule is not None:
        return (Module(submodule),)
    if target.level or module is not None:
        return ()
    return (_outside(project, dotted),)


def attribute_symbols(project: Project, symbol: Symbol, attr: str) -> tuple[Symbol, ...]:
    """What attribute `attr` of a symbol stands for."""
    return _attribute_symbols(project, symbol, attr, _Search())


def _attribute_symbols(project: Project, symbol: Symbol, attr: str, search: _Search) -> tuple[Symbol, ...]:
    if isinstance(symbol, External):
        return (_outside(project, f"{symbol.name}.{attr}"),)
    if isinstance(symbol, Definition):
        scope = scope_of(project, symbol)
        return class_attribute(project, symbol, attr) if scope.kind == "class" else ()
    facts = project.facts(symbol.key)
    if facts is None or search.depth > _DEEPEST:
        return ()
    found = _name_symbols(project, facts, 0, attr, search.deeper())
    if found:
        return found
    if symbol.key.endswith("/__init__.py"):
        submodule = project.resolve_module(symbol.key, attr, 1)
        if submodule is not None:
            return (Module(submodule),)
    return ()


def class_attribute(project: Project, owner: Definition, attr: str) -> tuple[Symbol, ...]:
    """The method (or nested class) `attr` of a class, looked up through the project's base classes."""
    seen: set[Definition] = set()
    queue = [owner]
    while queue:
        current = queue.pop(0)
        if current in seen:
            continue
        seen.add(current)
        scope = scope_of(project, current)
        bindings = scope.bindings.get(attr, ())
        defined = [Definition(current.key, b.defines) for b in bindings if b.defines != NOTHING]
        if defined:
            return tuple(defined)
        queue.extend(base for base in base_classes(project, current) if isinstance(base, Definition))
    return ()


@once_in_cycles(())  # what a class that is one of its own bases adds to itself
def base_classes(project: Project, owner: Definition) -> tuple[Symbol, ...]:
    """What the direct bases of a class stand for."""
    scope = scope_of(project, owner)
    found: list[Symbol] = []
    for base in scope.bases:
        found.extend(symbols(project, owner.key, scope.parent, base))
    return tuple(found)


def all_bases(project: Project, owner: Definition) -> tuple[Symbol, ...]:
    """The class itself and everything it inherits from, nearest first."""
    return _all_bases(project, owner.key, owner.scope)


@once_below
def _all_bases(project: Project, key: str, scope: int) -> tuple[Symbol, ...]:
    seen: dict[Symbol, None] = {}
    queue: list[Symbol] = [Definition(key, scope)]
    while queue:
        current = queue.pop(0)
        if current in seen:
            continue
        seen[current] = None
        if isinstance(current, Definition) and scope_of(project, current).kind == "class":
            queue.extend(base_classes(project, current))
    return tuple(seen)


def _star_symbols(project: Project, facts: FileFacts, name: str, search: _Search) -> tuple[Symbol, ...]:
    result: list[Symbol] = []
    for star in _stars(project, facts):
        module = project.resolve_module(facts.key, star.module, star.level)
        if module is not None:
            if module != facts.key:
                result.extend(_attribute_symbols(project, Module(module), name, search.deeper()))
        elif project.libraries.may_export(star.module, name):
            result.append(_outside(project, f"{star.module}.{name}"))
    return _unique(result)


@once_per_file
def _stars(facts: FileFacts) -> tuple[ImportTarget, ...]:
    """The ``from m import *`` of a file."""
    return tuple(star for scope in facts.scopes for star in scope.stars)


def _outside(project: Project, name: str) -> External:
    return External(project.libraries.canonical(name))


def _unique(found: list[Symbol]) -> tuple[Symbol, ...]:
    return tuple(dict.fromkeys(found))
