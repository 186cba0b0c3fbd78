"""Where values go: followed through names, attributes, parameters and returns, across files.

The counterpart of `npu_migrate.semantics.flow.origins`. What cannot be followed is a `Use` that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Conditional,
    Expr,
    FileFacts,
    Lambda,
    Name,
    Operation,
    Other,
    item_at,
)
from npu_migrate.index.names import enclosing_function, lookup
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.parameters import called_on_instance, is_bound_method
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import call_sites, call_targets, owner_classes
from npu_migrate.semantics.inheritance import family
from npu_migrate.semantics.resolution import Definition, Module, scope_of, symbols
from npu_migrate.semantics.statements import names_of_scope

_LONGEST_WALK = 4000
_LOOKING = frozenset(
    {"bool", "callable", "hasattr", "hash", "id", "isinstance", "len", "print", "repr", "str", "type"}
)
"""Functions of Python's that do nothing with what they get but look at it."""


class Use(NamedTuple):
    """What becomes of a value at one place.

    `kind`: ``attribute`` (`ref` is the attribute expression), ``call`` (it is called; `ref` is the call),
    ``argument`` (`ref` is the call that gets it, `name` the keyword or the 0-based position as text),
    ``returned`` (from a function without visible callers), ``contained`` (in a collection, subscript or
    operation; `ref` is the expression around it), ``stored`` (where it cannot be followed), ``unpacked``,
    ``iterated``, ``tested``.
    """

    kind: str
    ref: Ref
    name: str = ""


def is_looked_at(use: Use) -> bool:
    """Whether a function of Python's gets a value that only looks at it, such as ``print``."""
    call = use.ref.expr
    if use.kind != "argument" or not isinstance(call, Call):
        return False
    return isinstance(call.func, Name) and call.func.id in _LOOKING


def uses(project: Project, ref: Ref) -> tuple[Use, ...]:
    """Everything that becomes of the value of `ref`, followed through names, attributes and functions."""
    seen: set[tuple[int, tuple[int, ...]]] = set()
    found: list[Use] = []
    stack = [ref]
    while stack:
        current = stack.pop()
        mark = (id(current.expr), current.path)
        if mark in seen:
            continue
        seen.add(mark)
        if len(seen) > _LONGEST_WALK:
            found.append(Use("stored", current))
            continue
        for step in _steps_forward(project, current):
            if isinstance(step, Use):
                found.append(step)
            else:
                stack.append(step)
    return tuple(found)


def _steps_forward(project: Project, ref: Ref) -> Iterator[Use | Ref]:
    site = project.site(ref)
    if site is None:
        yield Use("stored", ref)
        return
    parent = site.parent
    if parent is None:
        yield from _statement_steps(project, ref)
        return
    around = project.parent_ref(ref)
    assert around is not None
    if isinstance(parent, Attribute):
        yield Use("attribute", around, parent.attr)
    elif isinstance(parent, Call):
        yield from _call_steps(project, ref, around, parent)
    elif (isinstance(parent, Conditional) and ref.expr is not parent.test) or (
        isinstance(parent, Operation) and parent.operator in ("Or", "And")
    ):
        yield around._replace(path=ref.path)
    elif isinstance(parent, Operation) and parent.operator in ("Is", "IsNot", "Not", "Eq", "NotEq"):
        yield Use("tested", around)
    elif isinstance(parent, Collection) and parent.kind == "Tuple":
        index = _index_in(parent, ref.expr)
        if index is None:
            yield Use("contained", around)
        else:
            yield around._replace(path=(index, *ref.path))
    elif isinstance(parent, Lambda) and ref.expr is parent.body:
        yield from _returned_steps(project, Definition(ref.key, parent.scope), ref)
    elif isinstance(parent, Other) and parent.kind == "NamedExpr":
        yield around._replace(path=ref.path)
        yield from _target_steps(project, around, parent.parts[0], ref.path)
    elif isinstance(parent, Comprehension):
        kind = "iterated" if ref.expr in parent.sources else "contained"
        yield Use(kind, around)
    else:
        yield Use("contained", around)


def _index_in(display: Collection, item: Expr) -> int | None:
    """Where an item stands in a tuple, from its end where a star is before it; None between two stars."""
    index = display.items.index(item)
    either = (index, index - len(display.items))
    return next((one for one in either if item_at(display.items, one) is not None), None)


def _call_steps(project: Project, ref: Ref, around: Ref, call: Call) -> Iterator[Use | Ref]:
    if call.func is ref.expr:
        yield Use("call", around)
        return
    name = argument_name(call, ref.expr)
    targets = call_targets(project, around)
    followed = False
    for target in targets:
        parameter = parameter_name(project, around, target, name)
        if parameter is not None:
            followed = True
            yield from _name_loads(project, target.key, target.scope, parameter, ref.path)
    if not followed:
        yield Use("argument", around, name)


def argument_name(call: Call, value: Expr) -> str:
    """The keyword that `value` is given as, or its 0-based position as text."""
    for keyword in call.keywords:
        if keyword.value is value:
            return keyword.name or "**"
    for index, item in enumerate(call.args):
        if item is value:
            return str(index)
    return "*"


