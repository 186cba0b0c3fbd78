"""Files that options name, as bytes."""

from __future__ import annotations

import sys
from pathlib import Path

from npu_migrate.commands.options import CommandError


def standard_input() -> bytes:
    """What standard input holds. Raises `CommandError`."""
    if sys.stdin is None:
        raise CommandError("standard input is closed")
    return sys.stdin.buffer.read()


def read_input(name: str, option: str) -> bytes:
    """What the file `name` holds; ``-`` is standard input. Raises `CommandError`, which names `option`."""
    if name == "-":
        return standard_input()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{option}: {name}: {error.strerror}") from None
