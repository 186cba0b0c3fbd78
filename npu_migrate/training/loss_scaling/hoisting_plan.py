"""Moving a construction out of the blocks whose control dependencies it must not be under.

It is moved only where that changes nothing else: what it reads is there before the blocks, nothing in them
reads or changes what it writes, and no other context manager or branch lies between.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Conditional,
    Constant,
    Expr,
    FileFacts,
    Name,
    Operation,
    Other,
    Statement,
    Subscript,
    children,
    is_starred,
    walk,
)
from npu_migrate.index.names import ancestors, lookup
from npu_migrate.intents import HoistExpression, HoistStatement, Intent
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import External, Module, symbols
from npu_migrate.training.loss_scaling.control_dependencies import (
    Effect,
    called_under_influence,
    effect_of,
    in_force,
)
from npu_migrate.training.loss_scaling.side_effects import Chain, chain_of, may_change

_PURE_BUILTINS = frozenset({"int", "float", "bool", "str", "max", "min", "abs", "round", "pow", "len"})
_WHOLE = ("Assign", "AnnAssign", "Expr")
_SIMPLE = (*_WHOLE, "AugAssign", "Return")
_LEAVING = frozenset({"Return", "Raise", "Break", "Continue"})


@dataclass(frozen=True, slots=True)
class Stretch:
    """The code that is overtaken: from the ``with`` `first` up to the moved statement `last`, excluded."""

    facts: FileFacts
    first: int
    last: int

    def __contains__(self, statement: object) -> bool:
        return isinstance(statement, int) and self.first <= statement < self.last

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements, in order; the first is the ``with`` itself."""
        return self.facts.statements[self.first : self.last]


def is_inline(project: Project, ref: Ref) -> bool:
    """Whether the construction is only a part of its statement, so that it needs a name to move."""
    statement = project.statement(ref)
    return statement.kind not in _WHOLE or statement.values[0] is not ref.expr


