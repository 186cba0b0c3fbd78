"""What earlier runs have found out, for the first look at a project."""

from __future__ import annotations

import gc

from npu_migrate.cache.folder import CacheUnusable, cache_folder, open_folder
from npu_migrate.cache.identity import tool_identity
from npu_migrate.cache.store import Store
from npu_migrate.engine.remembering import PlanMemory
from npu_migrate.engine.run import Job, Plan

_MANY = 200_000
"""How many objects may come together before they are set apart."""

_NAMESPACE = b"\0editor"
"""In an editor fixes may also change the files around the one that was asked about, so plans differ."""


class NotRememberedError(Exception):
    """What was asked for is not in the memory."""


def memory_of(job: Job) -> PlanMemory | None:
    """The memory of plans that a project uses; None where there can be none, which only costs time."""
    root = job.discovery.tree.root
    configured = job.settings.cache_dir
    try:
        folder = open_folder(cache_folder(None if configured is None else root / configured))
        return PlanMemory(Store(folder), tool_identity() + _NAMESPACE, _say_nothing)
    except (CacheUnusable, OSError):
        return None


def nothing_new(_: object) -> Plan:
    """Instead of making a plan. Raises `NotRememberedError`."""
    raise NotRememberedError


def _say_nothing(message: str) -> None:
    """A plan that could not be kept is made anew the next time."""


def collect_garbage() -> None:
    """Collect garbage while nobody waits, and set apart what is left if that is much.

    The collector never works by itself here (see `command`). The facts of a project are a million objects
    that stay, and looking through those of one keystroke costs as much as an answer. Set apart, they are not
    looked through again.
    """
    gc.collect()
    if len(gc.get_objects()) > _MANY:
        gc.freeze()
