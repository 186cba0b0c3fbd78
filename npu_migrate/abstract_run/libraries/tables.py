"""What a model is: a function of the world and of the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from npu_migrate.abstract_run.libraries.world import World
from npu_migrate.abstract_run.machine.values import Arguments, Value

Model = Callable[[World, Arguments], Value]
Models = Mapping[str, Model]
"""Models by the canonical names of the functions and classes."""


def given(
    world: World, arguments: Arguments, name: str, position: int | None, default: Value = None
) -> Value:
    """An argument, by its name or position. Raises `Lost` where it may have been given in a way not seen."""
    if name in arguments.keywords:
        return arguments.keywords[name]
    if position is not None and position < len(arguments.positional):
        return arguments.positional[position]
    if arguments.vague:
        raise world.run.lost(f"it is not known whether `{name}` is given")
    return default
