"""Files that options name, as bytes."""

from __future__ import annotations

import sys
from pathlib import Path

from npu_migrate.commands.options import CommandError


def read_input(name: str, option: str) -> bytes:
    """What the file `name` holds; ``-`` is standard input. Raises `CommandError`, which names `option`."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{option}: {name}: {error.strerror}") from None
