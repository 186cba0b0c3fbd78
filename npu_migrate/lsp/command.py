"""The command ``npu-migrate-lsp``, which an editor starts."""

from __future__ import annotations

import gc
import os
import sys
from typing import BinaryIO

from npu_migrate.version import __version__

_USAGE = """\
Usage: npu-migrate-lsp [--stdio]

The language server of npu-migrate. An editor starts it and talks to it over standard input and output.

Options:
  --stdio    Standard input and output; there is no other way, so this may be left out.
  --version  Show the version and exit.
  --help     Show this message and exit.
"""
_INSTALL = 'the language server needs more packages; install them with: pip install "npu-migrate[lsp]"'


def main() -> None:
    """Run the command; ends the process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Do what `arguments` ask for; returns the exit code when the connection to the editor has ended.

    That is 0 only if the editor has asked the server to end, as the protocol wants it.
    """
    if arguments == ["--version"]:
        print(f"npu-migrate-lsp {__version__}")
        return 0
    if arguments in (["--help"], ["-h"]):
        print(_USAGE, end="")
        return 0
    if arguments not in ([], ["--stdio"]):
        print(f"npu-migrate-lsp: error: unknown option {arguments[0]} (see --help)", file=sys.stderr)
        return 2
    try:
        from npu_migrate.lsp.protocol.features import create_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in (
            "pygls",
            "lsprotocol",
            "cattrs",
            "attrs",
        ):
            raise
        print(f"npu-migrate-lsp: error: {_INSTALL}", file=sys.stderr)
        return 2
    server = create_server()
    # The server collects while nobody waits for it.
    gc.disable()
    try:
        server.start_io(sys.stdin.buffer, _reserved_output())
    finally:
        server.close()
    return server.life.exit_code


def _reserved_output() -> BinaryIO:
    """Standard output for messages alone: whatever else is printed goes to standard error from now on."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return output
