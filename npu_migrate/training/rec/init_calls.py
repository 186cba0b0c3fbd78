"""Calls of Rec SDK's `init`, what they pass, and what else a program says about the same settings.

Sources: SEED-REC, REC-CODE:mx_rec/util/initialize.py, REC-DOC:optimizers_apis.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from npu_migrate.index.facts import Attribute, Call, Constant, Name, Subscript
from npu_migrate.index.names import lookup
from npu_migrate.knowledge import rec
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.signatures import keyword_name
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.values.evaluation import passed_keyword
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import Known, Value
from npu_migrate.training.npu.configs import calls_of


class Passed(NamedTuple):
    """An argument that a call of `init` passes.

    `given` is the expression of its value (None where ``**`` leads to no single one), `name` the place of
    the keyword's name (None where ``**`` passes it).
    """

    value: Value
    given: Ref | None
    name: Place | None


@once
def init_calls(project: Project) -> tuple[Ref, ...]:
    """All calls of Rec SDK's `init`, in order of file and place."""
    found = {
        id(ref.expr): ref
        for name in sorted(rec.INIT)
        for ref in calls_of(project, name)
        if not _may_be_rebound(project, ref)
    }
    return tuple(sorted(found.values(), key=lambda ref: (ref.key, ref.expr.span)))


def init_calls_of(project: Project, program: str) -> tuple[Ref, ...]:
    """The calls of `init` in the files of a program."""
    files = project.programs.by_entry[program].files
    return tuple(call for call in init_calls(project) if call.key in files)


def _may_be_rebound(project: Project, call: Ref) -> bool:
    """Whether the called name is bound twice in one block: then the second binding may be another `init`.

    Bindings in different blocks, as in ``try: from mx_rec… import init`` / ``except ImportError: def init``,
    are alternatives.
    """
    func = cast(Call, call.expr).func
    facts = project.facts(call.key)
    assert facts is not None
    found = lookup(facts, call.scope, func.id) if isinstance(func, Name) else None
    if found is None:
        return False
    statements = [facts.statements[binding.statement] for binding in found.bindings]
    return len({(item.parent, item.block) for item in statements}) < len(statements)


def passed(project: Project, call: Ref, name: str, program: str | None = None) -> Passed | None:
    """What a call of `init` passes as `name`; None if it certainly passes nothing."""
    for keyword in cast(Call, call.expr).keywords:
        if keyword.name == name:
            ref = call._replace(expr=keyword.value)
            return Passed(evidence(project, ref, program), ref, keyword_name(call.key, keyword))
    value = passed_keyword(project, call, name, program)
    if value is None:
        return None
    steps = value.only.steps if value.only is not None else ()
    return Passed(value, steps[0].ref if steps else None, None)


def is_set_later(project: Project, program: str, name: str) -> bool:
    """Whether code of a program changes an argument of `init` afterwards, through Rec SDK's own object."""
    files = project.programs.by_entry[program].files
    if name == "if_load" and any(
        call.key in files for setter in sorted(rec.SET_IF_LOAD) for call in calls_of(project, setter)
    ):
        return True
    return any(
        key in files
        and site.stored
        and isinstance(site.expr, Attribute)
        and _is_instance(project, Ref(key, site.scope, site.statement, site.expr.value))
        for key in project.files_mentioning(name)
        for site in project.attributes(key, name)
    )


def _is_instance(project: Project, ref: Ref) -> bool:
    return any(
        rec.GET_INSTANCE in externals_called(project, origin)
        for origin in origins(project, ref)
        if not origin.path
    )


# -- optimizers and tables -----------------------------------------------------------------------------


class Factory(NamedTuple):
    """A call of an optimizer factory without addresses; `module` is the last name of its module."""

    call: Ref
    module: str


