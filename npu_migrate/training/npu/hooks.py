"""What a list of hooks holds: displays, appends, concatenations, and ``npu_hooks_append``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Constant,
    FileFacts,
    Name,
    Operation,
    is_starred,
)
from npu_migrate.index.names import lookup
from npu_migrate.knowledge import acceleration as known_of
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import binding_sources, externals_called, sources_of
from npu_migrate.semantics.resolution import (
    Definition,
    External,
    all_bases,
    external_names,
    scope_of,
    symbols,
)
from npu_migrate.semantics.uses import Use, uses

_COPIES = frozenset({"list", "tuple", "sorted", "reversed"})
_HARMLESS_METHODS = frozenset({"copy", "index", "count", "remove", "pop", "sort", "reverse", "clear"})
_HARMLESS_FUNCTIONS = frozenset({"dict", "len", "print", "enumerate", "bool", "any", "all", "isinstance"})
_HARMLESS_RECEIVERS = frozenset({"train", "evaluate", "predict", "extend", "append", "info", "format"})
_LIBRARIES = ("tensorflow.", "npu_bridge.", "horovod.", "logging.", "absl.")
_LONGEST_WALK = 500


class HookList(NamedTuple):
    """The hooks in a list.

    `hooks` are the expressions that are hooks, each followed to where it is made. `discarded` are those in
    tuples that ``npu_hooks_append`` throws away. `complete` is False where there may be others.
    """

    hooks: tuple[Ref, ...]
    discarded: tuple[Ref, ...]
    complete: bool


def hooks_in(project: Project, values: tuple[Ref, ...]) -> HookList:
    """The hooks that a list, which is one of the expressions `values`, may hold."""
    return _Reading(project).read(values)


def tells_progress(project: Project, ref: Ref) -> bool:
    """Whether `ref` is a call that makes a ``TellMeStepOrLossHook``, or a subclass of it."""
    return isinstance(ref.expr, Call) and not ref.path and known_of.HOOK in _made(project, ref)


def _made(project: Project, ref: Ref) -> frozenset[str]:
    """The names, outside the project, of the classes that a call makes an instance of."""
    found: set[str] = set()
    for symbol in symbols(project, ref.key, ref.scope, cast(Call, ref.expr).func):
        bases = all_bases(project, symbol) if isinstance(symbol, Definition) else (symbol,)
        found.update(base.name for base in bases if isinstance(base, External))
        if isinstance(symbol, Definition) and scope_of(project, symbol).kind == "class":
            found.add("object")
    return frozenset(found)


class _Reading:
    """One walk back through everything that a list of hooks is made of."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.hooks: dict[int, Ref] = {}
        self.discarded: dict[int, Ref] = {}
        self.complete = True
        self._seen: set[tuple[int, tuple[int, ...]]] = set()

    def read(self, values: tuple[Ref, ...]) -> HookList:
        for value in values:
            self._list(value)
        return HookList(tuple(self.hooks.values()), tuple(self.discarded.values()), self.complete)

    # -- lists -----------------------------------------------------------------------------------------

    def _list(self, start: Ref) -> None:
        for ref in self._origins(start):
            if not self._is_list(ref):
                self.complete = False

    def _origins(self, start: Ref) -> Iterator[Ref]:
        """The expressions that make a list, names followed through ``+=`` too."""
        stack = [start]
        while stack:
            ref = stack.pop()
            mark = (id(ref.expr), ref.path)
            if mark in self._seen:
                continue
            self._seen.add(mark)
            if len(self._seen) > _LONGEST_WALK:
                self.complete = False
                return
            steps = self._augmented(ref) or sources_of(self.project, ref)
            if steps is None:
                yield ref
            else:
                stack.extend(steps)

    def _augmented(self, ref: Ref) -> list[Ref] | None:
        """The values of a name that is also changed by ``+=``; None for other expressions."""
        if not isinstance(ref.expr, Name) or ref.path:
            return None
        facts = cast(FileFacts, self.project.facts(ref.key))
        found = lookup(facts, ref.scope, ref.expr.id)
        if found is None or all(binding.kind != "augment" for binding in found.bindings):
            return None
        result: list[Ref] = []
        for binding in found.bindings:
            if binding.kind == "augment" and binding.value is not None:
                statement = facts.statements[binding.statement]
                result.append(Ref(ref.key, statement.scope, statement.id, binding.value))
                continue
            steps = binding_sources(self.project, facts, found.scope, ref.expr.id, binding, ())
            if steps is None:
                return None
            result.extend(steps)
        return result

    def _is_list(self, ref: Ref) -> bool:
        """Reads what makes a list; False if that is not understood."""
        expr = ref.expr
        if isinstance(expr, Constant):
            return expr.value is None
        if ref.path:
            return False
        if isinstance(expr, Collection) and expr.kind != "Set":
            for item in expr.items:
                self._item(ref._replace(expr=item))
            return expr.kind == "Tuple" or self._changes(ref)
        if isinstance(expr, Comprehension):
            for item in expr.elements:
                site = self.project.site(ref._replace(expr=item))
                self._hook(ref._replace(expr=item, scope=site.scope if site is not None else ref.scope))
            return expr.kind in ("ListComp", "GeneratorExp")
        if isinstance(expr, Operation) and expr.operator == "Add":
            for operand in expr.operands:
                self._list(ref._replace(expr=operand))
            return True
        return isinstance(expr, Call) and self._call(ref, expr)

    def _item(self, ref: Ref) -> None:
        if is_starred(ref.expr):
            self._list(ref._replace(expr=ref.expr.parts[0]))
        else:
            self._hook(ref)

    def _call(self, ref: Ref, call: Call) -> bool:
        found = symbols(self.project, ref.key, ref.scope, call.func)
        if isinstance(call.func, Name) and not found and call.func.id in _COPIES and len(call.args) <= 1:
            for argument in call.args:
                self._list(ref._replace(expr=argument))
            return self._changes(ref)
        if isinstance(call.func, Attribute) and call.func.attr == "copy" and not found and not call.args:
            self._list(ref._replace(expr=call.func.value))
            return self._changes(ref)
        if known_of.HOOKS_APPEND in external_names(self.project, ref.key, ref.scope, call.func):
            return self._append_for_npu(ref)
        return False

    def _append_for_npu(self, ref: Ref) -> bool:
        """``npu_hooks_append`` returns the list it gets, one hook longer; anything else it throws away."""
        passed = passed_objects(self.project, ref, "hooks_list", 0)
        for value in passed.values:
            inner = _Reading(self.project)
            for origin in list(inner._origins(value)):
                is_tuple = isinstance(origin.expr, Collection) and origin.expr.kind == "Tuple"
                if is_tuple or _is_call_of(self.project, origin, "tuple"):
                    self.discarded |= hooks_by_id(hooks_in(self.project, (origin,)))
                else:
                    self._list(origin)
        return passed.certain and self._changes(ref)

    # -- changes ---------------------------------------------------------------------------------------

    def _changes(self, ref: Ref) -> bool:
        """Reads what is put into a list after it was made; False if something unknown may be."""
        understood = [self._change(use) for use in uses(self.project, ref)]
        return all(understood)

    def _change(self, use: Use) -> bool:
        if use.kind == "attribute":
            return self._method(use.ref, use.name)
        if use.kind == "argument":
            return self._is_harmless(use)
        if use.kind == "stored":
            return self.project.statement(use.ref).kind == "AugAssign"
        return use.kind in ("contained", "tested", "iterated", "unpacked")

    def _method(self, attribute: Ref, name: str) -> bool:
        around = self.project.parent_ref(attribute)
        if around is None or not isinstance(around.expr, Call) or around.expr.func is not attribute.expr:
            return False
        given = [around._replace(expr=item) for item in around.expr.args]
        if name == "extend":
            for value in given:
                self._list(value)
            return True
        if name in ("append", "insert"):
            for value in given[-1:]:
                self._hook(value)
            return True
        return name in _HARMLESS_METHODS

    def _is_harmless(self, use: Use) -> bool:
        """Whether a call that gets the list leaves it as it is, or puts nothing of ours into it."""
        outside = externals_called(self.project, use.ref)
        if outside:
            return all(name.startswith(_LIBRARIES) for name in outside)
        func = cast(Call, use.ref.expr).func
        if isinstance(func, Name):
            return func.id in _COPIES | _HARMLESS_FUNCTIONS
        return isinstance(func, Attribute) and func.attr in _HARMLESS_RECEIVERS

    # -- hooks -----------------------------------------------------------------------------------------

    def _hook(self, start: Ref) -> None:
        for ref in self._origins(start):
            if isinstance(ref.expr, Constant) and ref.expr.value is None:
                continue
            if isinstance(ref.expr, Call) and not ref.path and _made(self.project, ref):
                self.hooks[id(ref.expr)] = ref
            else:
                self.complete = False


def hooks_by_id(found: HookList) -> dict[int, Ref]:
    """The hooks of a list by the identity of their expressions."""
    return {id(ref.expr): ref for ref in found.hooks}


def _is_call_of(project: Project, ref: Ref, builtin: str) -> bool:
    func = ref.expr.func if isinstance(ref.expr, Call) else None
    if not isinstance(func, Name) or func.id != builtin:
        return False
    return not symbols(project, ref.key, ref.scope, func)
