"""The facts of one file: its statements, scopes and expressions as immutable, picklable values.

They keep what later rooms ask for (who binds a name, what is called with what, which block a statement
lies in) and drop the rest of the syntax tree. All places are ``ast`` coordinates (`Span`). Expressions
compare by identity: the same text at two places is two expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from npu_migrate.places import Span

if TYPE_CHECKING:
    from dataclasses import dataclass as expression
else:

    def expression(*, frozen, slots, eq):
        """A class of expressions. That nobody changes them is checked by their types: to refuse it at run
        time makes them four times as slow to build, and there are hundreds of thousands."""
        del frozen
        return dataclass(slots=slots, eq=eq)


NOTHING = -1
"""The identifier of no statement or no scope."""


@expression(frozen=True, slots=True, eq=False)
class Constant:
    """A literal; `value` is a str, bytes, number, bool, None or Ellipsis."""

    value: Any
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Name:
    """A bare name that is read, or stored to where it stands in a target."""

    id: str
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Attribute:
    """``value.attr``."""

    value: Expr
    attr: str
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Keyword:
    """A keyword argument; `name` is None for ``**value``. The span starts at the keyword's name."""

    name: str | None
    value: Expr
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Call:
    """``func(*args, **keywords)``; a starred argument is an `Other` of kind ``Starred``."""

    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Collection:
    """A tuple, list or set display; `kind` is ``Tuple``, ``List`` or ``Set``.

    An item with a star is an `Other` of kind ``Starred``, also where a value is stored to the items.
    """

    kind: str
    items: tuple[Expr, ...]
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Mapping:
    """A dict display; a key is None where ``**value`` stands."""

    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Operation:
    """An arithmetic, boolean or comparing operation; `operator` is the ``ast`` class name (``Add``)."""

    operator: str
    operands: tuple[Expr, ...]
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Conditional:
    """``body if test else orelse``."""

    test: Expr
    body: Expr
    orelse: Expr
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Subscript:
    """``value[item]``."""

    value: Expr
    item: Expr
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Lambda:
    """A lambda; its parameters and names live in the scope `scope`."""

    scope: int
    body: Expr
    defaults: tuple[Expr, ...]
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Comprehension:
    """A comprehension or generator expression; `elements` (key and value for a dict) live in `scope`."""

    kind: str
    scope: int
    elements: tuple[Expr, ...]
    sources: tuple[Expr, ...]
    conditions: tuple[Expr, ...]
    span: Span


@expression(frozen=True, slots=True, eq=False)
class Other:
    """Any other expression, known by its ``ast`` class name and its parts.

    A ``FormattedValue`` with a conversion says which one: ``FormattedValue!r``. A slice says which of its
    lower and upper bound and step it has: ``Slice!us``.
    """

    kind: str
    parts: tuple[Expr, ...]
    span: Span


Expr = (
    Constant
    | Name
    | Attribute
    | Call
    | Collection
    | Mapping
    | Operation
    | Conditional
    | Subscript
    | Lambda
    | Comprehension
    | Other
)


class Statement(NamedTuple):
    """One statement; `id` is its number in source order.

    `parent` is the compound statement around it (`NOTHING` at module level) and `block` the part of the
    parent it lies in: ``body``, ``orelse``, ``finalbody``, ``handler0``, …; `position` counts within that
    block, from 0. `scope` is the scope in which it runs. `targets` are what it stores to, `values` what it
    reads: for ``with`` they are pairs, item by item, a missing ``as`` being None. `defines` is the scope that
    a ``def`` or ``class`` opens, `operator` the ``ast`` class name of that of an augmented assignment.
    """

    id: int
    kind: str
    span: Span
    scope: int
    parent: int
    block: str
    position: int
    targets: tuple[Expr | None, ...]
    values: tuple[Expr, ...]
    defines: int
    operator: str = ""


class ImportTarget(NamedTuple):
    """What an import binds: `name` of module `module`, or the module itself where `name` is None."""

    module: str
    level: int
    name: str | None

    @property
    def dotted(self) -> str:
        """What is imported as one dotted name, without the dots of a relative import."""
        return self.module if self.name is None else f"{self.module}.{self.name}"


class Part(NamedTuple):
    """Some items of a sequence in a row, as ``items[start:stop]`` takes them out; None where none is said."""

    start: int | None = None
    stop: int | None = None


class Rest(NamedTuple):
    """What a target with a star gets: `part` of the sequence that a path leads to in `value`."""

    value: Expr
    part: Part


