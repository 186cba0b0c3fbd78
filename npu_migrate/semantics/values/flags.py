"""Command line flags in the manner of absl: which ones a program defines, and with which defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, Subscript, argument, last_name, walk
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.objects import outside_name
from npu_migrate.semantics.resolution import definitions, external_names
from npu_migrate.semantics.values.value import UNKNOWN, Step, Value, agreed, combine, led_to

if TYPE_CHECKING:
    from npu_migrate.semantics.values.evaluation import Evaluation

_DEFINERS = (
    "DEFINE_integer",
    "DEFINE_float",
    "DEFINE_string",
    "DEFINE_boolean",
    "DEFINE_bool",
    "DEFINE_enum",
    "DEFINE_list",
    "DEFINE_multi_string",
    "DEFINE_multi_integer",
    "DEFINE_multi_float",
    "DEFINE_multi_enum",
    "DEFINE_spaceseplist",
    "DEFINE_enum_class",
    "DEFINE_flag",
    "DEFINE",
)
_REQUIRING = ("mark_flag_as_required", "mark_flags_as_required")
_SETTERS = ("set_default", "setattr", "__setattr__")
_TRUE_TEXTS = frozenset({"true", "t", "1"})
_FALSE_TEXTS = frozenset({"false", "f", "0"})


def _boolean(default: Any) -> bool:
    if isinstance(default, str):
        if default.lower() in _TRUE_TEXTS:
            return True
        if default.lower() in _FALSE_TEXTS:
            return False
        raise ValueError(default)
    return bool(default)


def _listed(default: Any) -> Any:
    if isinstance(default, str):
        return [item.strip() for item in default.split(",")] if default else []
    return default


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "DEFINE_integer": lambda default: int(default) if isinstance(default, str) else default,
    "DEFINE_float": float,
    "DEFINE_boolean": _boolean,
    "DEFINE_bool": _boolean,
    "DEFINE_list": _listed,
    "DEFINE_string": str,
    "DEFINE_enum": str,
}
"""What a flag makes of its default; the kinds that are missing here keep it, unless it is a text."""


class _Definition(NamedTuple):
    kind: str
    ref: Ref
    call: Call


def is_flags(project: Project, ref: Ref) -> bool:
    """Whether `ref` is the ``FLAGS`` object of absl, under any name and wherever it is re-exported."""
    name = outside_name(project, ref)
    return name is not None and (name == "FLAGS" or name.endswith("flags.FLAGS"))


def flag_value(evaluation: Evaluation, name: str) -> Value:
    """The value of flag `name` as far as the program's files tell: its default, marked as such.

    Unknown when no file defines it, when definitions differ, when it must be given, or when code sets it.
    """
    found = list(_definitions(evaluation, name))
    if not found or _is_required(evaluation, name, found) or _is_set(evaluation, name):
        return UNKNOWN
    return agreed(_default(evaluation, name, definition) for definition in found)


def holder_value(evaluation: Evaluation, ref: Ref) -> Value | None:
    """The value of ``holder.value``, where `ref` is what ``DEFINE_…`` returned; None for other objects."""
    names = set()
    for origin in origins(evaluation.project, ref):
        call = origin.expr
        if not isinstance(call, Call) or last_name(call.func) not in _DEFINERS:
            return None
        names.add(_name_given(call))
    if len(names) != 1:
        return None
    name = names.pop()
    return UNKNOWN if name is None else flag_value(evaluation, name)


def _definitions(evaluation: Evaluation, name: str) -> Iterator[_Definition]:
    for kind in _DEFINERS:
        for key, site in evaluation.project.calls_named(kind):
            ref = ref_of_call(key, site)
            named = key in evaluation.files and _name_given(site.call) == name
            if named and _is_definer(evaluation, ref, site.call):
                yield _Definition(kind, ref, site.call)


def _name_given(call: Call) -> str | None:
    given = argument(call, "name", 0) or argument(call, "flag_name", 0)
    return given.value if isinstance(given, Constant) and isinstance(given.value, str) else None


def _is_definer(evaluation: Evaluation, ref: Ref, call: Call) -> bool:
    """Anything called ``DEFINE_…`` counts; a plain ``DEFINE`` must come from a module called flags."""
    if last_name(call.func) != "DEFINE":
        return True
    names = external_names(evaluation.project, ref.key, ref.scope, call.func)
    return any(name.endswith("flags.DEFINE") for name in names)


def _default(evaluation: Evaluation, name: str, definition: _Definition) -> Value:
    given = argument(definition.call, "default", 1) or argument(definition.call, "default_value", 1)
    ref, call = definition.ref, definition.call
    if definitions(evaluation.project, ref.key, ref.scope, call.func) or given is None:
        return UNKNOWN
    value = evaluation.value(ref._replace(expr=given))
    step = Step(ref._replace(expr=given), f"the default of flag --{name}", name, is_default=True)
    return led_to(combine(lambda defaults: _converted(definition.kind, defaults[0]), [value]), step)


def _converted(kind: str, default: Any) -> Any:
    if default is None:
        return None
    if kind in _CONVERSIONS:
        return _CONVERSIONS[kind](default)
    if isinstance(default, str):
        raise ValueError(default)
    return default


def _is_required(evaluation: Evaluation, name: str, found: list[_Definition]) -> bool:
    for definition in found:
        required = argument(definition.call, "required")
        if required is not None and not (isinstance(required, Constant) and not required.value):
            return True
    return any(
        isinstance(part, Constant) and part.value == name
        for marker in _REQUIRING
        for key, site in evaluation.project.calls_named(marker)
        if key in evaluation.files
        for item in site.call.args
        for part in walk(item)
    )


def _is_set(evaluation: Evaluation, name: str) -> bool:
    """Whether code gives the flag a value: ``FLAGS.x = …``, ``FLAGS["x"].value = …``, ``set_default``."""
    project = evaluation.project
    for key in project.files_mentioning(name):
        for site in project.attributes(key, name) if key in evaluation.files else ():
            assert isinstance(site.expr, Attribute)
            receiver = Ref(key, site.scope, site.statement, site.expr.value)
            if site.stored and is_flags(project, receiver):
                return True
    for field in ("value", "default"):
        for key in project.files_mentioning(field):
            for site in project.attributes(key, field) if key in evaluation.files else ():
                if site.stored and _is_flag_item(site.expr, name):
                    return True
    return any(
        key in evaluation.files and _sets(evaluation, ref_of_call(key, site), site.call, name)
        for setter in _SETTERS
        for key, site in project.calls_named(setter)
    )


def _is_flag_item(expr: Expr, name: str) -> bool:
    item = expr.value if isinstance(expr, Attribute) else expr
    return isinstance(item, Subscript) and isinstance(item.item, Constant) and bool(item.item.value == name)


def _sets(evaluation: Evaluation, ref: Ref, call: Call, name: str) -> bool:
    """Whether a call of something that sets flags or attributes may set flag `name`."""
    for index, item in enumerate(call.args[:2]):
        argument_ref = ref._replace(expr=item)
        if isinstance(item, Constant):
            if item.value == name:
                return True
        elif index == 1 and is_flags(evaluation.project, ref._replace(expr=call.args[0])):
            return True
        elif index == 0:
            for origin in origins(evaluation.project, argument_ref):
                if isinstance(origin.expr, Call) and _name_given(origin.expr) == name:
                    return True
    return False
