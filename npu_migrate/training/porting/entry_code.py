"""The lines that put the NpuOptimizer entry into a config, and what they need to be imported.

Sources: DOC-PORT and DOC-QUICK for the lines, CODE:npu_init.py for the import.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from npu_migrate.index.facts import FileFacts
from npu_migrate.index.names import lookup
from npu_migrate.intents import AddImport, InsertStatement, Side
from npu_migrate.knowledge import npu, session_configs
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.semantics.resolution import External, Module, attribute_symbols
from npu_migrate.training.npu.options.rewriter import MEMORY, REMAPPING

Key = tuple[str, str, str]
"""An option of the NPU: its name, its field, the code of its value."""

_FIRST_RANK = -9000
_MOST_LINES = 100
"""The lines of one config stay together, before all that others put at the same place."""


def entry_lines(
    config: str,
    entry: str,
    *,
    offload: bool,
    soft: bool,
    keys: tuple[Key, ...] = (),
    said: Collection[str] = (),
) -> tuple[str, ...]:
    """The statements that put the entry into `config`, a name or attribute; `entry` is the name it gets.

    With `offload` the preprocessing by ``tf.data`` moves to the device, with `soft` ops that have no kernel
    where they are placed may run elsewhere. `keys` are further options of the NPU, `said` what
    the program tells TensorFlow's rewriter itself.
    """
    options = f"{config}.graph_options.rewrite_options"
    lines = [f"{entry} = {options}.custom_optimizers.add()", f'{entry}.name = "{npu.OPTIMIZER_NAME}"']
    if offload:
        lines.append(f'{entry}.parameter_map["{npu.DATA_PRE_PROC}"].b = True')
    lines += [f'{entry}.parameter_map["{name}"].{field} = {code}' for name, field, code in keys]
    lines += [
        f"{options}.{name} = {session_configs.REWRITER_CONFIG}.OFF"
        for name in (REMAPPING, MEMORY)
        if name not in said
    ]
    if soft:
        lines.append(f"{config}.allow_soft_placement = True")
    return tuple(lines)


def inserted(place: Place, side: Side, lines: tuple[str, ...], number: int = 0) -> Iterator[InsertStatement]:
    """The insertion of all `lines` at one side of the statement at `place`, in their order.

    Behind those that have a lower `number`, and before those that have a higher one.
    """
    for rank, line in enumerate(lines, _FIRST_RANK + _MOST_LINES * number):
        yield InsertStatement(place, side, line, rank)


def import_of(project: Project, facts: FileFacts, scope: int, *names: str) -> tuple[AddImport, ...] | None:
    """What imports `names` of npu_bridge into a file: nothing if it has them, None if one means another
    thing.
    """
    missing = []
    for name in names:
        found = lookup(facts, scope, name)
        if found is not None and found.scope != 0:
            return None
        meant = set(attribute_symbols(project, Module(facts.key), name))
        allowed = {External(home) for home in _homes(name)}
        if meant and not meant <= allowed:
            return None
        if found is not None and not meant:
            return None
        if not _comes_with_adapter(facts, name):
            missing.append(name)
    if not missing:
        return ()
    return (AddImport(facts.key, f"from {npu.NPU_INIT} import {', '.join(missing)}"),)


def _homes(name: str) -> frozenset[str]:
    if name == session_configs.REWRITER_CONFIG:
        return session_configs.REWRITER_CONFIG_HOMES
    return frozenset({npu.canonical(f"{npu.NPU_INIT}.{name}")})


def _comes_with_adapter(facts: FileFacts, name: str) -> bool:
    """Whether a name of the file is npu_bridge's: TensorFlow's own ``RewriterConfig`` loads no adapter."""
    stars = any(star.module in npu.STAR_MODULES for star in facts.scopes[0].stars)
    bindings = facts.scopes[0].bindings.get(name, ())
    modules = {binding.target.module for binding in bindings if binding.target is not None}
    return stars or any(module.startswith(("npu_bridge", "npu_device")) for module in modules)
