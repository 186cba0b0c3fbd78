"""Which project an open file belongs to, and what the project is."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.job import Job
from npu_migrate.engine.request import Request, Text, prepare
from npu_migrate.lsp.texts.addresses import has_file
from npu_migrate.lsp.texts.documents import Content
from npu_migrate.settings import Settings, SettingsError
from npu_migrate.sources.discovery import ROOT_MARKERS, discover_text, key_of
from npu_migrate.sources.ignores import ignores_above, is_ignored, is_junk, patterns, read_patterns

Override = Callable[[Settings], Settings]


def root_of(key: str, folders: Collection[str]) -> str:
    """The folder of the project that a file belongs to; the file's own key if it is to be judged alone.

    As on the command line that is the nearest folder above with one of `ROOT_MARKERS`; where there is none,
    the one of the workspace `folders` that holds the file, else its own. A whole disk or home is no project:
    looking for the files of one would never end.
    """
    if not has_file(key):
        return key
    vast = {"/", key_of(Path.home())}
    own = key.rpartition("/")[0] or "/"
    for folder in (own, *(parent.as_posix() for parent in Path(own).parents)):
        if folder in vast or _is_disk(folder):
            break
        if any(os.path.exists(f"{folder}/{marker}") for marker in ROOT_MARKERS):  # noqa: PTH110 - `Path` raises
            return folder
    holders = [one for one in folders if one not in vast and (own == one or own.startswith(f"{one}/"))]
    if holders:
        return max(holders, key=len)
    return key if own in vast or _is_disk(own) else own


def _is_disk(folder: str) -> bool:
    return Path(folder).parent == Path(folder)


def job_at(root: str, override: Override, complain: Callable[[str], None]) -> Job:
    """What is to be done for the project at `root`. Wrong settings are told, and defaults used instead."""
    request = Request(paths=(root,), root=Path(root), override=override)
    machinery = installed_machinery()
    try:
        job = prepare(request, machinery)
    except SettingsError as error:
        complain(str(error))
        job = prepare(replace(request, settings=Settings()), machinery)
    return replace(job, display=_as_it_is)


def job_alone(key: str, content: Content, override: Override) -> Job:
    """What is to be done for a text around which nobody knows any files."""
    request = Request(text=Text(b""), root=Path("/"), settings=Settings(), override=override)
    job = prepare(request, installed_machinery())
    return replace(job, discovery=discover_text(content, key, None), display=_as_it_is)


def is_left_out(key: str, root: str, settings: Settings) -> bool:
    """Whether a file below `root` is none that the user maintains, or excluded in the settings."""
    if not key.startswith(f"{root}/"):
        return False
    excluded = patterns(root, settings.exclude)
    folder = root
    for name in key[len(root) + 1 :].split("/")[:-1]:
        folder = f"{folder}/{name}"
        if is_junk(name) or is_ignored(f"{folder}/", excluded):
            return True
    return is_ignored(key, excluded)


def is_passed_over(key: str, root: str, job: Job) -> bool:
    """Whether a file below `root` is none of those that a walk through the project finds."""
    if any(key.startswith(f"{folder}/") for folder in job.discovery.left_out):
        return True
    folder = key.rpartition("/")[0]
    ignores = (*ignores_above(root, folder), *read_patterns(folder, f"{folder}/.gitignore"))
    return is_left_out(key, root, job.settings) or is_ignored(key, ignores)


def _as_it_is(key: str) -> str:
    return key
