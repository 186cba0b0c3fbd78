"""A copy of the user's files in which some have new contents; it appears as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from npu_migrate.sources.discovery import PathError, key_of


class CopyError(PathError):
    """The copy could not be made, and nothing is left of it; the text names the file and the reason."""


def common_folder(paths: Iterable[str]) -> str:
    """The key of the folder below which a copy mirrors the files of `paths`."""
    keys = [key_of(path) for path in paths]
    return key_of(os.path.commonpath([key if Path(key).is_dir() else Path(key).parent for key in keys]))


def require_destination(paths: Iterable[str], destination: str) -> None:
    """Raise `PathError` unless `destination` is new or empty and neither inside `paths` nor around them."""
    folder = Path(destination)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise PathError(f"{destination}: is not a folder; --output needs a new or empty one")
    if folder.is_dir() and any(folder.iterdir()):
        raise PathError(f"{destination}: is not empty; --output needs a new or empty folder")
    real = folder.resolve()
    for path in paths:
        origin = Path(path).resolve()
        if real == origin or real.is_relative_to(origin):
            raise PathError(f"{destination}: lies inside {path}; --output needs a folder elsewhere")
        if origin.is_relative_to(real):
            raise PathError(f"{destination}: contains {path}; --output needs a folder elsewhere")


def copy_files(paths: Sequence[str], destination: str, contents: Mapping[str, bytes]) -> tuple[str, ...]:
    """Copy everything below `paths` to `destination`, with new `contents` for some keys, also of new files.

    Paths below the common folder of `paths` are kept, and so are modes, times and links: a link to
    something inside the copy leads there, any other to where it led. Returns the keys of devices, sockets
    and pipes, which are left out. Raises `CopyError`.
    """
    final = Path(destination).absolute()
    origin = common_folder(paths).rstrip("/")
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".npu-migrate-", dir=final.parent))
    except OSError as error:
        raise CopyError(f"{destination}: cannot be made: {error.strerror}") from None
    try:
        left_out = _fill(draft, origin, [key_of(path) for path in paths], contents)
        if final.is_dir():
            final.rmdir()
        draft.rename(final)
    except BaseException as error:
        shutil.rmtree(draft, ignore_errors=True)
        if isinstance(error, OSError):
            raise CopyError(f"{error.filename or destination}: cannot be copied: {error.strerror}") from None
        raise
    return left_out


def _fill(draft: Path, origin: str, keys: Sequence[str], contents: Mapping[str, bytes]) -> tuple[str, ...]:
    inside = tuple(Path(os.path.realpath(key)) for key in keys)
    left_out: list[str] = []
    folders: list[tuple[str, Path]] = [(origin or "/", draft)]
    pending = [(key, Path(f"{draft}{key[len(origin) :]}")) for key in keys]
    while pending:
        key, place = pending.pop()
        place.parent.mkdir(parents=True, exist_ok=True)
        if key in contents:
            place.write_bytes(contents[key])
            shutil.copystat(key, place)
        elif Path(key).is_symlink() and key not in keys:
            place.symlink_to(_link_target(Path(key), inside))
        elif Path(key).is_dir():
            place.mkdir(exist_ok=True)
            folders.append((key, place))
            pending += ((f"{key.rstrip('/')}/{one.name}", place / one.name) for one in Path(key).iterdir())
        elif Path(key).is_file():
            shutil.copy2(key, place)
        else:
            left_out.append(key)
    for key, data in contents.items():
        if not os.path.lexists(key):
            Path(f"{draft}{key[len(origin) :]}").write_bytes(data)
    for key, place in reversed(folders):
        # Last, because a folder that must not be written to could not be filled.
        shutil.copystat(key, place)
    return tuple(sorted(left_out))


def _link_target(link: Path, inside: Iterable[Path]) -> Path:
    written = link.readlink()
    real = Path(os.path.realpath(link))
    if not any(real.is_relative_to(folder) for folder in inside):
        return real
    if written.is_absolute():
        return Path(os.path.relpath(real, os.path.realpath(link.parent)))
    return written
