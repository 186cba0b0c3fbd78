"""Who answers: the code of this tool and of what it reads Python with. Another answerer, another cache."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from npu_migrate.version import __version__

_PACKAGE = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - walked on each run; `Path` doubles its cost


def tool_identity() -> bytes:
    """A hash of all that decides what the same files come to: version, code, Python, LibCST.

    The code itself is hashed, not only its version, so that a development checkout is never answered by
    what an older state of it found.
    """
    digest = hashlib.blake2b(digest_size=32)
    about = (
        __version__,
        sys.version,
        sys.platform,
        sys.implementation.cache_tag,
        sys.getfilesystemencoding(),  # by which the names of files are other strings
    )
    digest.update(repr(about).encode())
    if getattr(sys, "frozen", False):
        # The executable has all of it, and the modules are no files.
        with open(sys.executable, "rb") as file:  # noqa: PTH123 - see `_PACKAGE`
            digest.update(file.read())
        return digest.digest()
    for name, path in sorted(_modules(_PACKAGE, "")):
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
            content = file.read()
        digest.update(f"\0{name}\0{len(content)}\0".encode())
        digest.update(content)
    digest.update(_libcst_version())
    return digest.digest()


def _modules(folder: str, name: str) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield f"{name}/{entry.name}", entry.path
            elif entry.name not in ("__pycache__", "examples") and entry.is_dir():
                yield from _modules(entry.path, f"{name}/{entry.name}")


def _libcst_version() -> bytes:
    """What LibCST says of itself, without importing it."""
    spec = find_spec("libcst")
    if spec is None or spec.origin is None:
        return b""
    file = Path(spec.origin).with_name("_version.py")
    return file.read_bytes() if file.is_file() else spec.origin.encode()
