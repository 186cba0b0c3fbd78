"""Values of attributes of the project's own classes and their instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from npu_migrate.index.facts import NOTHING, Attribute, Call, Constant, Expr, Name, argument, last_name
from npu_migrate.index.names import lookup
from npu_migrate.index.stores import stored_value
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import constructions
from npu_migrate.semantics.calls.parameters import argument_for
from npu_migrate.semantics.flow import instance_classes, origins
from npu_migrate.semantics.inheritance import family
from npu_migrate.semantics.objects import is_obscure
from npu_migrate.semantics.resolution import (
    Definition,
    External,
    all_bases,
    is_receiver,
    receiver_class,
    scope_of,
    symbols,
)
from npu_migrate.semantics.values.value import UNKNOWN, Step, Value, agreed, join, led_to

if TYPE_CHECKING:
    from npu_migrate.semantics.values.evaluation import Evaluation

_PROPERTIES = frozenset({"property", "cached_property", "lazy_property"})
_COPIES = ("replace", "_replace", "evolve")
_FIELD_CLASSES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple", "dataclasses.dataclass"})


def class_field(evaluation: Evaluation, owner: Definition, attr: str) -> Value:
    """The value of ``Class.<attr>``, for the class itself."""
    return _field(evaluation, owner, attr, exact=(), members=_lineage(evaluation.project, owner))


def instance_field(evaluation: Evaluation, ref: Ref, owners: tuple[Definition, ...], attr: str) -> Value:
    """The value of ``ref.<attr>`` for an instance of one of the classes `owners`."""
    project = evaluation.project
    made = [origin for origin in origins(project, ref) if isinstance(origin.expr, Call) and not origin.path]
    values: list[Value] = []
    for owner in owners:
        calls = tuple(call for call in made if owner in symbols(project, call.key, call.scope, _func(call)))
        exact = bool(calls) and len(made) == len(origins(project, ref))
        members = _lineage(project, owner) if exact else family(project, owner)
        values.append(_field(evaluation, owner, attr, calls if exact else (), members))
    return join(values)


def _func(call: Ref) -> Expr:
    assert isinstance(call.expr, Call)
    return call.expr.func


def _lineage(project: Project, owner: Definition) -> tuple[Definition, ...]:
    return tuple(base for base in all_bases(project, owner) if isinstance(base, Definition))


def _field(
    evaluation: Evaluation,
    owner: Definition,
    attr: str,
    exact: tuple[Ref, ...],
    members: tuple[Definition, ...],
) -> Value:
    """The field of instances of `owner`; `exact` are the calls that make the instance in question."""
    project = evaluation.project
    if any(_is_dynamic(evaluation, member, attr) for member in members):
        return UNKNOWN
    method = next((m for m in (_method(project, member, attr) for member in members) if m is not None), None)
    if method is not None:
        decorators = {last_name(item) for item in scope_of(project, method).decorators}
        return evaluation.returned(method) if decorators & _PROPERTIES else UNKNOWN
    stores = [store for member in members for store in _stores_to_self(evaluation, member, attr)]
    if any(store is None for store in stores) or _is_written_outside(evaluation, owner, members, attr):
        return UNKNOWN
    values = [_stored(evaluation, store, exact, attr) for store in stores if store is not None]
    declared = _declared(evaluation, owner, attr, exact, members)
    return agreed([*values, *declared])


def _declared(
    evaluation: Evaluation,
    owner: Definition,
    attr: str,
    exact: tuple[Ref, ...],
    members: tuple[Definition, ...],
) -> list[Value]:
    """The class-level values of a field: the nearest one up the bases, and those of subclasses.

    Where it is seen which of these classes have instances at all, the nearest one of each that has some.
    """
    project = evaluation.project
    lineage = _lineage(project, owner)
    if _has_fields(project, owner) and attr in _declared_fields(project, lineage):
        if not exact:
            return [_field_of_any(evaluation, owner, attr, members)]
        return [_passed_field(evaluation, call, attr) for call in exact]
    made = () if exact else _classes_with_instances(evaluation, owner, members)
    nearest = [_nearest_holder(project, one, attr) for one in made or (owner,)]
    holders = [holder for holder in dict.fromkeys(nearest) if holder is not None]
    if not made:
        holders += [m for m in members if m not in lineage and attr in scope_of(project, m).bindings]
    return [_class_level(evaluation, holder, attr) for holder in holders]


def _nearest_holder(project: Project, owner: Definition, attr: str) -> Definition | None:
    """The class up the bases that gives instances of `owner` an attribute."""
    lineage = _lineage(project, owner)
    return next((member for member in lineage if attr in scope_of(project, member).bindings), None)


def _classes_with_instances(
    evaluation: Evaluation, owner: Definition, members: tuple[Definition, ...]
) -> tuple[Definition, ...]:
    """Those of a class and its subclasses that somebody is seen to make; none where others may be made."""
    project = evaluation.project
    below = [one for one in members if owner in _lineage(project, one)]
    known = [constructions(project, one) for one in below]
    if len(below) < 2 or not all(one.all_seen for one in known):
        return ()
    return tuple(
        one
        for one, found in zip(below, known, strict=True)
        if any(site.key in evaluation.files for site in found.sites)
    )


def _class_level(evaluation: Evaluation, owner: Definition, attr: str) -> Value:
    bindings = scope_of(evaluation.project, owner).bindings[attr]
    values = []
    for binding in bindings:
        if binding.kind != "assign" or binding.value is None:
            return UNKNOWN
        ref = Ref(owner.key, owner.scope, binding.statement, binding.value, binding.path)
        value = evaluation.value(ref)
        if _has_fields(evaluation.project, owner):
            values.append(led_to(_field_default(evaluation, ref) or value, _default_step(ref, attr)))
        else:
            name = f"{scope_of(evaluation.project, owner).name}.{attr}"
            values.append(led_to(value, Step(ref, f"the value of {name}", attr)))
    return join(values) if len(values) == 1 else UNKNOWN


# -- dataclasses and typed named tuples ----------------------------------------------------------------


def _has_fields(project: Project, owner: Definition) -> bool:
    scope = scope_of(project, owner)
    marks = [item.func if isinstance(item, Call) else item for item in scope.decorators]
    names = {
        symbol.name
        for mark in (*marks, *scope.bases)
        for symbol in symbols(project, owner.key, scope.parent, mark)
        if isinstance(symbol, External)
    }
    return bool(names & _FIELD_CLASSES)


def _declared_fields(project: Project, lineage: tuple[Definition, ...]) -> list[str]:
    """The names of all fields in the order of the constructor's parameters.

    A field without a default has no place in the facts; positions behind one are therefore not known, and
    only keyword arguments are used for it.
    """
    found: dict[str, None] = {}
    for owner in reversed(lineage):
        facts = project.facts(owner.key)
        assert facts is not None
        for name, bindings in facts.scopes[owner.scope].bindings.items():
            kinds = {facts.statements[binding.statement].kind for binding in bindings}
            if kinds == {"AnnAssign"}:
                found[name] = None
    return list(found)


def _passed_field(evaluation: Evaluation, call: Ref, attr: str) -> Value:
    assert isinstance(call.expr, Call)
    if call.expr.args:
        return UNKNOWN
    given = evaluation.passed(call, attr)
    if given is not None:
        return given
    owner = next(
        symbol
        for symbol in symbols(evaluation.project, call.key, call.scope, call.expr.func)
        if isinstance(symbol, Definition)
    )
    holder = next(
        m for m in _lineage(evaluation.project, owner) if attr in scope_of(evaluation.project, m).bindings
    )
    return _class_level(evaluation, holder, attr)


def _field_of_any(
    evaluation: Evaluation, owner: Definition, attr: str, members: tuple[Definition, ...]
) -> Value:
    """A field of some instance of `owner`: what any call that makes one passes, or its default.

    The default alone, if nobody makes one in sight.
    """
    project = evaluation.project
    if _is_replaced(evaluation, attr):
        return UNKNOWN
    found: list[Value] = []
    for made in dict.fromkeys((owner, *(one for one in members if one not in _lineage(project, owner)))):
        known = constructions(project, made)
        if not known.all_seen:
            return UNKNOWN
        found += [
            _passed_field(evaluation, call, attr) for call in known.sites if call.key in evaluation.files
        ]
    holder = next((one for one in _lineage(project, owner) if attr in scope_of(project, one).bindings), None)
    return join(found) if found or holder is None else _class_level(evaluation, holder, attr)


def _is_replaced(evaluation: Evaluation, attr: str) -> bool:
    """Whether an instance is copied with another value for a field: ``dataclasses.replace(one, attr=…)``."""
    return any(
        keyword.name in (attr, None)
        for name in _COPIES
        for key, site in evaluation.project.calls_named(name)
        if key in evaluation.files
        for keyword in site.call.keywords
    )


def _field_default(evaluation: Evaluation, ref: Ref) -> Value | None:
    """The default of ``name: int = field(default=…)``."""
    if isinstance(ref.expr, Call) and last_name(ref.expr.func) == "field":
        given = argument(ref.expr, "default")
        return UNKNOWN if given is None else evaluation.value(ref._replace(expr=given))
    return None


def _default_step(ref: Ref, attr: str) -> Step:
    return Step(ref, f"the default of field {attr}", attr, is_default=True)


# -- stores --------------------------------------------------------------------------------------------


def _stored(evaluation: Evaluation, store: Ref, exact: tuple[Ref, ...], attr: str) -> Value:
    """The value of one ``self.<attr> = …``; a parameter of ``__init__`` is looked up in the very calls."""
    project = evaluation.project
    facts = project.facts(store.key)
    assert facts is not None
    step = Step(store, f"the value of attribute {attr}", attr)
    if exact and isinstance(store.expr, Name) and not store.path:
        found = lookup(facts, store.scope, store.expr.id)
        if found is not None and [binding.kind for binding in found.bindings] == ["param"]:
            target = Definition(store.key, found.scope)
            if scope_of(project, target).name == "__init__" and all(
                argument_for(project, call, target, store.expr.id) is not None for call in exact
            ):
                return led_to(evaluation.parameter(target, store.expr.id, exact), step)
    return led_to(evaluation.value(store), step)


def _stores_to_self(evaluation: Evaluation, owner: Definition, attr: str) -> Iterator[Ref | None]:
    """What the methods of a class store to ``self.<attr>``; None where that is not a plain assignment."""
    facts = evaluation.project.facts(owner.key)
    assert facts is not None
    for site in evaluation.project.attributes(owner.key, attr):
        expr = site.expr
        if (
            site.stored
            and isinstance(expr, Attribute)
            and isinstance(expr.value, Name)
            and receiver_class(facts, site.scope, expr.value.id) == owner.scope
        ):
            stored = stored_value(facts.statements[site.statement], expr)
            plain = facts.statements[site.statement].kind in ("Assign", "AnnAssign")
            if stored is None or not plain:
                yield None
            else:
                yield Ref(owner.key, site.scope, site.statement, stored[0], stored[1])


def _is_written_outside(
    evaluation: Evaluation, owner: Definition, members: tuple[Definition, ...], attr: str
) -> bool:
    """Whether code outside the methods stores to ``<instance>.<attr>`` or ``Class.<attr>``, or may do so."""
    project = evaluation.project
    everyone = {*members, *family(project, owner)}
    for key in project.files_mentioning(attr):
        facts = project.facts(key)
        assert facts is not None
        for site in project.attributes(key, attr) if key in evaluation.files else ():
            expr = site.expr
            assert isinstance(expr, Attribute)
            if not site.stored:
                continue
            if is_receiver(facts, site.scope, expr.value):
                continue
            receiver = Ref(key, site.scope, site.statement, expr.value)
            meant = {*instance_classes(project, receiver), *symbols(project, key, site.scope, expr.value)}
            if meant & everyone or (not meant and is_obscure(project, receiver)):
                return True
    return False


def _is_dynamic(evaluation: Evaluation, owner: Definition, attr: str) -> bool:
    """Whether a class sets attributes by computed names: ``setattr(self, …)``, ``self.__dict__.update``."""
    project = evaluation.project
    facts = project.facts(owner.key)
    assert facts is not None
    scope = facts.scopes[owner.scope]
    if "__getattribute__" in scope.bindings:
        return True
    for name in ("setattr", "update", "vars"):
        for key, site in project.calls_named(name):
            if key != owner.key:
                continue
            target = _updated(site.call)
            if isinstance(target, Name) and receiver_class(facts, site.scope, target.id) == owner.scope:
                fixed = site.call.args[1] if name == "setattr" and len(site.call.args) == 3 else None
                if not isinstance(fixed, Constant) or fixed.value == attr:
                    return True
    return False


def _updated(call: Call) -> Expr | None:
    """The object whose attributes ``setattr(x, …)``, ``x.__dict__.update(…)``, ``vars(x).update(…)`` set."""
    if isinstance(call.func, Name):
        return call.args[0] if call.func.id == "setattr" and call.args else None
    if isinstance(call.func, Attribute) and call.func.attr == "update":
        inner = call.func.value
        if isinstance(inner, Attribute) and inner.attr == "__dict__":
            return inner.value
        if isinstance(inner, Call) and last_name(inner.func) == "vars" and inner.args:
            return inner.args[0]
    return None


def _method(project: Project, owner: Definition, attr: str) -> Definition | None:
    bindings = scope_of(project, owner).bindings.get(attr, ())
    return next((Definition(owner.key, b.defines) for b in bindings if b.defines != NOTHING), None)
