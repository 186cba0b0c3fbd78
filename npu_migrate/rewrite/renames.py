"""Renaming one identifier: a name, the last part of an attribute or of an import, a keyword's name."""

from __future__ import annotations

import ast

from npu_migrate.intents import Rename
from npu_migrate.places import Span
from npu_migrate.rewrite.document import Document, Refused
from npu_migrate.rewrite.parts import Part, Replace
from npu_migrate.rewrite.tokens import Token


def compile_rename(document: Document, intent: Rename) -> list[Part]:
    """The parts of a `Rename`. Raises `Refused`."""
    token = _identifier(document, intent.place.span)
    if token is None or document.text[token.start : token.end] != intent.old:
        raise Refused(f"line {intent.place.span[0]} does not hold the name {intent.old!r}")
    return [Replace(token.start, token.end, intent.new)]


def _identifier(document: Document, span: Span) -> Token | None:
    """The token that a rename of what stands at `span` changes."""
    start, end = document.lines.offsets(span)
    tokens = [token for token in document.tokens.between(start, end) if token.kind == "name"]
    if len(tokens) == 1 and tokens[0] == ("name", start, end):
        return tokens[0]
    for node in document.nodes_at(span):
        match node:
            case ast.Attribute():
                last = tokens[-1] if tokens else None
                return last if last is not None and last.end == end else None
            case ast.alias():
                words = [document.text[token.start : token.end] for token in tokens]
                named = words.index("as") if "as" in words else len(words)
                return tokens[named - 1] if named else None
            case ast.keyword(arg=str()):
                return tokens[0] if tokens and tokens[0].start == start else None
    return None
