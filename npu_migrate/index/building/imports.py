"""Import statements, and what they bind."""

from __future__ import annotations

import ast

from npu_migrate.index.building.walk import StatementHandlers, Walk, span_of
from npu_migrate.index.facts import Binding, ImportTarget


def _import(walk: Walk, node: ast.Import, number: int) -> None:
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        target = ImportTarget(alias.name if alias.asname else name, 0, None)
        loads = "" if target.module == alias.name else alias.name
        walk.bind(name, Binding("import", number, target=target, span=span_of(alias), loads=loads))


def _import_from(walk: Walk, node: ast.ImportFrom, number: int) -> None:
    module = node.module or ""
    for alias in node.names:
        walk.words[alias.name].append(number)
        target = ImportTarget(module, node.level, alias.name)
        if alias.name == "*":
            walk.scope.stars.append(target)
        else:
            name = alias.asname or alias.name
            walk.bind(name, Binding("import", number, target=target, span=span_of(alias)))


STATEMENTS: StatementHandlers = {ast.Import: _import, ast.ImportFrom: _import_from}
