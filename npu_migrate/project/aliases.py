"""Other names for things: what imports and assignments call them."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Binding, Name
from npu_migrate.project.once import once
from npu_migrate.project.project import Project


def aliases_of(project: Project, names: set[str]) -> set[str]:
    """Other names under which imports or assignments bind something called one of `names`."""
    aliases = _alias_table(project)
    return {alias for name in names for alias in aliases.get(name, ())}


@once
def _alias_table(project: Project) -> dict[str, tuple[str, ...]]:
    table: dict[str, set[str]] = {}
    for facts in project.relevant():
        for _, name, binding in facts.bindings():
            original = _aliased_name(binding)
            if original is not None and original != name:
                table.setdefault(original, set()).add(name)
    return {name: tuple(sorted(found)) for name, found in table.items()}


def _aliased_name(binding: Binding) -> str | None:
    if binding.target is not None:
        return binding.target.name
    if binding.kind == "assign" and not binding.path:
        if isinstance(binding.value, Name):
            return binding.value.id
        if isinstance(binding.value, Attribute):
            return binding.value.attr
    return None
