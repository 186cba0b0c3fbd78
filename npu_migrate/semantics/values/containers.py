"""Values inside dictionaries and attribute-style configuration objects that the program builds itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Constant,
    Expr,
    Mapping,
    Name,
    Subscript,
    argument,
    last_name,
)
from npu_migrate.index.names import lookup
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.latest import latest_origins
from npu_migrate.semantics.objects import (
    attribute_writes,
    identities,
    item_writes,
    outside_name,
    wholesale_updates,
)
from npu_migrate.semantics.resolution import Definition, External, scope_of, symbols
from npu_migrate.semantics.values.flags import flag_value, is_flags
from npu_migrate.semantics.values.value import UNKNOWN, Step, Value, agreed, join, led_to

if TYPE_CHECKING:
    from npu_migrate.semantics.values.evaluation import Evaluation

_CONTAINERS = frozenset(
    {
        "AttrDict",
        "AttributeDict",
        "Box",
        "Bunch",
        "ConfigDict",
        "DotMap",
        "EasyDict",
        "HParams",
        "Munch",
        "Namespace",
        "SimpleNamespace",
    }
)
"""Classes, wherever they come from, whose keyword arguments and dictionary become attributes."""

_COPIES = frozenset({"copy.copy", "copy.deepcopy"})


# -- dictionaries --------------------------------------------------------------------------------------


class Contents(NamedTuple):
    """What a dictionary holds under one key: its possible values, and whether it may have no such key."""

    values: list[Value]
    may_lack: bool


def item_value(evaluation: Evaluation, ref: Ref, key: Any) -> Value:
    """The value of ``ref[key]``."""
    found = contents(evaluation, ref, key)
    return UNKNOWN if found is None else agreed(found.values)


def item_or_default(evaluation: Evaluation, ref: Ref, key: Any, default: Ref) -> Value:
    """The value of ``ref.get(key, default)``.

    The default counts, as a default, where `ref` is a dictionary that is not built in view.
    """
    fallback = led_to(
        evaluation.value(default), Step(default, f"the default of key {key!r}", str(key), is_default=True)
    )
    found = contents(evaluation, ref, key)
    if found is None:
        return UNKNOWN if _is_ini_file(evaluation, ref, fallback) else fallback
    return join([*found.values, fallback]) if found.may_lack else agreed(found.values)


def contents(evaluation: Evaluation, ref: Ref, key: Any) -> Contents | None:
    """What the dictionary `ref` holds under `key`; None if it is none whose contents are all in view."""
    question = (contents, ref.expr, ref.path, type(key), repr(key))
    return evaluation.answered(question, lambda: _contents(evaluation, ref, key), None)


def _contents(evaluation: Evaluation, ref: Ref, key: Any) -> Contents | None:
    project = evaluation.project
    meant = latest_origins(project, ref)
    found = _either([_contents_of_origin(evaluation, origin, key) for origin in meant])
    if found is None:
        return None
    objects = frozenset(identity for origin in meant for identity in identities(project, origin))
    written = [
        UNKNOWN if write.value is None else _from_key(evaluation, write.value, key)
        for write in item_writes(project, evaluation.files, objects, key)
    ]
    return Contents([*found.values, *written], found.may_lack)


def _either(found: Sequence[Contents | None]) -> Contents | None:
    """What one of several dictionaries holds."""
    known = [item for item in found if item is not None]
    if len(known) < len(found):
        return None
    return Contents([value for item in known for value in item.values], any(item.may_lack for item in known))


def _contents_of_origin(evaluation: Evaluation, origin: Ref, key: Any) -> Contents | None:
    expr = origin.expr
    if origin.path:
        return None
    if isinstance(expr, Mapping):
        return _contents_of_display(evaluation, origin, expr, key)
    if isinstance(expr, Name):
        return _contents_of_keywords(evaluation, origin, expr.id, key)
    if isinstance(expr, Attribute) and expr.attr == "__dict__":
        return Contents([evaluation.attribute(origin._replace(expr=expr.value), str(key))], False)
    if isinstance(expr, Call):
        return _contents_of_call(evaluation, origin, expr, key)
    if isinstance(expr, Subscript) and isinstance(expr.item, Constant):
        inner = _inner_dictionaries(evaluation, origin._replace(expr=expr.value), expr.item.value)
        return None if inner is None else _either([contents(evaluation, ref, key) for ref in inner])
    return None


def _inner_dictionaries(evaluation: Evaluation, ref: Ref, key: Any) -> list[Ref] | None:
    """The expressions that dictionary displays have under `key`, if nothing else is ever put there."""
    project = evaluation.project
    if any(item_writes(project, evaluation.files, identities(project, ref), key)):
        return None
    found: list[Ref] = []
    for origin in origins(project, ref):
        if not isinstance(origin.expr, Mapping) or origin.path:
            return None
        for index, value in zip(origin.expr.keys, origin.expr.values, strict=True):
            if not isinstance(index, Constant):
                return None
            if index.value == key:
                found.append(origin._replace(expr=value))
    return found or None


def _contents_of_display(evaluation: Evaluation, origin: Ref, expr: Mapping, key: Any) -> Contents | None:
    found = Contents([], True)
    for index, value in zip(expr.keys, expr.values, strict=True):
        inner = origin._replace(expr=value)
        if index is None:
            merged = _overridden(found, contents(evaluation, inner, key))
            if merged is None:
                return None
            found = merged
            continue
        known = evaluation.value(origin._replace(expr=index))
        if known.only is None:
            return None
        if known.only.constant == key:
            found = Contents([_from_key(evaluation, inner, key)], False)
    return found


def _overridden(found: Contents, more: Contents | None) -> Contents | None:
    """`found` with the contents of another dictionary put over it."""
    if more is None or not more.may_lack:
        return more
    return Contents([*found.values, *more.values], found.may_lack)


def _contents_of_call(evaluation: Evaluation, origin: Ref, call: Call, key: Any) -> Contents | None:
    project = evaluation.project
    name = last_name(call.func)
    first = origin._replace(expr=call.args[0]) if len(call.args) == 1 else None
    if isinstance(call.func, Attribute):
        receiver = origin._replace(expr=call.func.value)
        if name == "copy" and not call.args:
            return contents(evaluation, receiver, key)
        if name == "flag_values_dict" and is_flags(project, receiver):
            return Contents([flag_value(evaluation, str(key))], False)
        if name == "values" and not call.args:
            return Contents([evaluation.attribute(receiver, str(key))], False)
    found = symbols(project, origin.key, origin.scope, call.func)
    if first is not None and any(isinstance(item, External) and item.name in _COPIES for item in found):
        return contents(evaluation, first, key)
    if not isinstance(call.func, Name) or found:
        return None
    if name == "vars" and first is not None:
        return Contents([evaluation.attribute(first, str(key))], False)
    if name == "dict" and len(call.args) <= 1:
        base = Contents([], True) if first is None else contents(evaluation, first, key)
        return None if base is None else _overridden(base, passed_as(evaluation, origin, str(key)))
    return None


def _contents_of_keywords(evaluation: Evaluation, origin: Ref, name: str, key: Any) -> Contents | None:
    """The item of a ``**name`` parameter, out of what the callers pass."""
    project = evaluation.project
    facts = project.facts(origin.key)
    assert facts is not None
    found = lookup(facts, origin.scope, name)
    if found is None or [binding.kind for binding in found.bindings] != ["param"]:
        return None
    target = Definition(origin.key, found.scope)
    kinds = {parameter.name: parameter.kind for parameter in scope_of(project, target).parameters}
    known = callers(project, target)
    if kinds.get(name) != "varkeywords" or not known.all_seen:
        return None
    return _either([passed_as(evaluation, site, str(key)) for site in known.sites])


def passed_as(evaluation: Evaluation, site: Ref, name: str) -> Contents | None:
    """What the call at `site` passes as keyword `name`, ``**`` looked into; None if that cannot be told."""
    assert isinstance(site.expr, Call)
    found = Contents([], True)
    for keyword in site.expr.keywords:
        inner = site._replace(expr=keyword.value)
        if keyword.name == name:
            found = Contents([_from_key(evaluation, inner, name)], False)
        elif keyword.name is None:
            merged = _overridden(found, contents(evaluation, inner, name))
            if merged is None:
                return None
            found = merged
    return found


def _from_key(evaluation: Evaluation, ref: Ref, key: Any) -> Value:
    return led_to(evaluation.value(ref), Step(ref, f"the value of {key!r}", str(key)))


def _is_ini_file(evaluation: Evaluation, ref: Ref, default: Value) -> bool:
    """``parser.get("section", "option")`` of a configuration file is not a lookup with a default."""
    if not default.every(lambda constant: isinstance(constant, str)):
        return False
    project = evaluation.project
    made = origins(project, ref)
    if any(
        isinstance(origin.expr, Call) and (last_name(origin.expr.func) or "").endswith("ConfigParser")
        for origin in made
    ):
        return True
    return any(_imports_configparser(project, key) for key in {ref.key, *(origin.key for origin in made)})


def _imports_configparser(project: Project, key: str) -> bool:
    facts = project.facts(key)
    return facts is not None and any(
        binding.target is not None and binding.target.module.lower() == "configparser"
        for _, _, binding in facts.bindings()
    )


# -- objects with attributes ---------------------------------------------------------------------------


def field_value(evaluation: Evaluation, ref: Ref, attr: str) -> Value | None:
    """The value of ``ref.<attr>`` for a configuration object that is made in view; None for other objects."""
    project = evaluation.project
    objects = identities(project, ref)
    found: list[Value] = []
    for origin in origins(project, ref):
        made = _made_fields(evaluation, origin, attr)
        if made is None:
            return None
        found.extend(made)
    if any(True for _ in wholesale_updates(project, evaluation.files, objects)):
        return UNKNOWN
    for write in attribute_writes(project, evaluation.files, objects, attr):
        found.append(UNKNOWN if write.value is None else evaluation.value(write.value))
    for write in item_writes(project, evaluation.files, objects, attr):
        found.append(UNKNOWN if write.value is None else evaluation.value(write.value))
    return agreed(found)


def _made_fields(evaluation: Evaluation, origin: Ref, attr: str) -> list[Value] | None:
    """The values that making the object gives to an attribute; None if this is no such object."""
    expr = origin.expr
    if isinstance(expr, Attribute):
        return [] if is_container(evaluation, origin._replace(expr=expr.value, path=())) else None
    if not isinstance(expr, Call) or origin.path:
        return None
    if last_name(expr.func) == "_replace" and isinstance(expr.func, Attribute):
        given = passed_as(evaluation, origin, attr)
        if given is None or not given.may_lack:
            return None if given is None else given.values
        return [evaluation.attribute(origin._replace(expr=expr.func.value), attr)]
    fields = _tuple_fields(evaluation.project, origin, expr)
    if fields is not None:
        return _tuple_items(evaluation, origin, expr, fields, attr)
    if not _makes_container(evaluation.project, origin, expr):
        return None
    given = passed_as(evaluation, origin, attr)
    if given is not None and expr.args:
        given = _overridden(given, contents(evaluation, origin._replace(expr=expr.args[0]), attr))
    return None if given is None else given.values


def is_container(evaluation: Evaluation, ref: Ref) -> bool:
    """Whether `ref` is an attribute-style configuration object, or lies inside one."""
    seen: set[Expr] = set()
    stack = [ref]
    while stack:
        for origin in origins(evaluation.project, stack.pop()):
            expr = origin.expr
            if isinstance(expr, Attribute):
                if expr not in seen:
                    seen.add(expr)
                    stack.append(origin._replace(expr=expr.value, path=()))
            elif not isinstance(expr, Call) or not _makes_container(evaluation.project, origin, expr):
                return False
    return True


def _makes_container(project: Project, origin: Ref, call: Call) -> bool:
    found = symbols(project, origin.key, origin.scope, call.func)
    for symbol in found:
        if isinstance(symbol, External):
            if symbol.name.rpartition(".")[2] not in _CONTAINERS:
                return False
        elif not isinstance(symbol, Definition) or "__getattr__" not in scope_of(project, symbol).bindings:
            return False
    return bool(found)


def _tuple_fields(project: Project, origin: Ref, call: Call) -> list[str] | None:
    """The fields of the ``namedtuple`` that a call makes an instance of."""
    for made in origins(project, origin._replace(expr=call.func, path=())):
        if not isinstance(made.expr, Call) or outside_name(project, made._replace(expr=made.expr.func)) != (
            "collections.namedtuple"
        ):
            return None
        return list(_field_names(argument(made.expr, "field_names", 1)))
    return None


def _field_names(expr: Expr | None) -> Iterator[str]:
    if isinstance(expr, Constant) and isinstance(expr.value, str):
        yield from expr.value.replace(",", " ").split()
    elif isinstance(expr, Collection):
        for item in expr.items:
            if isinstance(item, Constant):
                yield str(item.value)


def _tuple_items(
    evaluation: Evaluation, origin: Ref, call: Call, fields: list[str], attr: str
) -> list[Value] | None:
    if attr not in fields:
        return None
    given = argument(call, attr, fields.index(attr))
    if given is not None:
        return [evaluation.value(origin._replace(expr=given))]
    passed = passed_as(evaluation, origin, attr)
    return [UNKNOWN] if passed is None else passed.values or [UNKNOWN]
