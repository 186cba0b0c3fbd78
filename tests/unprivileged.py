"""Folders in which permissions count even when the tests run as root."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

NOBODY = 65534


@contextlib.contextmanager
def unprivileged_folder() -> Iterator[Path]:
    """A folder that belongs to the user as whom the block runs, who is not root."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(0)
