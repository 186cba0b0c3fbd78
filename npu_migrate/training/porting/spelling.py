"""How a file spells TensorFlow for statements that are added, the names they give, and a file's own text."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, Expr
from npu_migrate.index.names import code_scope, lookup, spelled
from npu_migrate.intents import AddImport
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import external_names
from npu_migrate.sources.source import SourceError
from npu_migrate.training.pipelines.placement.naming import fresh_name
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling

_ALIAS = "tf"
_TENSORFLOW = "tensorflow"


def tensorflow_at(project: Project, call: Ref, name: str) -> tuple[str, tuple[AddImport, ...]] | None:
    """How TensorFlow is spelled at a call of its function `name`, and what has to be imported for that.

    None where the file has another thing by the usual name.
    """
    assert isinstance(call.expr, Call)
    facts = project.facts(call.key)
    assert facts is not None
    module: Expr = call.expr.func
    for _ in range(name.count(".")):
        module = module.value if isinstance(module, Attribute) else module
    text = spelled(module)
    if text is not None and external_names(project, call.key, call.scope, module) == {_TENSORFLOW}:
        return text, ()
    known = tensorflow_spelling(project, facts, call.scope)
    if known is not None:
        return known, ()
    if lookup(facts, call.scope, _ALIAS) is not None:
        return None
    return _ALIAS, (AddImport(call.key, f"import tensorflow as {_ALIAS}"),)


def new_names(project: Project, ref: Ref, number: int, *bases: str) -> tuple[str, ...]:
    """Names that mean nothing in the function around `ref` yet; those with number 0 come first.

    Who asks with another number gets other names.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    scope = code_scope(facts, ref.scope)
    found = []
    for base in bases:
        taken: set[str] = set()
        for _ in range(number + 1):
            name = fresh_name(project, facts, scope, taken, base)
            taken.add(name)
        found.append(name)
    return tuple(found)


def source_text(project: Project, ref: Ref) -> str | None:
    """The text of an expression that stands on one line; None for any other."""
    if ref.expr.span[0] != ref.expr.span[2]:
        return None
    try:
        source = project.tree.source(ref.key)
    except (OSError, SourceError):
        return None
    start, end = source.lines.offsets(ref.expr.span)
    return source.text[start:end]


def line_text(project: Project, place: Place) -> str | None:
    """The line of a place; None for a place of several lines."""
    if place.span[0] != place.span[2]:
        return None
    try:
        source = project.tree.source(place.path)
    except (OSError, SourceError):
        return None
    start, end = source.lines.offsets(place.span)
    return source.text[source.text.rfind("\n", 0, start) + 1 : end] + source.text[end:].partition("\n")[0]
