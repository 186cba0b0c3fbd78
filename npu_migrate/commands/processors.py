"""How many processors a run of the command line uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from npu_migrate.commands.options import Options
from npu_migrate.engine.run import Each, Part, Progress, one_by_one

_Result = TypeVar("_Result")


def each_on_processors(options: Options, progress: Progress) -> Each:
    """What plans the parts of a tree, on as many processors as `options` allow: all, or ``--jobs``."""
    jobs = options.jobs or usable_processors()
    if jobs == 1:
        return one_by_one

    def each(parts: Sequence[Part], work: Callable[[Part], _Result]) -> Iterable[_Result]:
        # A run that is answered from the cache plans nothing, and takes less time than this import.
        from npu_migrate.engine.forking import ForkedParts

        return ForkedParts(jobs, progress)(parts, work)

    return each


def usable_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
