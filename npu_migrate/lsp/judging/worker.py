"""One thread that does the analysing, so that the connection to the editor never waits for it."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from npu_migrate.lsp.judging.desk import Desk

_Answer = TypeVar("_Answer")


class Worker:
    """Asks the desk questions, one after the other, on a thread of its own.

    The thread ends with the process, whatever it is doing.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._questions: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def ask(self, question: Callable[[Desk], _Answer]) -> _Answer:
        """The answer to `question`, which runs when those that were asked before are answered.

        Raises what `question` raises.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="npu-migrate", daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[_Answer] = loop.create_future()

        def give(result: _Answer | None, error: Exception | None) -> None:
            if answer.done():
                return
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(result)  # type: ignore[arg-type]  # there is one where there is no error

        def work() -> None:
            result: _Answer | None = None
            problem: Exception | None = None
            try:
                result = question(self._desk)
            except Exception as error:  # raised again where the answer is waited for
                problem = error
            if not loop.is_closed():
                loop.call_soon_threadsafe(give, result, problem)

        self._questions.put(work)
        return await answer

    def _work(self) -> None:
        while True:
            self._questions.get()()