def plain_factories(project: Project) -> tuple[Factory, ...]:
    """All calls of optimizer factories that do not work on addresses, in order of file and place."""
    found: dict[int, Factory] = {}
    for name in {rec.FACTORY, *aliases_of(project, {rec.FACTORY})}:
        for key, site in project.calls_named(name):
            for external in external_names(project, key, site.scope, site.call.func):
                module, _, last = external.rpartition(".")
                if external.startswith(f"{rec.PACKAGE}optimizers.") and last == rec.FACTORY:
                    ref = ref_of_call(key, site)
                    found[id(site.call)] = Factory(ref, module.rpartition(".")[2])
    found.update({id(one.call.expr): one for one in _looked_up(project) if id(one.call.expr) not in found})
    return tuple(sorted(found.values(), key=lambda item: (item.call.key, item.call.expr.span)))


def _looked_up(project: Project) -> Iterator[Factory]:
    """The calls of factories that stand in a table or are got by ``getattr``, or under one of their names.

    Of several that may be called each has to be one that does not work on addresses.
    """
    if not project.mentions(rec.FACTORY):
        return
    for facts in project.relevant():
        near = project.neighbours(facts.key) | {facts.key}
        if not any(project.contains(key, rec.FACTORY.encode()) for key in sorted(near)):
            continue
        for site in facts.calls:
            if isinstance(site.call.func, (Name, Subscript)):
                ref = ref_of_call(facts.key, site)
                found = [_module_of(project, end) for end in ends(project, traced(_function(ref)))]
                modules = {module for module in found if module is not None}
                if found and None not in found:
                    yield Factory(ref, modules.pop() if len(modules) == 1 else "")


def _function(call: Ref) -> Ref:
    assert isinstance(call.expr, Call)
    return call._replace(expr=call.expr.func)


def _module_of(project: Project, end: Traced) -> str | None:
    """The module of the factory that an expression is; None for anything else."""
    expr, last = end.ref.expr, ""
    if isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id == "getattr":
        item = expr.args[1] if len(expr.args) == 2 else None
        last = f".{item.value}" if isinstance(item, Constant) else ""
        expr = expr.args[0] if last else expr
    if end.keys or not isinstance(expr, (Name, Attribute)):
        return None
    for name in external_names(project, end.ref.key, end.ref.scope, expr):
        module, _, word = f"{name}{last}".rpartition(".")
        if module.startswith(f"{rec.PACKAGE}optimizers.") and word == rec.FACTORY:
            return module.rpartition(".")[2]
    return None


def mentions_address_factory(project: Project, program: str) -> bool:
    """Whether a file of the program imports or names a factory that works on addresses."""
    files = project.programs.by_entry[program].files
    return any(
        not names.isdisjoint(rec.ADDRESS_FACTORY_NAMES)
        for facts in project.relevant()
        if facts.key in files
        for names in (facts.words.keys(), _imported_names(project, facts.key))
    )


def _imported_names(project: Project, key: str) -> frozenset[str]:
    facts = project.facts(key)
    assert facts is not None
    return frozenset(
        binding.target.name
        for scope in facts.scopes
        for bindings in scope.bindings.values()
        for binding in bindings
        if binding.target is not None and binding.target.name is not None
    )


class TableSize(NamedTuple):
    """A table that is not only in on-chip memory: which size says so, its value, and where it is given."""

    name: str
    known: Known
    given: Ref


def tables_outside_chip(project: Project, program: str, sizes: Iterable[str]) -> tuple[TableSize, ...]:
    """The tables of a program with one of the `sizes` greater than 0."""
    files = project.programs.by_entry[program].files
    calls = [call for name in sorted(rec.CREATE_TABLE) for call in calls_of(project, name)]
    return tuple(
        found
        for call in calls
        if call.key in files
        for size in sizes
        for found in _size_given(project, call, size, program)
    )


def _size_given(project: Project, call: Ref, size: str, program: str) -> Iterator[TableSize]:
    given = passed(project, call, size, program)
    if given is not None and given.value.every(lambda size: isinstance(size, int) and size > 0):
        known = min(given.value.alternatives, key=lambda known: not known.is_default)
        yield TableSize(size, known, given.given or call)
