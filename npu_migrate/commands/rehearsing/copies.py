"""Copies of a project in a temporary folder: as it is, or migrated.

Python files are copied. All else is a link to where it is, so that data need not be copied; only folders that
hold a checkpoint are copied too, since each run must go on from the same one.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from npu_migrate.commands.options import CommandError
from npu_migrate.engine.fixes.applying import apply_in_memory, chosen_fixes
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.job import Part
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run
from npu_migrate.findings import Applicability
from npu_migrate.settings import Settings
from npu_migrate.sources.discovery import discover, key_of, moved

_CHECKPOINT = "checkpoint"
"""The file in which TensorFlow notes which checkpoint of a folder is the last."""

_LEFT_OUT = "__pycache__"


@dataclass(frozen=True, slots=True)
class Migration:
    """What the fixes come to: new bytes by key, and how many fixes of each kind were applied."""

    contents: Mapping[str, bytes] = field(default_factory=dict)
    safe: int = 0
    unsafe: int = 0


@dataclass(frozen=True, slots=True)
class ProjectCopy:
    """A copy of the project `root` in `folder`; both are keys. `folder` may be the project itself."""

    root: str
    folder: str
    migration: Migration = Migration()

    def copied(self, key: str) -> str:
        """Where a file or folder of the project is in the copy; what lies elsewhere stays where it is."""
        return moved(key, self.root, self.folder)

    def origin(self, key: str) -> str:
        """The opposite of `copied`."""
        return moved(key, self.folder, self.root)


def migration_of(root: str, script: str, config: Path | None, settings: Settings) -> Migration:
    """The fixes for the program that `script` starts, as in a migration of the whole project `root`.

    Both are keys. `settings` tell which fixes are wanted. Raises `PathError` and `SettingsError`.
    """
    request = Request(paths=(root,), root=Path(root), config=config, override=lambda _: settings)
    job = prepare(request, installed_machinery())
    parts = [part for part in job.split(job.discovery.tree, None) if _holds(part, script)]
    outcome = run(replace(job, split=lambda *_: parts))
    own = frozenset(
        file
        for part in parts
        for program in part.programs
        if script in program.files
        for file in program.files
    )
    shown = job.display(script)
    diagnosed = (
        one
        for one in outcome.diagnosed
        if one.place.path in own and shown in (one.diagnostic.programs or (shown,))
    )
    applied = apply_in_memory(outcome.tree, chosen_fixes(diagnosed, settings.applicability))
    return Migration(applied.contents, applied.count(Applicability.SAFE), applied.count(Applicability.UNSAFE))


def _holds(part: Part, script: str) -> bool:
    return any(script in program.files for program in part.programs)


def copy_project(root: str, destination: Path, migration: Migration) -> ProjectCopy:
    """Copy the project `root` to `destination`, which is made. Raises `CommandError`."""
    tree = discover((), Path(root)).tree
    python = frozenset((*tree.context, *migration.contents))
    folders = frozenset(folder.as_posix() for key in python for folder in Path(key).parents)
    try:
        _copy(Path(root), destination, migration.contents, python, folders)
    except OSError as error:
        raise CommandError(
            f"{error.filename or root}: cannot be copied to a temporary folder: {error.strerror}"
        ) from None
    return ProjectCopy(root, key_of(destination), migration)


def copy_folder(folder: str, destination: Path) -> str:
    """A folder of its own in which a script finds what it would find in `folder`. Raises `CommandError`."""
    try:
        _copy(Path(folder), destination, {}, frozenset(), frozenset({folder}))
    except OSError as error:
        raise CommandError(
            f"{error.filename or folder}: cannot be copied to a temporary folder: {error.strerror}"
        ) from None
    return key_of(destination)


def _copy(
    origin: Path,
    place: Path,
    contents: Mapping[str, bytes],
    python: frozenset[str],
    folders: frozenset[str],
) -> None:
    place.mkdir()
    for entry in origin.iterdir():
        key = key_of(entry)
        if entry.name == _LEFT_OUT or place.is_relative_to(entry):
            continue
        if key in contents:
            (place / entry.name).write_bytes(contents[key])
            shutil.copymode(entry, place / entry.name)
        elif key in python:
            shutil.copy2(entry, place / entry.name)
        elif key in folders and not entry.is_symlink():
            _copy(entry, place / entry.name, contents, python, folders)
        elif (entry / _CHECKPOINT).is_file():
            shutil.copytree(entry, place / entry.name, symlinks=True)
        else:
            _link(entry, place / entry.name)


def _link(entry: Path, place: Path) -> None:
    """A link, or a copy where links are not allowed."""
    try:
        place.symlink_to(entry, target_is_directory=entry.is_dir())
    except OSError:
        with contextlib.suppress(shutil.Error):
            if entry.is_dir():
                shutil.copytree(entry, place)
            else:
                shutil.copy2(entry, place)
