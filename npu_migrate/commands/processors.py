"""Where a run of the command line does its work: on all processors of this machine, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from npu_migrate.commands.options import CommandError, Options
from npu_migrate.engine.job import Each, Part, Progress, one_by_one

_Result = TypeVar("_Result")


def each_on_processors(options: Options, progress: Progress) -> Each:
    """What works on the parts of a tree, on as many processors as `options` allow."""
    if options.executor is not None:
        return _on_cluster(options.executor)
    jobs = options.jobs or usable_processors()
    return one_by_one if jobs == 1 else _on_processes(jobs, progress)


def usable_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# What these functions import takes more time than a run that is answered from the cache.


def _on_processes(jobs: int, progress: Progress) -> Each:
    def each(parts: Sequence[Part], work: Callable[[Part], _Result]) -> Iterable[_Result]:
        from npu_migrate.engine.processes.forking import ForkedParts

        return ForkedParts(jobs, progress)(parts, work)

    return each


def _on_cluster(executor: str) -> Each:
    def each(parts: Sequence[Part], work: Callable[[Part], _Result]) -> Iterable[_Result]:
        try:
            from npu_migrate.engine.processes.cluster import Cluster
        except ImportError:
            raise CommandError("--executor needs Dask: pip install 'npu-migrate[dask]'") from None
        cluster = Cluster(f"tcp://{executor.removeprefix('dask://')}")
        try:
            yield from cluster(parts, work)
        finally:
            cluster.stop()

    return each
