"""Builds the facts of one file: one ``ast.parse`` and one pass over the tree.

What is noted of a node is said in the module of `building` that has the handler of its class.
"""

from __future__ import annotations

import ast

from npu_migrate.index.building import expressions, imports, scopes, statements, targets
from npu_migrate.index.building.walk import Handlers, Walk
from npu_migrate.index.facts import NOTHING, FileFacts
from npu_migrate.index.parsing import parse

_EXPRESSIONS = Handlers(
    {**expressions.EXPRESSIONS, **targets.EXPRESSIONS, **scopes.EXPRESSIONS}, expressions.any_other
)
_STATEMENTS = Handlers(
    {**statements.STATEMENTS, **targets.STATEMENTS, **scopes.STATEMENTS, **imports.STATEMENTS},
    statements.any_other,
)


def build_facts(key: str, text: str) -> FileFacts:
    """The facts of the file `key` with the decoded `text`; raises what `parse` raises."""
    return build_part(key, parse(text))


def build_part(
    key: str, tree: ast.Module, *, place: int = 0, first_statement: int = 0, first_scope: int = 1
) -> FileFacts:
    """The facts of some statements at the top level of a file, of which there may be others around them.

    `place` is the first one's place among these, `first_statement` its number. Scopes are the module, without
    what others bind in it, and those of the statements, which are numbered from `first_scope`.
    """
    walk = Walk(_EXPRESSIONS, _STATEMENTS, first_statement, first_scope)
    walk.block(tree.body, NOTHING, "body", place)
    return walk.facts(key)
