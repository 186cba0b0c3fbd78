"""The statements of a file in groups, so that nobody has to look through all of them."""

from __future__ import annotations

from collections.abc import Mapping

from npu_migrate.index.facts import FileFacts, Statement
from npu_migrate.index.names import lookup
from npu_migrate.index.syntax import Site
from npu_migrate.project.once import once, once_per_file
from npu_migrate.project.project import Project


def statements_of_scope(project: Project, facts: FileFacts, scope: int) -> tuple[Statement, ...]:
    """The statements that stand in one scope, in source order."""
    return _by_scope(project, facts).get(scope, ())


@once_per_file
def _by_scope(facts: FileFacts) -> Mapping[int, tuple[Statement, ...]]:
    found: dict[int, list[Statement]] = {}
    for statement in facts.statements:
        found.setdefault(statement.scope, []).append(statement)
    return {scope: tuple(statements) for scope, statements in found.items()}


def names_of_scope(project: Project, key: str, word: str, scope: int) -> tuple[Site, ...]:
    """Where a file has the name `word` in the meaning that the scope `scope` gives it, in source order."""
    return _names_by_scope(project, key, word).get(scope, ())


@once
def _names_by_scope(project: Project, key: str, word: str) -> Mapping[int, tuple[Site, ...]]:
    facts = project.facts(key)
    assert facts is not None
    found: dict[int, list[Site]] = {}
    for site in project.names(key, word):
        meant = lookup(facts, site.scope, word)
        if meant is not None:
            found.setdefault(meant.scope, []).append(site)
    return {scope: tuple(sites) for scope, sites in found.items()}