def plan_hoist(project: Project, ref: Ref, fresh: str) -> tuple[Intent, ...]:
    """What moves the construction `ref` above the blocks that put it under control dependencies.

    `fresh` is its name if it has none. Empty where it cannot be moved or where that would not be enough.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    statement = project.statement(ref)
    active, _ = in_force(project, ref)
    if not active or not all(context.alone for context in active):
        return ()
    outer = facts.statements[active[0].statement]
    if not _only_control_dependencies(project, facts, statement, outer) or _is_reached(project, outer, ref):
        return ()
    stretch = Stretch(facts, outer.id, statement.id)
    inline = is_inline(project, ref)
    if not _may_be_evaluated_earlier(project, ref, stretch):
        return ()
    above = Place(ref.key, outer.span)
    if inline:
        return (HoistExpression(ref.place, fresh, above),) if always_evaluated(project, ref) else ()
    if not has_lines_of_its_own(facts, statement) or not _may_be_stored_earlier(project, ref, stretch):
        return ()
    return (HoistStatement(Place(ref.key, statement.span), above),)


# -- what lies between ---------------------------------------------------------------------------------


def _only_control_dependencies(
    project: Project, facts: FileFacts, statement: Statement, outer: Statement
) -> bool:
    """Whether from `outer` to `statement` there are only ``with`` blocks that open nothing else."""
    for number in ancestors(facts, statement.id):
        around = facts.statements[number]
        items = [Ref(facts.key, around.scope, number, item) for item in around.values]
        found = [effect_of(project, item) for item in items]
        if around.kind != "With" or not all(one.alone and one.effect is Effect.ADDS for one in found):
            return False
        if number == outer.id:
            return True
    return False


def _is_reached(project: Project, outer: Statement, ref: Ref) -> bool:
    """Whether control dependencies of a caller are in force above `outer` as well."""
    place = Ref(ref.key, outer.scope, outer.id, outer.values[0])
    active, cleared = in_force(project, place)
    return bool(active) or (not cleared and called_under_influence(project, place))


def has_lines_of_its_own(facts: FileFacts, statement: Statement) -> bool:
    """Whether no other statement stands on the lines of this one."""
    around = set(ancestors(facts, statement.id))
    first, last = statement.span[0], statement.span[2]
    for other in facts.statements:
        if other.id in around:
            header = (*other.values, *(target for target in other.targets if target is not None))
            if any(part.span[2] >= first for part in header):
                return False
        elif other.id != statement.id and other.span[0] <= last and other.span[2] >= first:
            return False
    return True


# -- what it reads -------------------------------------------------------------------------------------


def _may_be_evaluated_earlier(project: Project, ref: Ref, stretch: Stretch) -> bool:
    call = ref.expr
    statement = project.statement(ref)
    if not isinstance(call, Call) or ref.scope != statement.scope or statement.kind not in _SIMPLE:
        return False
    parts = (*call.args, *(keyword.value for keyword in call.keywords))
    if not _is_chain(call.func) or not all(is_pure(project, ref, part) for part in parts):
        return False
    if any(one.kind in _LEAVING and one.scope == statement.scope for one in stretch.statements):
        return False
    names = [part for part in walk(call) if isinstance(part, Name)]
    if any(_is_bound_in(ref, name.id, stretch) for name in names):
        return False
    roots = {name.id: name for name in names}
    return not any(
        _is_touched(project, ref, roots[chain[0]], chain, stretch)
        or _is_changed_by_callees(project, ref, chain, stretch)
        for chain in _chains(call)
    )


def _is_changed_by_callees(project: Project, ref: Ref, chain: Chain, stretch: Stretch) -> bool:
    """Whether functions of the project that the overtaken code calls may change what a chain leads to."""
    return any(
        may_change(project, Ref(ref.key, statement.scope, statement.id, value), chain)
        for statement in stretch.statements
        for value in statement.values
    )


def _is_chain(expr: Expr) -> bool:
    while isinstance(expr, Attribute):
        expr = expr.value
    return isinstance(expr, Name)


def is_pure(project: Project, ref: Ref, expr: Expr) -> bool:
    """Whether evaluating an argument early makes no difference as long as its variables are the same."""
    if isinstance(expr, (Constant, Name)):
        return True
    if isinstance(expr, Attribute):
        return is_pure(project, ref, expr.value)
    parts: tuple[Expr, ...]
    if isinstance(expr, (Operation, Conditional, Subscript, Collection)):
        parts = tuple(part for part in walk(expr) if part is not expr)
    elif isinstance(expr, Call) and _is_pure_call(project, ref, expr):
        parts = (*expr.args, *(keyword.value for keyword in expr.keywords))
    elif is_starred(expr):
        parts = expr.parts
    else:
        return False
    return all(is_pure(project, ref, part) for part in parts)


def _is_pure_call(project: Project, ref: Ref, call: Call) -> bool:
    func = call.func
    facts = project.facts(ref.key)
    assert facts is not None
    if isinstance(func, Name):
        return (
            func.id in _PURE_BUILTINS and hasattr(builtins, func.id) and not lookup(facts, ref.scope, func.id)
        )
    if External("os.getenv") in symbols(project, ref.key, ref.scope, func):
        return True
    return isinstance(func, Attribute) and func.attr == "get" and is_pure(project, ref, func.value)


def _is_bound_in(ref: Ref, name: str, stretch: Stretch) -> bool:
    found = lookup(stretch.facts, ref.scope, name)
    return found is not None and any(
        binding.statement in stretch and binding.kind != "param" for binding in found.bindings
    )


def _chains(expr: Expr) -> Iterator[Chain]:
    """The longest chains in an expression."""
    found = chain_of(expr)
    if found is not None:
        yield found
    elif not isinstance(expr, Name):
        for part in children(expr):
            yield from _chains(part)


def _is_touched(project: Project, ref: Ref, root: Name, chain: Chain, stretch: Stretch) -> bool:
    """Whether the overtaken code may change (or, for a target, read) what a chain from `root` leads to.

    That is: it stores to it, or passes an object on the way there to a call. What is imported counts as
    unchanging.
    """
    found = symbols(project, ref.key, ref.scope, root)
    if len(chain) == 1 or (found and all(isinstance(symbol, (External, Module)) for symbol in found)):
        return False
    for statement in stretch.statements:
        stored = (other for target in statement.targets if target is not None for other in _chains(target))
        if any(other[: len(chain)] == chain[: len(other)] for other in stored if len(other) > 1):
            return True
        for value in statement.values:
            for part in walk(value):
                if isinstance(part, Call) and any(
                    len(other) < len(chain) and other == chain[: len(other)] for other in _passed(part)
                ):
                    return True
    return False


def _passed(call: Call) -> Iterator[Chain]:
    """What a call gets to see: the object whose method it is, and its arguments."""
    if isinstance(call.func, Attribute):
        yield from _chains(call.func.value)
    for value in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from _chains(value)


def always_evaluated(project: Project, ref: Ref) -> bool:
    """Whether the statement evaluates the expression each time it runs, and not as part of a text."""
    inner, outer = ref, project.parent_ref(ref)
    while outer is not None:
        expr = outer.expr
        if isinstance(expr, Conditional) and inner.expr is not expr.test:
            return False
        if (
            isinstance(expr, Operation)
            and (expr.operator in ("And", "Or"))
            and inner.expr is not expr.operands[0]
        ):
            return False
        if isinstance(expr, Other) and expr.kind.startswith(("JoinedStr", "FormattedValue")):
            return False
        inner, outer = outer, project.parent_ref(outer)
    return True


# -- what it writes ------------------------------------------------------------------------------------


def _may_be_stored_earlier(project: Project, ref: Ref, stretch: Stretch) -> bool:
    return all(
        target is not None and _may_store(project, ref, target, stretch)
        for target in project.statement(ref).targets
    )


def _may_store(project: Project, ref: Ref, target: Expr, stretch: Stretch) -> bool:
    if isinstance(target, Name):
        mentioned = any(site.statement in stretch for site in project.names(ref.key, target.id))
        return not mentioned and not _is_bound_in(ref, target.id, stretch)
    if isinstance(target, Attribute) and isinstance(target.value, Name):
        owner = target.value
        mentioned = any(site.statement in stretch for site in project.attributes(ref.key, target.attr))
        touched = _is_touched(project, ref, owner, (owner.id, target.attr), stretch)
        return not (mentioned or touched or _is_bound_in(ref, owner.id, stretch))
    return False
