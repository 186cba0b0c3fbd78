"""Values of calls: builtins, methods of texts and dictionaries, the environment, functions of the project."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Constant,
    Expr,
    Name,
    Subscript,
    argument,
    is_starred,
)
from npu_migrate.index.names import lookup
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import call_targets, callee_definitions
from npu_migrate.semantics.objects import is_obscure, outside_name
from npu_migrate.semantics.resolution import scope_of, symbols
from npu_migrate.semantics.values import operations
from npu_migrate.semantics.values.containers import item_or_default, item_value
from npu_migrate.semantics.values.value import UNKNOWN, Step, Value, combine, join, led_to

if TYPE_CHECKING:
    from npu_migrate.semantics.values.evaluation import Evaluation

_ENVIRONMENT = "os.environ"
_ENVIRONMENT_READS = frozenset({"os.getenv", "os.environ.get"})
_LOOKUPS = frozenset({"get", "pop", "setdefault"})
_BUILTINS = frozenset(dir(builtins))


def call_value(evaluation: Evaluation, ref: Ref, call: Call) -> Value:
    """The value of the call at `ref`."""
    project, func = evaluation.project, call.func
    if isinstance(func, Name) and _is_builtin(project, ref, func):
        return _builtin(evaluation, ref, call, func.id)
    found = _method(evaluation, ref, call, func) if isinstance(func, Attribute) else None
    if found is not None:
        return found
    name = outside_name(project, ref._replace(expr=func))
    if name in _ENVIRONMENT_READS:
        return _environment(evaluation, ref, call)
    function = None if name is None else _known_function(project, name)
    if function is not None:
        return _applied(evaluation, ref, call, function)
    targets = callee_definitions(project, ref, call) or call_targets(project, ref)
    if not targets or any(scope_of(project, target).kind == "class" for target in targets):
        return UNKNOWN
    return join([evaluation.returned(target) for target in targets])


# -- builtins and other pure functions -----------------------------------------------------------------


def _is_builtin(project: Project, ref: Ref, func: Name) -> bool:
    facts = project.facts(ref.key)
    assert facts is not None
    return (
        func.id in _BUILTINS
        and lookup(facts, ref.scope, func.id) is None
        and not symbols(project, ref.key, ref.scope, func)
    )


def _builtin(evaluation: Evaluation, ref: Ref, call: Call, name: str) -> Value:
    if name == "getattr" and len(call.args) in (2, 3):
        return _attribute_by_name(evaluation, ref, call)
    function = operations.FUNCTIONS.get(name)
    return UNKNOWN if function is None else _applied(evaluation, ref, call, function)


def _known_function(project: Project, name: str) -> Callable[..., Any] | None:
    return operations.FUNCTIONS.get(name) or project.libraries.conversions.get(name)


def _attribute_by_name(evaluation: Evaluation, ref: Ref, call: Call) -> Value:
    """``getattr(x, "name", default)``; the default counts, as a default, for objects we know nothing of."""
    attr = evaluation.value(ref._replace(expr=call.args[1])).only
    if attr is None or not isinstance(attr.constant, str):
        return UNKNOWN
    receiver = ref._replace(expr=call.args[0])
    if len(call.args) == 2 or not is_obscure(evaluation.project, receiver):
        return evaluation.attribute(receiver, attr.constant)
    default = ref._replace(expr=call.args[2])
    text = f"the default of attribute {attr.constant}"
    return led_to(evaluation.value(default), Step(default, text, attr.constant, is_default=True))


def _applied(evaluation: Evaluation, ref: Ref, call: Call, function: Callable[..., Any]) -> Value:
    if call.keywords or not _is_plain(call):
        return UNKNOWN
    values = [evaluation.value(ref._replace(expr=item)) for item in call.args]
    return combine(lambda found: operations.call_function(function, found), values)


# -- methods -------------------------------------------------------------------------------------------


def _method(evaluation: Evaluation, ref: Ref, call: Call, func: Attribute) -> Value | None:
    """A call of a method of a text or dictionary; None for other objects."""
    receiver = ref._replace(expr=func.value)
    if func.attr in _LOOKUPS and 1 <= len(call.args) <= 2 and not call.keywords:
        if outside_name(evaluation.project, receiver) == _ENVIRONMENT:
            return _environment(evaluation, ref, call)
        if callee_definitions(evaluation.project, ref, call):
            return None
        return _looked_up(evaluation, ref, receiver, call)
    if func.attr in operations.TEXT_METHODS and _is_plain(call):
        return _text_method(evaluation, ref, receiver, call, func.attr)
    return None


def _looked_up(evaluation: Evaluation, ref: Ref, receiver: Ref, call: Call) -> Value:
    key = evaluation.value(ref._replace(expr=call.args[0])).only
    if key is None:
        return UNKNOWN
    if len(call.args) == 1:
        return item_value(evaluation, receiver, key.constant)
    return item_or_default(evaluation, receiver, key.constant, ref._replace(expr=call.args[1]))


def _text_method(evaluation: Evaluation, ref: Ref, receiver: Ref, call: Call, name: str) -> Value | None:
    text = evaluation.value(receiver)
    if not text.is_known:
        return None
    keywords = [cast(str, keyword.name) for keyword in call.keywords]
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    values = [text, *(evaluation.value(ref._replace(expr=item)) for item in given)]
    fixed = len(values) - len(keywords)
    return combine(
        lambda found: operations.call_method(
            name, found[:fixed], dict(zip(keywords, found[fixed:], strict=True))
        ),
        values,
    )


# -- the environment -----------------------------------------------------------------------------------


def _environment(evaluation: Evaluation, ref: Ref, call: Call) -> Value:
    """``os.environ.get("NAME", default)``: the default, unless the program sets the variable."""
    name = argument(call, "key", 0)
    default = argument(call, "default", 1)
    known = None if name is None else evaluation.value(ref._replace(expr=name)).only
    if default is None or known is None or _sets_environment(evaluation, known.constant):
        return UNKNOWN
    given, value = ref._replace(expr=default), known.constant
    text = f"the default of environment variable {value}"
    return led_to(evaluation.value(given), Step(given, text, str(value), is_default=True))


def _sets_environment(evaluation: Evaluation, name: Any) -> bool:
    project = evaluation.project
    for key in project.files_mentioning("environ"):
        facts = project.facts(key)
        assert facts is not None
        for statement in facts.statements if key in evaluation.files else ():
            for target in statement.targets:
                if _has_item(target, name):
                    receiver = Ref(key, statement.scope, statement.id, cast(Subscript, target).value)
                    if outside_name(project, receiver) == _ENVIRONMENT:
                        return True
    return any(
        key in evaluation.files and site.call.args and getattr(site.call.args[0], "value", None) == name
        for setter in ("putenv", "setdefault")
        for key, site in project.calls_named(setter)
    )


def _has_item(target: Expr | None, key: Any) -> bool:
    """Whether a target is ``x[key]``."""
    return isinstance(target, Subscript) and isinstance(target.item, Constant) and target.item.value == key


def _is_plain(call: Call) -> bool:
    """Whether a call has neither ``*`` nor ``**`` arguments."""
    return all(keyword.name is not None for keyword in call.keywords) and not any(
        is_starred(item) for item in call.args
    )
