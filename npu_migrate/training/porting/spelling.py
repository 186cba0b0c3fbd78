"""How a file spells TensorFlow for statements that are added, the names they give, and a file's own text."""

from __future__ import annotations

from io import StringIO
from keyword import iskeyword
from token import NAME, NL, NUMBER, OP, STRING
from tokenize import TokenError, generate_tokens

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
_JOINED = frozenset({NAME, NUMBER, OP, STRING})
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


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
    """The text of an expression on one line, joined where it stands on several.

    None where that would lose a comment or tear a string.
    """
    try:
        source = project.tree.source(ref.key)
    except (OSError, SourceError):
        return None
    start, end = source.lines.offsets(ref.expr.span)
    text = source.text[start:end]
    return text if ref.expr.span[0] == ref.expr.span[2] else _joined(text)


def lines_text(project: Project, place: Place) -> str | None:
    """The lines of a place, also of what stands before and behind it there; None for what cannot be read."""
    try:
        source = project.tree.source(place.path)
    except (OSError, SourceError):
        return None
    start, end = source.lines.offsets(place.span)
    return source.text[source.text.rfind("\n", 0, start) + 1 : end] + source.text[end:].partition("\n")[0]


def _joined(text: str) -> str | None:
    """The tokens of an expression with what stands between them, but for ends of lines and indents."""
    lines = text.splitlines()
    parts: list[str] = []
    of_calls: list[bool] = []
    last, line, column = "(", 0, 0
    try:
        # In brackets a newline ends nothing; the first one keeps the columns of the text.
        tokens = list(generate_tokens(StringIO(f"(\n{text}\n)").readline))[1:]
    except (TokenError, SyntaxError):
        return None
    for token in tokens:
        row = token.start[0] - 2
        if row == len(lines):
            break
        if token.type == NL:
            continue
        if token.type not in _JOINED or token.start[0] != token.end[0]:
            return None
        if row == line:
            parts.append(lines[row][column : token.start[1]])
        elif last == "," and token.string == ")" and of_calls[-1]:
            parts.pop()
        elif last not in _OPENING and token.string not in _CLOSING:
            parts.append(" ")
        if token.string in _OPENING:
            of_calls.append(last in (")", "]") or (last.isidentifier() and not iskeyword(last)))
        elif token.string in _CLOSING:
            of_calls.pop()
        parts.append(token.string)
        last, line, column = token.string, row, token.end[1]
    return "".join(parts)
