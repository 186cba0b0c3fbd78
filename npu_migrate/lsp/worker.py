"""One thread that does the analysing, so that the connection to the editor never waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from npu_migrate.lsp.desk import Desk

_Answer = TypeVar("_Answer")


class Worker:
    """Asks the desk questions, one after the other, on a thread of its own."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._thread = ThreadPoolExecutor(1, "npu-migrate")

    async def ask(self, question: Callable[[Desk], _Answer]) -> _Answer:
        """The answer to `question`, which runs when those that were asked before are answered."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, question, self._desk)

    def stop(self) -> None:
        """Drop what nobody waits for any more."""
        self._thread.shutdown(wait=False, cancel_futures=True)
