"""Building facts on many processes, of this machine or of others."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Protocol

from npu_migrate.engine.processes.shipping import pack
from npu_migrate.index.indexing import Failure, NotIndexed, Sheet

Chunk = tuple[Sheet, ...]
Packed = list[bytes]

CHUNK = 100_000
"""Characters that are sent at a time: a few dozen milliseconds of work."""

PATIENCE = 10.0
"""Seconds after which a team is asked whether it still works."""


class Team(Protocol):
    """Processes that index chunks of files."""

    @property
    def size(self) -> int:
        """How many chunks they can work on at the same time."""

    @property
    def losses(self) -> tuple[type[BaseException], ...]:
        """What a chunk's future raises if a process was lost that worked on it, or on another one."""

    def submit(self, chunk: Chunk) -> Future[Packed]:
        """Start to index a chunk. May raise one of `losses`."""

    def watch(self) -> None:
        """Is called when nothing was done for a while; raises what should end the work."""

    def renew(self) -> None:
        """Replace the processes that were lost."""


def spread(chunks: Iterable[Chunk], team: Team) -> Iterator[tuple[Sheet, bytes]]:
    """Index `chunks` with `team`; yields the packed facts of each file, in any order.

    When a process is lost, the files that it may have been working on are sent again one by one. The one
    that costs a process then, too, is given up with `NotIndexed`.
    """
    source = iter(chunks)
    waiting: dict[Future[Packed], Chunk] = {}
    exhausted = False
    while True:
        lost: list[Chunk] = []
        while not exhausted and not lost and len(waiting) < 2 * team.size:
            chunk = next(source, None)
            if chunk is None:
                exhausted = True
                break
            try:
                waiting[team.submit(chunk)] = chunk
            except team.losses:
                lost.append(chunk)
        if not waiting and not lost:
            return
        done = set(waiting) if lost else _first_done(waiting, team)
        for future in done:
            chunk = waiting.pop(future)
            try:
                results = future.result()
            except team.losses:
                lost.append(chunk)
            else:
                yield from zip(chunk, results, strict=True)
        if lost:
            # A lost process takes with it what was sent to the others.
            lost += waiting.values()
            wait(waiting)
            waiting.clear()
            team.renew()
            for sheet in (sheet for chunk in lost for sheet in chunk):
                yield sheet, _alone(sheet, team)


def chunks_of(sheets: Iterable[Sheet]) -> Iterator[Chunk]:
    """The sheets in chunks of about `CHUNK` characters."""
    chunk: list[Sheet] = []
    size = 0
    for sheet in sheets:
        chunk.append(sheet)
        size += len(sheet.text)
        if size >= CHUNK:
            yield tuple(chunk)
            chunk, size = [], 0
    if chunk:
        yield tuple(chunk)


def _first_done(waiting: Iterable[Future[Packed]], team: Team) -> set[Future[Packed]]:
    while True:
        done = wait(waiting, PATIENCE, FIRST_COMPLETED).done
        if done:
            return done
        team.watch()


def _alone(sheet: Sheet, team: Team) -> bytes:
    started = time.monotonic()
    try:
        return team.submit((sheet,)).result()[0]
    except team.losses:
        seconds = time.monotonic() - started
        team.renew()
        return pack(Failure(NotIndexed(f"it ended the process that parsed it, after {seconds:.0f} s")))