class Binding(NamedTuple):
    """One place that binds a name in a scope.

    `kind` is one of ``import``, ``assign``, ``augment``, ``param``, ``def``, ``class``, ``for``, ``with``,
    ``except``, ``comprehension``, ``delete``, ``match``. `value` is the expression whose value it gets
    (for ``for`` the iterable, for ``with`` the context manager), `path` the indices that lead into it when
    a tuple is unpacked; behind a star they count from the end, as -1 does. The names in `value` belong to
    `scope`. A name with a star has no value, but a `rest`. A def or class has its scope in `defines`, an
    import what it binds in `target` and the place of its alias in `span`; ``import a.b`` binds ``a`` and
    loads ``a.b``, which `loads` says.
    """

    kind: str
    statement: int
    value: Expr | None = None
    path: tuple[int, ...] = ()
    target: ImportTarget | None = None
    defines: int = NOTHING
    span: Span | None = None
    loads: str = ""
    scope: int = NOTHING
    rest: Rest | None = None


class Parameter(NamedTuple):
    """A parameter; `kind` is ``positional``, ``keyword``, ``varargs`` or ``varkeywords``."""

    name: str
    kind: str
    default: Expr | None


class Scope(NamedTuple):
    """A module, class, function, lambda or comprehension; number 0 is the module.

    `statement` is the def or class statement, or the statement a lambda or comprehension stands in.
    `bases` are a class's base expressions. `body` is a lambda's body.
    """

    id: int
    kind: str
    name: str
    parent: int
    statement: int
    span: Span
    parameters: tuple[Parameter, ...]
    decorators: tuple[Expr, ...]
    bases: tuple[Expr, ...]
    bindings: dict[str, tuple[Binding, ...]]
    outer_names: dict[str, str]
    stars: tuple[ImportTarget, ...]
    body: Expr | None


class CallSite(NamedTuple):
    """A call, the statement it stands in and the scope its names belong to."""

    call: Call
    statement: int
    scope: int


class FileFacts(NamedTuple):
    """Everything known of one file.

    `words` are the names and attributes that it mentions, with the numbers of the statements that do.
    `globals` are the bindings of the names that functions declare ``global``, `yielding` the statements that
    contain a ``yield``.
    """

    key: str
    statements: tuple[Statement, ...]
    scopes: tuple[Scope, ...]
    calls: tuple[CallSite, ...]
    words: dict[str, tuple[int, ...]]
    globals: dict[str, tuple[Binding, ...]]
    yielding: tuple[int, ...]

    def block(self, parent: int, name: str) -> tuple[Statement, ...]:
        """The statements of one block, in order; ``block(NOTHING, "body")`` is the module's top level."""
        return tuple(s for s in self.statements if s.parent == parent and s.block == name)

    def bindings(self) -> Iterator[tuple[Scope, str, Binding]]:
        """Every binding of every name, scope by scope."""
        for scope in self.scopes:
            for name, found in scope.bindings.items():
                for binding in found:
                    yield scope, name, binding

    def import_targets(self) -> Iterator[ImportTarget]:
        """What the imports of the file bind, at any depth; then its star imports."""
        for _, _, binding in self.bindings():
            if binding.target is not None:
                yield binding.target
        for scope in self.scopes:
            yield from scope.stars


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions, in order of evaluation as far as syntax tells."""
    if isinstance(expr, (Constant, Name)):
        return ()
    if isinstance(expr, Attribute):
        return (expr.value,)
    if isinstance(expr, Call):
        return (expr.func, *expr.args, *(keyword.value for keyword in expr.keywords))
    if isinstance(expr, Collection):
        return expr.items
    if isinstance(expr, Mapping):
        return tuple(key for key in expr.keys if key is not None) + expr.values
    if isinstance(expr, Operation):
        return expr.operands
    if isinstance(expr, Conditional):
        return (expr.test, expr.body, expr.orelse)
    if isinstance(expr, Subscript):
        return (expr.value, expr.item)
    if isinstance(expr, Lambda):
        return (*expr.defaults, expr.body)
    if isinstance(expr, Comprehension):
        return expr.sources + expr.conditions + expr.elements
    return expr.parts


def walk(expr: Expr) -> Iterator[Expr]:
    """`expr` and everything below it, outermost first."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def is_starred(expr: Expr | None) -> TypeGuard[Other]:
    """Whether an argument or item stands for several: ``*items``."""
    return isinstance(expr, Other) and expr.kind == "Starred"


def item_at(items: tuple[Expr, ...], index: int) -> Expr | None:
    """The item of a display, or of the targets of an assignment, at an index, which may count from the end.

    None if there is none, or if it cannot be told: an item with a star is in between.
    """
    if not -len(items) <= index < len(items):
        return None
    passed = items[: index + 1] if index >= 0 else items[index:]
    return None if any(map(is_starred, passed)) else items[index]


def last_name(expr: Expr) -> str | None:
    """The last identifier of a name or attribute: ``c`` of ``a.b.c``."""
    if isinstance(expr, Attribute):
        return expr.attr
    if isinstance(expr, Name):
        return expr.id
    return None


def argument(call: Call, keyword: str, position: int | None = None) -> Expr | None:
    """The argument given as `keyword`, or at the 0-based `position`; None when absent or behind ``*``."""
    for item in call.keywords:
        if item.name == keyword:
            return item.value
    if position is None or position >= len(call.args):
        return None
    return item_at(call.args, position)
