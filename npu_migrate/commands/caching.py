"""The cache of the command line: which runs use it, and how it is removed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from npu_migrate.cache.folder import CacheUnusable, cache_folder, clean, open_folder
from npu_migrate.commands.options import CommandError, Options, require_working_directory
from npu_migrate.engine.job import Job, Machinery
from npu_migrate.languages.saying import Say
from npu_migrate.reports.wording import number_of
from npu_migrate.settings import Settings, SettingsError, load_settings
from npu_migrate.sources.discovery import project_root

if TYPE_CHECKING:
    from collections.abc import Callable


def with_cache(job: Job, options: Options, machinery: Machinery, complain: Callable[[str], None]) -> Job:
    """`job`, which will remember what the same files came to before.

    Standard input has no cache: an editor sends another text each time. `complain` is told why there is no
    cache where there should be one.
    """
    if options.no_cache or "-" in options.paths or machinery.identity is None:
        return job
    from npu_migrate.cache.store import Store
    from npu_migrate.engine.remembering.plans import PlanMemory

    try:
        folder = open_folder(_folder(job.settings, job.discovery.tree.root))
        identity = machinery.identity()
    except (CacheUnusable, OSError) as error:
        complain(f"no cache: {error}")
        return job
    return replace(job, recall=PlanMemory(Store(folder), identity, complain))


def clean_cache(root: str | None, config: str | None, say: Say) -> str:
    """Remove the cache of the project at or above the working directory; returns a line that says what went.

    `root` and `config` are the options of these names. Raises `CommandError`.
    """
    require_working_directory()
    project = project_root((".",)) if root is None else Path(root)
    try:
        folder = _folder(load_settings(project, None if config is None else Path(config)), project)
        removed = clean(folder)
    except (CacheUnusable, SettingsError) as error:
        raise CommandError(f"--clean-cache: {error}") from None
    if not removed.files:
        return say(f"Nothing to remove: no cache in {folder}.") + "\n"
    size = f"{removed.size / 1e6:.1f} MB"
    return say(f"Removed {number_of(removed.files, 'file')} ({size}) from {folder}.") + "\n"


def _folder(settings: Settings, root: Path) -> Path:
    return cache_folder(None if settings.cache_dir is None else root / settings.cache_dir)
