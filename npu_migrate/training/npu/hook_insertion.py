"""How to give a training call one more hook, whatever its ``hooks`` look like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from npu_migrate.index.facts import (
    Call,
    Collection,
    Comprehension,
    Constant,
    FileFacts,
    Name,
    Operation,
    is_starred,
)
from npu_migrate.index.names import ancestors, code_scope, lookup, spelled
from npu_migrate.intents import (
    AddImport,
    InsertStatement,
    Intent,
    ReplaceExpression,
    Side,
    WrapExpression,
)
from npu_migrate.knowledge import acceleration as known_of
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import Passed
from npu_migrate.semantics.calls.signatures import added, starred_dictionary
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.repeatable import is_repeatable
from npu_migrate.semantics.resolution import External, Module, attribute_symbols, external_names
from npu_migrate.semantics.uses import uses
from npu_migrate.semantics.values.literals import code_of

_CLASS = "TellMeStepOrLossHook"
_LOOPS = frozenset({"For", "AsyncFor", "While"})
_SIMPLE = frozenset({"Expr", "Assign", "AnnAssign", "Return", "With"})
_LIST_METHODS = frozenset({"append", "extend", "insert"})
_KEYWORD = "hooks"

Obstacle = Literal["name", "hidden"]


class Spelling(NamedTuple):
    """How a file can name the hook's class, and the import it needs for that (None: it has one)."""

    name: str
    code: str | None


def insertion(project: Project, call: Ref, hooks: Passed, arguments: str) -> tuple[Intent, ...] | Obstacle:
    """What gives the call at `call`, which passes `hooks`, a ``TellMeStepOrLossHook(arguments)`` in addition.

    Or why there is nothing: ``name`` (the class cannot be named there), ``hidden`` (what the call passes as
    hooks is not in sight).
    """
    spelling = hook_spelling(project, call)
    if spelling is None:
        return "name"
    intent = into_call(project, call, hooks, f"{spelling.name}({arguments})")
    if intent is None:
        return "hidden"
    return (intent,) if spelling.code is None else (intent, AddImport(call.key, spelling.code))


def hook_spelling(project: Project, place: Ref) -> Spelling | None:
    """How the class is spelled at `place`; None if its name means something else there."""
    facts = cast(FileFacts, project.facts(place.key))
    for name in facts.scopes[0].bindings:
        found = lookup(facts, place.scope, name)
        if found is None or found.scope != 0 or any(one.kind != "import" for one in found.bindings):
            continue
        meant = attribute_symbols(project, Module(place.key), name)
        if meant == (External(known_of.HOOK),):
            return Spelling(name, None)
        if meant == (External(known_of.HOOK_MODULE),):
            return Spelling(f"{name}.{_CLASS}", None)
    bound = lookup(facts, place.scope, _CLASS)
    if bound is None:
        return Spelling(_CLASS, f"from {_home(facts)} import {_CLASS}")
    read = Name(_CLASS, place.expr.span)
    imported = known_of.HOOK in external_names(project, place.key, place.scope, read)
    return Spelling(_CLASS, None) if imported and bound.scope != 0 else None


def _home(facts: FileFacts) -> str:
    """The module that defines the class, in the package that the file imports from."""
    stars = {star.module for scope in facts.scopes for star in scope.stars}
    if any(module.startswith("npu_device.compat.v1") for module in stars):
        return known_of.HOOK_MODULE.replace("npu_bridge", "npu_device.compat.v1", 1)
    return known_of.HOOK_MODULE


def into_call(project: Project, call: Ref, hooks: Passed, hook: str) -> Intent | None:
    """What gives a call one more hook, the code `hook`; None if what it passes as hooks is not in sight."""
    assert isinstance(call.expr, Call)
    if not hooks.certain or any(is_starred(item) for item in call.expr.args):
        return None
    if hooks.direct:
        return _into_value(project, call, hooks.values[0], hook)
    if not hooks.values:
        intents = added(call, [(_KEYWORD, f"[{hook}]")])
        return None if intents is None else intents[0]
    dictionary = starred_dictionary(call)
    name = None if dictionary is None else spelled(dictionary.expr)
    if dictionary is None or name is None or not is_repeatable(project, dictionary):
        return None
    kept = f'list({name}.get("{_KEYWORD}") or [])'
    return WrapExpression(dictionary.place, "dict(", f", {_KEYWORD}={kept} + [{hook}])")


