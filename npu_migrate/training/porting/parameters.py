"""Keys that a program's NpuOptimizer entries are to get."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Expr
from npu_migrate.index.names import spelled
from npu_migrate.intents import InsertStatement, Intent, Side
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.training.npu.configs import Entry, entries, parameter_writes, run_config_setting, run_configs


def parameter_insertion(
    project: Project, key: str, name: str, field: str, code: str
) -> tuple[Intent, ...] | None:
    """What sets the key `name` in all entries of the programs of a file.

    None if it is set already, or may be; empty if there is no entry yet, or one of them has no name.
    """
    near = project.neighbours(key)
    found = [entry for entry in entries(project) if entry.added.key in near]
    if any(run_config_setting(project, call, name) for call in run_configs(project) if call.key in near):
        return None
    intents: list[Intent] = []
    for entry in found:
        if any(write.key in (None, name) for write in parameter_writes(project, entry)):
            return None
        added = _after_name(project, entry, f'.parameter_map["{name}"].{field} = {code}')
        if added is None:
            return ()
        intents.append(added)
    return tuple(dict.fromkeys(intents))


def _after_name(project: Project, entry: Entry, code: str) -> Intent | None:
    """The statement behind the one that names the entry."""
    for named in entry.named[:1] or (entry.added,):
        statement = project.statement(named)
        target = statement.targets[0] if len(statement.targets) == 1 else None
        name = _entry_of(target)
        if name is not None and statement.kind == "Assign":
            return InsertStatement(Place(named.key, statement.span), Side.AFTER, f"{name}{code}")
    return None


def _entry_of(target: Expr | None) -> str | None:
    if isinstance(target, Attribute):
        return spelled(target.value) if target.attr == "name" else None
    return None if target is None else spelled(target)
