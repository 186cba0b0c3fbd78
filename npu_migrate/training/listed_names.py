"""Code that lists the names of a function or file: ``locals()``, ``vars(module)``, ``exec``.

What it makes of them is its own affair, so a fix that adds one more is not safe.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Constant,
    FileFacts,
    Name,
    Operation,
    Subscript,
    last_name,
)
from npu_migrate.index.names import code_scope, lookup
from npu_migrate.intents import (
    AddImport,
    BindExpression,
    EncloseStatement,
    HoistExpression,
    InsertStatement,
    Intent,
    ReplaceStatement,
)
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.resolution import Module, symbols
from npu_migrate.semantics.uses import uses

_LISTING_LOCALS = ("locals", "vars", "dir")
_LISTING_GLOBALS = "globals"
_LISTING_MODULES = ("vars", "dir", "getmembers")
_EXECUTING = ("exec", "eval", "execfile")
_ALL_LISTING = frozenset({*_LISTING_LOCALS, _LISTING_GLOBALS, *_EXECUTING})
_BY_ONE_NAME = frozenset({"get", "update", "setdefault", "pop", "__getitem__", "__setitem__"})
"""Methods of a dictionary of names that look at no others than those they are given."""
_FORMATTING = ("format", "format_map")


def listing_of_added_names(project: Project, intents: Iterable[Intent]) -> Ref | None:
    """A call that sees a name that the intents add to a function or file; None if nothing sees one."""
    added = dict.fromkeys(pair for one in intents for pair in _added(project, one))
    return next((one for key, scope in added for one in listings(project, key, scope)), None)


def _added(project: Project, intent: Intent) -> Iterator[tuple[str, int]]:
    """The files and scopes to which an intent adds a name."""
    if isinstance(intent, AddImport):
        yield intent.path, 0
    elif isinstance(intent, (InsertStatement, ReplaceStatement)):
        yield from _new_in(project, intent.place, _bound_by(intent.code))
    elif isinstance(intent, (BindExpression, HoistExpression)):
        yield from _new_in(project, intent.place, frozenset({intent.name}))
    elif isinstance(intent, EncloseStatement):
        yield from _new_in(project, intent.place, _bound_by(f"{intent.header}\n    pass"))


def _new_in(project: Project, place: Place, names: frozenset[str]) -> Iterator[tuple[str, int]]:
    facts = project.facts(place.path)
    if facts is None:
        return
    scope = _scope_at(facts, place)
    found = {name: lookup(facts, scope, name) for name in names}
    if any(one is None or one.scope != scope for one in found.values()):
        yield place.path, scope


def _scope_at(facts: FileFacts, place: Place) -> int:
    """The function, or file, whose code stands at a place."""
    row, column, last_row, last_column = place.span
    around = [
        one
        for one in facts.statements
        if one.span[:2] <= (row, column) and (last_row, last_column) <= one.span[2:]
    ]
    return code_scope(facts, around[-1].scope) if around else 0


def _bound_by(code: str) -> frozenset[str]:
    """The variables that a statement binds."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return frozenset()
    return frozenset(
        one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    )


@once
def listings(project: Project, key: str, scope: int) -> tuple[Ref, ...]:
    """The calls that see all variables of a function or a file, and do not ask for one by its name."""
    facts = project.facts(key)
    assert facts is not None
    found = (
        ref_of_call(key, site)
        for site in facts.calls
        if isinstance(site.call.func, Name) and site.call.func.id in _ALL_LISTING
    )
    listing = [one for one in found if _sees_variables(project, one, scope)]
    if scope == 0:
        listing.extend(_listings_of_module(project, key))
    return tuple(one for one in listing if not _asks_for_one(project, one))


def _listings_of_module(project: Project, key: str) -> Iterator[Ref]:
    """Where a file that imports a module lists its variables: ``vars(data)``, ``data.__dict__``."""
    for home in project.importers(key):
        facts = project.facts(home)
        for site in facts.calls if facts is not None else ():
            given = (
                site.call.args[0]
                if last_name(site.call.func) in _LISTING_MODULES and site.call.args
                else None
            )
            if given is not None and Module(key) in symbols(project, home, site.scope, given):
                yield ref_of_call(home, site)
        for one in project.attributes(home, "__dict__"):
            read = one.expr
            if isinstance(read, Attribute) and Module(key) in symbols(project, home, one.scope, read.value):
                yield project.ref_of(home, one)


def _sees_variables(project: Project, ref: Ref, seen: int) -> bool:
    facts, call = project.facts(ref.key), ref.expr
    assert facts is not None and isinstance(call, Call)
    name = last_name(call.func)
    is_here = code_scope(facts, ref.scope) == seen
    if name in _LISTING_LOCALS:
        return is_here and not call.args and not call.keywords
    if name in _EXECUTING and call.args:
        return is_here and len(call.args) == 1 and not call.keywords and _may_list(project, ref)
    return seen == 0 and name == _LISTING_GLOBALS


def _may_list(project: Project, ref: Ref) -> bool:
    """Whether a text that is executed may list variables; one that is not known may."""
    assert isinstance(ref.expr, Call)
    text = ref._replace(expr=ref.expr.args[0])
    known = [one.expr for one in origins(project, text)]
    listing = tuple(f"{one}(" for one in (*_LISTING_LOCALS, _LISTING_GLOBALS))
    return not known or not all(
        isinstance(one, Constant)
        and isinstance(one.value, str)
        and not any(map(one.value.__contains__, listing))
        for one in known
    )


def _asks_for_one(project: Project, ref: Ref) -> bool:
    """Whether a dictionary of variables is read, or written, by names only, also to fill in a text."""
    found = uses(project, ref)
    return bool(found) and all(_is_by_name(one.kind, one.ref, one.name) for one in found)


def _is_by_name(kind: str, ref: Ref, name: str) -> bool:
    if kind == "attribute":
        return name in _BY_ONE_NAME
    if kind == "argument":
        func = ref.expr.func if isinstance(ref.expr, Call) else None
        return (name == "**" and last_name(func) in _FORMATTING) if func is not None else False
    expr = ref.expr
    if isinstance(expr, Operation):
        in_text = expr.operator == "Mod" or expr.operator in ("In", "NotIn")
        return kind == "contained" and in_text
    return kind == "contained" and isinstance(expr, Subscript)
