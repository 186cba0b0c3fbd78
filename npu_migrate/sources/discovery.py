"""From the paths a user names to a `SourceTree`."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from npu_migrate.sources.ignores import Ignores, ignores_above, is_ignored, is_junk, patterns, read_patterns
from npu_migrate.sources.source import Source
from npu_migrate.sources.tree import SourceTree

ROOT_MARKERS = ("pyproject.toml", "setup.py", ".git")

_LOCK_PREFIX = ".#"
"""Emacs marks a file that is being edited by a link of this name, which leads nowhere."""


class PathError(Exception):
    """A path on the command line cannot be used; the text says why and what to do."""


class Unread(NamedTuple):
    """A folder or file that could not be looked into; `reason` completes a sentence about it."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """What was found.

    `unread` are folders and files inside the named paths that could not be looked into, `unread_context`
    those outside. `empty` are named folders without any Python file or notebook; `left_out` are folders
    inside the named paths that are junk or ignored. `folders` are all that were looked into. `alone` is a
    text of which nobody knows what files are around it. `named` are the files that the user named one by one.
    """

    tree: SourceTree
    unread: tuple[Unread, ...] = ()
    unread_context: tuple[Unread, ...] = ()
    empty: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    alone: bool = False
    named: tuple[str, ...] = ()


class _File(NamedTuple):
    key: str
    real: str


class _Walked(NamedTuple):
    """The entries below one folder; links come behind the files so that files win over links to them."""

    folder: str
    files: list[_File]
    links: list[_File]
    unread: list[Unread]
    left_out: list[str]
    folders: list[str]


def key_of(path: str | os.PathLike[str]) -> str:
    """The key of a path: absolute, normalised, with ``/``; symbolic links are not followed."""
    return os.path.abspath(path).replace(os.sep, "/")  # noqa: PTH100 - `Path.absolute` keeps ".."


def moved(key: str, source: str, target: str) -> str:
    """Where a file or folder lies once the folder `source` is at `target`; elsewhere it stays where it is."""
    if key == source:
        return target
    prefix = f"{source.rstrip('/')}/"
    return f"{target.rstrip('/')}/{key[len(prefix) :]}" if key.startswith(prefix) else key


def project_root(paths: Sequence[str]) -> Path:
    """The nearest folder at or above all `paths` with one of `ROOT_MARKERS`, else their own folder."""
    keys = [key_of(path) for path in paths]
    own = Path(os.path.commonpath([key if _is_folder(key) else Path(key).parent for key in keys]))
    for folder in (own, *own.parents):
        if any(_mode(f"{folder}/{marker}") for marker in ROOT_MARKERS):
            return folder
    return own


def discover(paths: Sequence[str], root: Path, exclude: Sequence[str] = ()) -> Discovery:
    """Find the Python files and notebooks below `paths` (targets) and the others below `root` (context).

    A path that is named is always taken, even if it is ignored or has another suffix. `exclude` holds
    patterns in the syntax of `.gitignore`, relative to `root`. Links to folders are not followed; of a
    file and the links to it only one is a target. Without `paths` everything below `root` is context.

    Raises `PathError` for a path that does not exist, is no regular file or folder, or does not lie
    below `root`, and `ValueError` for a pattern that cannot be understood.
    """
    top = key_of(root)
    keys = sorted({key_of(path) for path in paths})
    for path in paths:
        _require_usable(path, top)
    folders = [key for key in keys if _is_folder(key)]
    named = [_File(key, os.path.realpath(key)) for key in keys if key not in folders]
    excluded = patterns(top, exclude)

    inside = [_walk(folder, ignores_above(top, folder), excluded, frozenset()) for folder in folders]
    targets = _distinct(named, inside)
    outside = _walk(top, ignores_above(top, top), excluded, frozenset(folders))
    context = _distinct(targets, [outside])[len(targets) :]
    return Discovery(
        SourceTree(root, _sorted_keys(targets), _sorted_keys(context)),
        unread=tuple(sorted({one for walked in inside for one in walked.unread})),
        unread_context=tuple(sorted(outside.unread)),
        empty=tuple(walked.folder for walked in inside if not walked.files and not walked.links),
        left_out=tuple(sorted({one for walked in inside for one in walked.left_out})),
        folders=tuple(sorted({one for walked in (*inside, outside) for one in walked.folders})),
        named=tuple(one.key for one in named if one in targets),
    )


def discover_text(
    content: bytes | Source, key: str, root: Path | None, exclude: Sequence[str] = ()
) -> Discovery:
    """A tree whose only target is the file `key` with the given content, whatever a file there holds.

    The other Python files and notebooks below `root` are its context; without a `root` it has none.
    """
    if root is None:
        tree = SourceTree(Path(key).parent, (key,), ())
        return Discovery(tree.with_contents({key: content}), alone=True)
    around = discover((), root, exclude)
    context = tuple(one for one in around.tree.context if one != key)
    tree = SourceTree(root, (key,), context).with_contents({key: content})
    return Discovery(tree, unread_context=around.unread_context)


def _require_usable(name: str, top: str) -> None:
    key = key_of(name)
    try:
        mode = Path(name).stat().st_mode
    except FileNotFoundError:
        what = "is a link that leads nowhere" if Path(name).is_symlink() else "does not exist"
        raise PathError(f"{name}: {what}") from None
    except OSError as error:
        raise PathError(f"{name}: cannot be used: {error.strerror}") from None
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise PathError(f"{name}: is neither a file nor a folder; use - to read from standard input")
    if key != top and not key.startswith(top.rstrip("/") + "/"):
        raise PathError(f"{name}: does not lie below the root folder {top}; give another --root")


def _distinct(first: Iterable[_File], walks: Sequence[_Walked]) -> list[_File]:
    """All files, without those that are one file under another name; earlier ones win."""
    files = [file for walked in walks for file in walked.files]
    links = [file for walked in walks for file in walked.links]
    by_real: dict[str, _File] = {}
    for file in (*first, *files, *links):
        by_real.setdefault(file.real, file)
    return list(by_real.values())


def _sorted_keys(files: Iterable[_File]) -> tuple[str, ...]:
    return tuple(sorted(file.key for file in files))


def _walk(start: str, ignores: Ignores, exclude: Ignores, known: frozenset[str]) -> _Walked:
    """Collect the entries below `start`, not entering the folders in `known`.

    `ignores` are those from above; a folder that `exclude` hides was named by the user, so `exclude` does
    not hold inside.
    """
    if is_ignored(f"{start}/", exclude):
        exclude = ()
    walked = _Walked(start, [], [], [], [], [])
    real_start = os.path.realpath(start).replace(os.sep, "/").rstrip("/")
    prefix = len(start.rstrip("/"))
    stack = [(start.rstrip("/"), ignores)] if start not in known else []
    while stack:
        folder, ignores = stack.pop()
        try:
            with os.scandir(folder or "/") as iterator:
                entries = list(iterator)
        except OSError as error:
            walked.unread.append(Unread(folder, f"cannot be opened: {error.strerror}"))
            continue
        walked.folders.append(folder or "/")
        names = {entry.name for entry in entries}
        if "pyvenv.cfg" in names and folder != start:
            walked.left_out.append(folder)
            continue
        if ".gitignore" in names:
            ignores = (*ignores, *read_patterns(folder, f"{folder}/.gitignore"))
        for entry in entries:
            name = entry.name
            key = f"{folder}/{name}"
            if entry.is_dir(follow_symlinks=False):
                if is_junk(name) or is_ignored(f"{key}/", ignores) or is_ignored(f"{key}/", exclude):
                    walked.left_out.append(key)
                elif key not in known:
                    stack.append((key, ignores))
            elif name.endswith((".py", ".ipynb")) and not (
                name.startswith(_LOCK_PREFIX) or is_ignored(key, ignores) or is_ignored(key, exclude)
            ):
                _take_file(entry, key, f"{real_start}{key[prefix:]}", walked)
    return walked


def _take_file(entry: os.DirEntry[str], key: str, real: str, walked: _Walked) -> None:
    # Asking the entry costs nothing, but of a link that leads to itself it cannot be asked.
    mode = _mode(key) if entry.is_symlink() or not entry.is_file() else stat.S_IFREG
    if stat.S_ISDIR(mode):
        return
    if not stat.S_ISREG(mode):
        walked.unread.append(Unread(key, "is not a regular file"))
    elif entry.is_symlink():
        walked.links.append(_File(key, os.path.realpath(key).replace(os.sep, "/")))
    else:
        walked.files.append(_File(key, real))


def _is_folder(path: str) -> bool:
    return stat.S_ISDIR(_mode(path))


def _mode(path: str) -> int:
    """The type and permissions of what `path` leads to; 0 for nothing."""
    try:
        return Path(path).stat().st_mode
    except OSError:
        return 0