def parameter_name(project: Project, site: Ref, target: Definition, name: str) -> str | None:
    """The parameter of `target` that the argument `name` (see `argument_name`) of the call fills."""
    scope = scope_of(project, target)
    if not name.isdigit():
        return name if any(p.name == name for p in scope.parameters) else None
    plain = [p.name for p in scope.parameters if p.kind == "positional"]
    offset = 1 if is_bound_method(project, target) and called_on_instance(project, site, scope) else 0
    position = int(name) + offset
    return plain[position] if position < len(plain) else None


def _statement_steps(project: Project, ref: Ref) -> Iterator[Use | Ref]:
    facts = project.facts(ref.key)
    assert facts is not None
    statement = facts.statements[ref.statement]
    if statement.kind in ("Assign", "AnnAssign"):
        for target in statement.targets:
            if target is not None:
                yield from _target_steps(project, ref, target, ref.path)
    elif statement.kind in ("With", "AsyncWith"):
        for target, value in zip(statement.targets, statement.values, strict=True):
            if value is ref.expr and target is not None:
                yield from _target_steps(project, ref, target, ref.path)
    elif statement.kind == "Return":
        yield from _returned_steps(project, Definition(ref.key, enclosing_function(facts, ref.scope)), ref)
    elif statement.kind in ("For", "AsyncFor"):
        yield Use("iterated", ref)
    elif statement.kind in ("If", "While", "Assert"):
        yield Use("tested", ref)
    elif statement.kind != "Expr":
        yield Use("stored", ref)


def _returned_steps(project: Project, target: Definition, ref: Ref) -> Iterator[Use | Ref]:
    sites = call_sites(project, target)
    if not sites:
        yield Use("returned", ref)
    for site in sites:
        yield site._replace(path=ref.path)


def _target_steps(project: Project, ref: Ref, target: Expr, path: tuple[int, ...]) -> Iterator[Use | Ref]:
    facts = project.facts(ref.key)
    assert facts is not None
    if isinstance(target, Name):
        found = lookup(facts, ref.scope, target.id)
        if found is not None:
            yield from _name_loads(project, ref.key, found.scope, target.id, path)
    elif isinstance(target, Collection):
        item = item_at(target.items, path[0]) if path else None
        if item is not None:
            yield from _target_steps(project, ref, item, path[1:])
        else:
            yield Use("unpacked", ref)
    elif isinstance(target, Attribute):
        owners = owner_classes(project, ref, target)
        if owners:
            yield from _attribute_loads(project, owners, target.attr, path)
        else:
            yield Use("stored", ref)
    else:
        yield Use("stored", ref)


def _name_loads(
    project: Project, key: str, scope: int, name: str, path: tuple[int, ...]
) -> Iterator[Use | Ref]:
    """Reads of a variable, also under the names by which other modules import it.

    Modules may import it from each other in a circle: each name is looked at once.
    """
    variables = EachOnce([(key, scope, name)])
    for home, owner, word in variables:
        for site in names_of_scope(project, home, word, owner):
            if not site.stored:
                yield Ref(home, site.scope, site.statement, site.expr, path)
        if owner == 0:
            yield from _loads_through_module(project, home, word, path)
            variables.add(*_imported_as(project, home, word))


def _imported_as(project: Project, key: str, name: str) -> Iterator[tuple[str, int, str]]:
    """The files, scopes and names into which a module-level variable is imported."""
    for facts in _importers_with(project, key, name):
        for scope, local, binding in facts.bindings():
            target = binding.target
            if (
                target is not None
                and target.name == name
                and project.resolve_module(facts.key, target.module, target.level) == key
            ):
                yield facts.key, scope.id, local


def _loads_through_module(project: Project, key: str, name: str, path: tuple[int, ...]) -> Iterator[Ref]:
    """Reads of a module-level variable as an attribute of its module."""
    for facts in _importers_with(project, key, name):
        for site in project.attributes(facts.key, name):
            expr = site.expr
            if (
                isinstance(expr, Attribute)
                and not site.stored
                and Module(key) in symbols(project, facts.key, site.scope, expr.value)
            ):
                yield Ref(facts.key, site.scope, site.statement, expr, path)


def _importers_with(project: Project, key: str, name: str) -> Iterator[FileFacts]:
    """The modules that import the file `key` and mention `name`."""
    for importer in project.importers(key):
        facts = project.facts(importer)
        if facts is not None and name in facts.words:
            yield facts


def _attribute_loads(
    project: Project, owners: Iterable[Definition], attr: str, path: tuple[int, ...]
) -> Iterator[Use | Ref]:
    """Reads of ``self.<attr>`` in the classes' methods, and of ``<attr>`` on their instances elsewhere."""
    members = {item for owner in owners for item in family(project, owner)}
    for key in project.files_mentioning(attr):
        for site in project.attributes(key, attr):
            expr = site.expr
            assert isinstance(expr, Attribute)
            if site.stored:
                continue
            ref = Ref(key, site.scope, site.statement, expr, path)
            if members.intersection(owner_classes(project, ref, expr)):
                yield ref
