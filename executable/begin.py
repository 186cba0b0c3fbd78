"""Where the executable begins: with the command that it is called by, else with ``npu-migrate``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from importlib import import_module
from types import MappingProxyType

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "npu-migrate": "npu_migrate.start",
        "npu-rehearse": "npu_migrate.commands.rehearsing.command",
        "npu-migrate-lsp": "npu_migrate.lsp.command",
    }
)
"""The commands of the package that need no network, each with the module whose ``main`` it is."""

_LIBRARIES = "LD_LIBRARY_PATH"


def command_of(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The module of the command that a process with these arguments is, and the arguments of the command.

    A link to the executable tells by its name. Under any other name, the first argument may be the one of a
    command: a path of that name is written as ``./npu-rehearse``.
    """
    own, *rest = arguments
    name = own.rpartition("/")[2]
    if rest and rest[0] in COMMANDS and name not in (*COMMANDS,)[1:]:
        name, *rest = rest
    return COMMANDS.get(name, COMMANDS["npu-migrate"]), [name, *rest]


def restore_libraries(environment: MutableMapping[str, str]) -> None:
    """Let other programs find their own libraries: what is unpacked is for this process alone.

    It has been told where that is when it was started, and does not look at the variable again.
    """
    original = environment.pop(f"{_LIBRARIES}_ORIG", None)
    if original is None:
        environment.pop(_LIBRARIES, None)
    else:
        environment[_LIBRARIES] = original


def main() -> None:
    """Do what the process was started for. Ends the process."""
    from multiprocessing import freeze_support

    freeze_support()
    restore_libraries(os.environ)
    module, sys.argv = command_of(sys.argv)
    run: Callable[[], None] = import_module(module).main
    run()


if __name__ == "__main__":
    main()
