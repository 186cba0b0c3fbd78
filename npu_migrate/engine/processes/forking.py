"""Working on the parts of a tree on all processors.

Each process is a copy of this one, so a part goes there as a number, and only what was found comes back.
Sending facts from process to process costs nearly as much as building them (see docs/scaling.md).
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, as_completed
from dataclasses import dataclass, field
from typing import Any, TypeVar

from npu_migrate.engine.job import Part, Progress, tell_nobody
from npu_migrate.engine.processes.indexing import Processes
from npu_migrate.engine.processes.pool import Pool, can_fork
from npu_migrate.engine.processes.worker import LIMITS, IndexSheet, Limits, guarded, start_worker
from npu_migrate.index.indexing import index_sheet

WORTHWHILE = 60
"""Relevant files from which on it pays to start processes: about a quarter of a second of work."""

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class ForkedParts:
    """An `Each` that works on parts in up to `jobs` processes at the same time.

    If a process is lost, its part is worked on here, and its files are parsed by another process, one by one
    where that is lost, too: the file that ends it is given up, no other one. Where this process cannot be
    copied, all parts are done in this way, with `jobs` processes that parse. `index` is what parses a file,
    within `limits`. `progress` is told how many files are done, part by part.
    """

    jobs: int
    progress: Progress = tell_nobody
    limits: Limits = LIMITS
    index: IndexSheet = index_sheet

    def __call__(self, parts: Sequence[Part], work: Callable[[Part], _Result]) -> Iterator[_Result]:
        """The results of `work` for all `parts`, in any order."""
        steps = sum(part.weight for part in parts) if self.jobs > 1 and len(parts) > 1 else 0
        if steps < WORTHWHILE:
            yield from map(work, parts)
            return
        done = 0
        for part, result in self._forked(parts, work) if can_fork() else self._fed(self.jobs, parts, work):
            done += part.weight
            self.progress(done, steps)
            yield result

    def _forked(
        self, parts: Sequence[Part], work: Callable[[Part], _Result]
    ) -> Iterator[tuple[Part, _Result]]:
        within_limits = guarded(self.limits, self.index)
        left = {number: part.with_index(within_limits) for number, part in enumerate(parts)}
        suspects: list[Part] = []
        size = min(self.jobs, len(parts))
        while left:
            for number, result in _worked(left, work, size):
                del left[number]
                yield parts[number], result
            if left:
                # A lost process takes its pool with it. From now on one part is begun after the other, so
                # that the first one that is not done is the one to blame.
                suspects.append(parts[min(left)])
                del left[min(left)]
                size = 1
        yield from self._fed(1, suspects, work)

    def _fed(
        self, size: int, parts: Sequence[Part], work: Callable[[Part], _Result]
    ) -> Iterator[tuple[Part, _Result]]:
        """The results of work that is done here, on facts that other processes build."""
        processes = Processes(size, self.limits, self.index)
        try:
            for part in parts:
                yield part, work(part.with_index(processes))
        finally:
            processes.stop()


@dataclass(slots=True)
class _Inherited:
    """What a process finds in its memory when it begins."""

    parts: Mapping[int, Part] = field(default_factory=dict)
    work: Callable[[Part], Any] | None = None


_inherited = _Inherited()
"""Filled in worker processes only: a pool has no other place for what its processes share."""


def _worked(
    parts: Mapping[int, Part], work: Callable[[Part], _Result], size: int
) -> Iterator[tuple[int, _Result]]:
    """The results for `parts`, as far as no process is lost."""
    pool = Pool(size, _begin, dict(parts), work)
    try:
        futures: dict[Future[_Result], int] = {}
        with contextlib.suppress(BrokenExecutor):
            for number in parts:
                futures[pool.submit(_work_on, number)] = number
        for future in as_completed(futures):
            with contextlib.suppress(BrokenExecutor):
                yield futures[future], future.result()
    finally:
        pool.stop()


def _begin(parts: Mapping[int, Part], work: Callable[[Part], Any]) -> None:
    start_worker()
    # What this process has from its parent is not looked through for cycles: that would copy it.
    gc.freeze()
    _inherited.parts = parts
    _inherited.work = work


def _work_on(number: int) -> Any:
    assert _inherited.work is not None, "each process begins with `_begin`"
    return _inherited.work(_inherited.parts[number])
