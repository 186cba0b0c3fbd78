"""Options of ``argparse``: which ones a parser has, and the defaults its namespace holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from npu_migrate.index.facts import Attribute, Call, Collection, Constant, Name, argument
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.objects import Identity, Write, attribute_writes, identities, item_writes
from npu_migrate.semantics.resolution import External, all_bases, definitions, external_names
from npu_migrate.semantics.values.value import UNKNOWN, Step, Value, agreed, combine, constant, led_to

if TYPE_CHECKING:
    from npu_migrate.semantics.values.evaluation import Evaluation

_PARSES = {"parse_args": (), "parse_intermixed_args": (), "parse_known_args": (0,)}
_GROUPS = frozenset({"add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser"})
_TYPES: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "str": str, "bool": bool}
_ABSENT = object()


class Namespace(NamedTuple):
    """The result of ``parse_args``: the parsers it may come from, and the object it is."""

    parsers: frozenset[Identity]
    objects: frozenset[Identity]


def namespace_of(project: Project, ref: Ref) -> Namespace | None:
    """The namespace that `ref` means, with a placeholder None ignored; None if it may be something else."""
    parsers: set[Identity] = set()
    for origin in origins(project, ref):
        if isinstance(origin.expr, Constant) and origin.expr.value is None:
            continue
        receiver = _parsing_receiver(origin)
        found = None if receiver is None else _roots(project, receiver)
        if not found:
            return None
        parsers |= found
    return Namespace(frozenset(parsers), identities(project, ref)) if parsers else None


def option_value(evaluation: Evaluation, namespace: Namespace, name: str) -> Value:
    """The value of ``namespace.<name>``: the option's default, marked as such, or what code stores there.

    Unknown when the option is required, has no constant default, or is set by code too.
    """
    project, files = evaluation.project, evaluation.files
    if any(item_writes(project, files, _dictionaries(project, namespace), name)):
        return UNKNOWN
    written = tuple(attribute_writes(project, files, namespace.objects, name))
    if written:
        return _stored(evaluation, namespace, name, written)
    replaced = [_led(evaluation, ref, name) for ref in _set_defaults(evaluation, namespace, name)]
    if replaced:
        return agreed(replaced)
    found = list(_options(evaluation, namespace, name))
    return agreed(_default(evaluation, name, ref, call) for ref, call in found)


def _stored(evaluation: Evaluation, namespace: Namespace, name: str, written: tuple[Write, ...]) -> Value:
    """The value of an attribute that no option has: ``args.steps = args.epochs * 100``."""
    if any(_destination(call) in (name, None) for _, call in _calls(evaluation, namespace, "add_argument")):
        return UNKNOWN
    if any(_set_defaults(evaluation, namespace, name)):
        return UNKNOWN
    return agreed(
        UNKNOWN
        if write.value is None
        else led_to(evaluation.value(write.value), Step(write.value, f"the value of {name}", name))
        for write in written
    )


def _parsing_receiver(origin: Ref) -> Ref | None:
    """The parser of a ``parser.parse_args()`` that reads the command line."""
    call = origin.expr
    if not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return None
    if _PARSES.get(call.func.attr, _ABSENT) != origin.path:
        return None
    given = argument(call, "args", 0)
    explicit = isinstance(given, (Collection, Constant)) and getattr(given, "items", None) != ()
    if argument(call, "namespace", 1) is not None or (explicit and not _is_none(given)):
        return None
    return origin._replace(expr=call.func.value, path=())


def _is_none(expr: object) -> bool:
    return isinstance(expr, Constant) and expr.value is None


def _roots(project: Project, ref: Ref, depth: int = 0) -> frozenset[Identity]:
    """The parsers that a parser or argument group belongs to, with their ``parents=``; empty if unclear."""
    found: set[Identity] = set()
    for origin in origins(project, ref):
        call = origin.expr
        if isinstance(call, Call) and not origin.path and depth < 8:
            if isinstance(call.func, Attribute) and call.func.attr in _GROUPS:
                found |= _roots(project, origin._replace(expr=call.func.value), depth + 1)
                continue
            if _makes_parser(project, origin, call):
                found.add((id(call), ()))
                parents = argument(call, "parents")
                for item in parents.items if isinstance(parents, Collection) else ():
                    found |= _roots(project, origin._replace(expr=item), depth + 1)
                continue
        return frozenset()
    return frozenset(found)


def _makes_parser(project: Project, ref: Ref, call: Call) -> bool:
    if any(_is_parser_name(name) for name in external_names(project, ref.key, ref.scope, call.func)):
        return True
    return any(
        isinstance(base, External) and _is_parser_name(base.name)
        for definition in definitions(project, ref.key, ref.scope, call.func)
        for base in all_bases(project, definition)
    )


def _is_parser_name(name: str) -> bool:
    return name.rpartition(".")[2] in ("ArgumentParser", "ArgParser")


def _dictionaries(project: Project, namespace: Namespace) -> frozenset[Identity]:
    """``vars(namespace)`` and ``namespace.__dict__``, as objects."""
    found: set[Identity] = {(made, (*way, "__dict__")) for made, way in namespace.objects}
    for key, site in project.calls_named("vars"):
        if len(site.call.args) == 1:
            inner = Ref(key, site.scope, site.statement, site.call.args[0])
            if identities(project, inner) & namespace.objects:
                found.add((id(site.call), ()))
    return frozenset(found)


def _calls(evaluation: Evaluation, namespace: Namespace, method: str) -> Iterator[tuple[Ref, Call]]:
    """The calls of a parser method on the namespace's parsers, or on one that may be any parser."""
    for key, site in evaluation.project.calls_named(method):
        if key in evaluation.files and isinstance(site.call.func, Attribute):
            ref = ref_of_call(key, site)
            roots = _roots(evaluation.project, ref._replace(expr=site.call.func.value))
            if not roots or roots & namespace.parsers:
                yield ref, site.call