def _into_value(project: Project, call: Ref, value: Ref, hook: str) -> Intent:
    expr = value.expr
    if isinstance(expr, Constant) or (isinstance(expr, Collection) and not expr.items):
        return ReplaceExpression(value.place, f"[{hook}]")
    if isinstance(expr, Collection):
        longer = _longer(project, value, expr, hook)
        if longer is not None:
            return ReplaceExpression(value.place, longer)
    if isinstance(expr, Name) and _is_own_list(project, call, expr):
        facts = cast(FileFacts, project.facts(call.key))
        statement = facts.statements[call.statement]
        place = call._replace(expr=Constant(None, statement.span)).place
        return InsertStatement(place, Side.BEFORE, f"{expr.id}.append({hook})")
    rest = ")" if _is_never_none(project, value) else " or [])"
    return WrapExpression(value.place, "list(", f"{rest} + [{hook}]")


def _longer(project: Project, value: Ref, display: Collection, hook: str) -> str | None:
    """The display with one more item, laid out like its last one; None if it holds a comment."""
    code = code_of(project, value)
    if "#" in code:
        return None
    source = project.tree.source(value.key)
    start = source.lines.offsets(value.expr.span)[0]
    first, end = (offset - start for offset in source.lines.offsets(display.items[-1].span))
    line = max(code.rfind("\n", 0, first), code.rfind("\r", 0, first)) + 1
    before = code[line:first]
    indentation = before[: len(before) - len(before.lstrip())]
    gap = f"{source.newline}{indentation}" if line and not before.strip(" \t(") else " "
    while code[end:-1].lstrip().startswith(")"):
        end = code.index(")", end) + 1
    return f"{code[:end]},{gap}{hook}{code[end:]}"


def _is_never_none(project: Project, value: Ref) -> bool:
    return all(
        isinstance(origin.expr, (Collection, Comprehension))
        or (isinstance(origin.expr, Operation) and origin.expr.operator == "Add")
        or _returns_list(project, origin)
        for origin in origins(project, value)
    )


def _returns_list(project: Project, ref: Ref) -> bool:
    func = ref.expr.func if isinstance(ref.expr, Call) else None
    if func is None:
        return False
    names = external_names(project, ref.key, ref.scope, func)
    return known_of.HOOKS_APPEND in names or (isinstance(func, Name) and func.id == "list" and not names)


# -- lists of one call ---------------------------------------------------------------------------------


def _is_own_list(project: Project, call: Ref, name: Name) -> bool:
    """Whether a name is a list that is built right here, for this call alone: one may append to it."""
    facts = cast(FileFacts, project.facts(call.key))
    statement = facts.statements[call.statement]
    found = lookup(facts, call.scope, name.id)
    if found is None or len(found.bindings) != 1 or call.scope != statement.scope:
        return False
    binding = found.bindings[0]
    built = binding.value
    if binding.kind != "assign" or binding.path or not isinstance(built, Collection) or built.kind != "List":
        return False
    home = facts.statements[binding.statement]
    if found.scope != code_scope(facts, call.scope) or statement.kind not in _SIMPLE:
        return False
    if list(_loops(facts, home.id)) != list(_loops(facts, statement.id)):
        return False
    made = Ref(call.key, home.scope, home.id, built)
    return all(
        (use.kind == "attribute" and use.name in _LIST_METHODS)
        or (use.kind == "argument" and use.ref.expr is call.expr)
        for use in uses(project, made)
    )


def _loops(facts: FileFacts, statement: int) -> Iterator[int]:
    return (number for number in ancestors(facts, statement) if facts.statements[number].kind in _LOOPS)
