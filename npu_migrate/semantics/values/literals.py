"""Literals as they are written: which one a text value is, and how to write another one like it."""

from __future__ import annotations

import ast
import re

from npu_migrate.index.facts import Attribute, Call, Constant, Name
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.uses import uses

_PREFIX_AND_QUOTE = re.compile(r"([A-Za-z]*)('''|\"\"\"|'|\")")


def literal_in(project: Project, ref: Ref) -> Ref | None:
    """The literal that the value at `ref` is, also inside ``tf.compat.as_bytes(…)`` and ``….encode()``."""
    expr = ref.expr
    if isinstance(expr, Constant) and isinstance(expr.value, (str, bytes)):
        return ref
    if isinstance(expr, Call) and not expr.keywords:
        if isinstance(expr.func, Attribute) and expr.func.attr == "encode":
            return literal_in(project, ref._replace(expr=expr.func.value))
        if len(expr.args) == 1 and _converts_text(project, ref):
            return literal_in(project, ref._replace(expr=expr.args[0]))
    return None


def _converts_text(project: Project, call: Ref) -> bool:
    return not externals_called(project, call).isdisjoint(project.libraries.conversions)


def own_literal(project: Project, ref: Ref) -> Ref | None:
    """The literal to edit when the value at `ref` should change and nothing else.

    It stands at `ref`, or is what the name at `ref` is set to if that name is read nowhere else.
    """
    literal = literal_in(project, ref)
    if literal is not None or not isinstance(ref.expr, (Name, Attribute)):
        return literal
    made = origins(project, ref)
    found = literal_in(project, made[0]) if len(made) == 1 else None
    if found is None:
        return None
    reads = [use for use in uses(project, made[0]) if use.kind != "argument" or use.ref.key != ref.key]
    readers = {id(use.ref.expr) for use in uses(project, made[0])}
    return found if not reads and len(readers) == 1 else None


def is_quoted(project: Project, literal: Ref) -> bool:
    """Whether a text stands in quotes; the name of a keyword argument does not."""
    return _PREFIX_AND_QUOTE.match(code_of(project, literal)) is not None


def quoted_like(project: Project, literal: Ref, text: str) -> str:
    """Source code for `text`, with the prefix and the quotes of an existing literal."""
    match = _PREFIX_AND_QUOTE.match(code_of(project, literal))
    prefix, quote = match.groups() if match else ("", '"')
    code = f"{prefix}{quote}{text}{quote}"
    value = literal.expr.value if isinstance(literal.expr, Constant) else ""
    wanted = text.encode() if isinstance(value, bytes) else text
    return code if ast.literal_eval(code) == wanted else repr(wanted)


def code_of(project: Project, ref: Ref) -> str:
    """The source text of an expression, as it is written."""
    source = project.tree.source(ref.key)
    start, end = source.lines.offsets(ref.expr.span)
    return source.text[start:end]


def code_on_one_line(project: Project, ref: Ref) -> str:
    """The source text of an expression; written anew, without comments, if it spans several lines."""
    code = code_of(project, ref)
    if "\n" not in code and "\r" not in code:
        return code
    return ast.unparse(ast.parse(f"({code}\n)", mode="eval"))
