"""The folder that holds the cache: where it is, whether it may be trusted, what removes it."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import NamedTuple

from npu_migrate.cache.ownership import wrong_owner

VARIABLE = "NPU_MIGRATE_CACHE_DIR"
"""The environment variable that names the folder, before any setting."""

_ENTRY = re.compile(r"[0-9a-f]{32}\.[a-z]+|\.draft-[0-9a-f]{16}")
_LABELS = (".gitignore", "CACHEDIR.TAG")
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of npu-migrate.\n"


class CacheUnusable(Exception):
    """The folder cannot hold a cache; the text is a sentence without its full stop."""


class Removed(NamedTuple):
    """How many files were removed from a cache, and how many bytes they had."""

    files: int
    size: int


def is_entry(name: str) -> bool:
    """Whether a file of this name in the folder is an entry of the cache, or the draft of one."""
    return _ENTRY.fullmatch(name) is not None


def cache_folder(configured: Path | None) -> Path:
    """The folder that the environment names, else the `configured` one, else the platform's own."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).absolute()
    if configured is not None:
        return configured
    # Imported here because most runs of a team name the folder, or use no cache.
    from platformdirs import user_cache_path

    return user_cache_path("npu-migrate", appauthor=False)


def open_folder(folder: Path) -> Path:
    """`folder`, made if it is missing, for its owner only. Raises `CacheUnusable`.

    One that is not to be believed, see `wrong_owner`, is refused.
    """
    try:
        if not os.path.lexists(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name, text in zip(_LABELS, ("*\n", _TAG), strict=True):
                (folder / name).write_text(text, encoding="utf-8")
        wrong = wrong_owner(folder)
    except OSError as error:
        raise CacheUnusable(f"{folder}: cannot be used: {error.strerror or error}") from None
    if wrong is not None:
        raise CacheUnusable(f"{folder}: {wrong}")
    if not folder.is_dir():
        raise CacheUnusable(f"{folder}: is not a folder")
    return folder


def clean(folder: Path) -> Removed:
    """Remove the files of the cache, and the folder if nothing else is in it. Raises `CacheUnusable`."""
    if not os.path.lexists(folder):
        return Removed(0, 0)
    open_folder(folder)
    files = size = 0
    try:
        for entry in sorted(os.scandir(folder), key=lambda one: one.name):
            if is_entry(entry.name) and not entry.is_dir(follow_symlinks=False):
                size += entry.stat(follow_symlinks=False).st_size
                files += 1
                Path(entry).unlink(missing_ok=True)
        for label in _LABELS:
            (folder / label).unlink(missing_ok=True)
    except OSError as error:
        raise CacheUnusable(f"{folder}: cannot be cleaned: {error.strerror or error}") from None
    with contextlib.suppress(OSError):
        folder.rmdir()
    return Removed(files, size)
