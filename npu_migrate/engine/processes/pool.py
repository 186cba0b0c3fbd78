"""A pool of processes on this machine that ends when it is told to, whatever its processes are doing."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

_Result = TypeVar("_Result")


class Pool:
    """`size` processes, each of which begins with ``initializer(*arguments)``.

    Where `can_fork`, they have whatever this process has in memory, and `arguments` can be any values;
    elsewhere these have to be picklable.
    """

    def __init__(self, size: int, initializer: Callable[..., object], *arguments: object) -> None:
        before = multiprocessing.active_children()
        self._executor = ProcessPoolExecutor(size, _context(), initializer, arguments)
        self._processes: list[BaseProcess] = []
        try:
            # Ctrl-C is for this process alone; it tells the others.
            with _interruptions_held_back():
                self._executor.submit(os.getpid).result()
                children = multiprocessing.active_children()
                self._processes += (one for one in children if one not in before)
        except BaseException:
            self.stop()
            raise

    def submit(self, function: Callable[..., _Result], *arguments: Any) -> Future[_Result]:
        """Call a function in one of the processes. Raises `BrokenExecutor` if one of them was lost."""
        return self._executor.submit(function, *arguments)

    def stop(self) -> None:
        """End all processes and wait until they are gone."""
        for process in self._processes:
            process.terminate()
        _close_own_ends(self._executor)
        self._executor.shutdown(wait=True, cancel_futures=True)


def _close_own_ends(executor: ProcessPoolExecutor) -> None:
    """Have the executor's threads see that nobody is left at the other ends of its pipes.

    A process that ends in the midst of an answer leaves a thread waiting for the rest of it, for as long as
    this process could write that itself. Until Python 3.10 another one waits for a reader of what is still to
    be sent; later ones close that end by themselves, and twice must not be.
    """
    writer = getattr(getattr(executor, "_result_queue", None), "_writer", None)
    reader = getattr(getattr(executor, "_call_queue", None), "_reader", None)
    for end in (writer, reader) if sys.version_info < (3, 11) else (writer,):
        if end is not None and not end.closed:
            end.close()


def can_fork() -> bool:
    """Whether new processes may begin as copies of this one: on Linux, as long as it has one thread.

    It costs next to nothing, since all is imported and what was read is there.
    """
    return sys.platform == "linux" and threading.active_count() == 1


def _context() -> BaseContext:
    return multiprocessing.get_context("fork" if can_fork() else "spawn")


@contextlib.contextmanager
def _interruptions_held_back() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
