"""What earlier runs have found out, for the first look at a project."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from dataclasses import replace

from npu_migrate.cache.folder import CacheUnusable, cache_folder, open_folder
from npu_migrate.cache.identity import tool_identity
from npu_migrate.cache.store import Store
from npu_migrate.engine.fixes.fixing import plan_fixes
from npu_migrate.engine.job import Job, Outcome, Plan
from npu_migrate.engine.remembering.plans import PlanMemory
from npu_migrate.engine.run import run
from npu_migrate.lsp.texts.documents import Content

_MANY = 200_000
"""How many objects may come together before they are set apart."""

_NAMESPACE = b"\0editor"
"""In an editor fixes may also change the files around the one that was asked about, so plans differ."""


class _UnknownError(Exception):
    """What was asked for is not in the memory."""


def memory_of(job: Job) -> PlanMemory | None:
    """The memory of plans that a project uses; None where there can be none, which only costs time."""
    root = job.discovery.tree.root
    configured = job.settings.cache_dir
    try:
        folder = open_folder(cache_folder(None if configured is None else root / configured))
        return PlanMemory(Store(folder), tool_identity(), _say_nothing, _NAMESPACE)
    except (CacheUnusable, OSError):
        return None


def remembered(
    memory: PlanMemory, job: Job, contents: Mapping[str, Content], keys: Iterable[str]
) -> dict[str, Outcome] | None:
    """What an earlier run has found in each of the files `keys`; None where that is not known of all.

    `contents` are the open files of the project.
    """
    if memory.seen(job.discovery.tree).is_first:
        return None
    tree = job.discovery.tree.with_contents(contents)
    found: dict[str, Outcome] = {}
    for key in keys:
        one = replace(tree.focused((key,)), editable=frozenset(tree.targets))
        asked = replace(
            job,
            discovery=replace(job.discovery, tree=one, unread=()),
            plan_fixes=plan_fixes,
            recall=lambda asked, _: memory(asked, _unknown),
        )
        try:
            found[key] = run(asked)
        except _UnknownError:
            return None
    return found


def _unknown(*_: object) -> Plan:
    raise _UnknownError


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
