"""Other names for things: what imports and assignments call them."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Binding, FileFacts, Name
from npu_migrate.project.once import gathered, once_per_file
from npu_migrate.project.project import Project


def aliases_of(project: Project, names: set[str]) -> set[str]:
    """Other names under which imports or assignments bind something called one of `names`."""
    table = _table(project)
    return {alias for name in names for alias in table.get(name, ())}


@gathered
def _table(project: Project) -> dict[str, set[str]]:
    """The aliases of all files, by the original name."""
    table: dict[str, set[str]] = {}
    for facts in project.relevant():
        for original, aliases in _aliases_in(project, facts).items():
            table.setdefault(original, set()).update(aliases)
    return table


@once_per_file
def _aliases_in(facts: FileFacts) -> dict[str, set[str]]:
    table: dict[str, set[str]] = {}
    for _, name, binding in facts.bindings():
        original = _aliased_name(binding)
        if original is not None and original != name:
            table.setdefault(original, set()).add(name)
    return table


def _aliased_name(binding: Binding) -> str | None:
    if binding.target is not None:
        return binding.target.name
    if binding.kind == "assign" and not binding.path:
        if isinstance(binding.value, Name):
            return binding.value.id
        if isinstance(binding.value, Attribute):
            return binding.value.attr
    return None