def _set_defaults(evaluation: Evaluation, namespace: Namespace, name: str) -> Iterator[Ref]:
    for ref, call in _calls(evaluation, namespace, "set_defaults"):
        for keyword in call.keywords:
            if keyword.name == name or keyword.name is None:
                yield ref._replace(expr=keyword.value)


def _options(evaluation: Evaluation, namespace: Namespace, name: str) -> Iterator[tuple[Ref, Call]]:
    for ref, call in _calls(evaluation, namespace, "add_argument"):
        if _destination(call) == name:
            yield ref, call


def _destination(call: Call) -> str | None:
    explicit = argument(call, "dest")
    if explicit is not None:
        return explicit.value if isinstance(explicit, Constant) else None
    names = [item.value for item in call.args if isinstance(item, Constant) and isinstance(item.value, str)]
    if not names or len(names) != len(call.args):
        return None
    long = [name for name in names if name.startswith("--")]
    return (long or names)[0].lstrip("-").replace("-", "_")


def _default(evaluation: Evaluation, name: str, ref: Ref, call: Call) -> Value:
    required = argument(call, "required")
    if required is not None and not (isinstance(required, Constant) and not required.value):
        return UNKNOWN
    given = argument(call, "default")
    action = argument(call, "action")
    kind = action.value if isinstance(action, Constant) else None if action is None else "?"
    if given is None:
        return _implicit_default(name, ref, call, kind)
    if isinstance(given, Attribute) and given.attr == "SUPPRESS":
        return UNKNOWN
    value = evaluation.value(ref._replace(expr=given))
    converter = argument(call, "type")
    return _as_default(
        combine(lambda found: _converted(converter, found[0]), [value]), name, ref._replace(expr=given)
    )


def _implicit_default(name: str, ref: Ref, call: Call, action: Any) -> Value:
    first = call.args[0] if call.args else None
    if not (isinstance(first, Constant) and isinstance(first.value, str) and first.value.startswith("-")):
        return UNKNOWN
    if action in (None, "store", "store_const", "append", "append_const", "count"):
        return _as_default(constant(None), name, ref)
    if action in ("store_true", "store_false"):
        return _as_default(constant(action == "store_false"), name, ref)
    return UNKNOWN


def _converted(converter: object, default: Any) -> Any:
    """argparse converts a default only when it is a text."""
    if not isinstance(default, str) or converter is None:
        return default
    if isinstance(converter, Name) and converter.id in _TYPES:
        return _TYPES[converter.id](default)
    raise ValueError(default)


def _as_default(value: Value, name: str, ref: Ref) -> Value:
    return led_to(value, Step(ref, f"the default of argument --{name}", name, is_default=True))


def _led(evaluation: Evaluation, ref: Ref, name: str) -> Value:
    return _as_default(evaluation.value(ref), name, ref)
