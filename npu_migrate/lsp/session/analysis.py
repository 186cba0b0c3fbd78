"""When the desk is asked about the texts of an editor, and what becomes of its answers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from npu_migrate.lsp.judging.change import Change
from npu_migrate.lsp.judging.desk import Desk, ObsoleteError
from npu_migrate.lsp.judging.judged import Judged
from npu_migrate.lsp.judging.listener import Listener
from npu_migrate.lsp.judging.roots import Override
from npu_migrate.lsp.judging.worker import Worker
from npu_migrate.lsp.session.stages import Event, Stage, stage_after

NOTICED = 0.5
"""Seconds that an answer may take before the user is told that one is coming."""
QUIET = 0.4
"""Seconds without a change after which it is found out which fixes can be carried out."""

_Answer = TypeVar("_Answer")


class _Question(NamedTuple):
    """What the desk is asked to judge; with the next change the answer is obsolete."""

    change: Change
    obsolete: threading.Event


class Analysis:
    """Has the texts of an editor judged as they change. Used by the thread of the connection alone.

    `listener` is told what is no finding, and `take` what is found, each time that something is. `busy` is
    told when an answer takes a while, and when it is there.
    """

    def __init__(
        self,
        listener: Listener,
        take: Callable[[Collection[Judged]], None],
        busy: Callable[[bool], None],
    ) -> None:
        self._listener = listener
        self._take = take
        self._busy = busy
        self._worker = Worker(Desk(_OnLoop(asyncio.get_running_loop(), listener)))
        self._stage = Stage.OFF
        self._change = Change()
        self.lasted = 0.0
        """Seconds that the last answer took."""
        self._obsolete = threading.Event()
        self._news = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    # -- what happens ----------------------------------------------------------------------------------

    def configure(self, folders: Collection[str], override: Override) -> None:
        """Take over the keys of the workspace folders, and what the user of the editor wants otherwise."""
        folders = tuple(folders)
        self._start(self._ask(lambda desk: desk.configure(folders, override)))

    def begin(self, change: Change) -> None:
        """Judge from now on, and at once with this change."""
        self._change = self._change.then(change)
        self._pause(Event.SWITCHED_ON if self._stage.is_off else Event.CHANGED, 0)

    def end(self) -> None:
        """Judge no more, until `begin` is called."""
        self._stage = stage_after(self._stage, Event.SWITCHED_OFF)
        self._interrupt()
        self._wake()

    def changed(self, change: Change, pause: float = 0) -> None:
        """Something has changed. It may change again, and that is waited for, so many seconds.

        While nothing is judged, the change is kept until `begin` is called.
        """
        self._change = self._change.then(change)
        if not self._stage.is_off:
            self._pause(Event.CHANGED, pause)

    # -- what is known ---------------------------------------------------------------------------------

    @property
    def is_settled(self) -> bool:
        """Whether what is found in the present texts is known."""
        return self._stage.is_settled

    async def news(self) -> None:
        """Wait until something else is known, or nothing will be."""
        await self._news.wait()

    async def plan(self, key: str | None) -> bool:
        """Find out how the fixes of a file, or of the next one, can be carried out.

        Returns whether there may be more to find out: False where it is known, or a text has changed.
        """
        obsolete = self._obsolete
        try:
            found = await self._ask(lambda desk: desk.plan(key, obsolete))
        except ObsoleteError:
            return True
        if found is None or obsolete.is_set():
            return False
        self._take([found])
        self._wake()
        return True

    # -- the stages ------------------------------------------------------------------------------------

    def _pause(self, event: Event, seconds: float) -> None:
        self._stage = stage_after(self._stage, event)
        self._interrupt()
        if self._stage.is_pausing:
            self._wait(seconds)

    def _interrupt(self) -> None:
        """Have given up what the desk is asked for, and what is waited for."""
        self._obsolete.set()
        self._obsolete = threading.Event()
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._go_on)

    def _go_on(self) -> None:
        """The pause is over. What is asked is what is known now: a task begins only later."""
        self._stage = stage_after(self._stage, Event.PAUSE_OVER)
        if self._stage is Stage.JUDGING:
            self._start(self._judge(self._question()))
        elif self._stage is Stage.PLANNING:
            self._start(self._plan_all(self._obsolete))

    def _question(self) -> _Question:
        change, self._change = self._change, Change()
        return _Question(change, self._obsolete)

    async def _judge(self, question: _Question | None) -> None:
        """Judge what has changed, and what changes meanwhile right after it: not each keystroke by itself."""
        while question is not None:
            found = await self._answer(question)
            self._stage = stage_after(self._stage, Event.ANSWERED)
            if self._stage is Stage.SETTLED:
                self._take(found)
                self._wake()
                # What comes from the cache says nothing of what the first keystroke will need.
                self._wait(0 if any(one.planned for one in found) else QUIET)
            else:
                self._change = self._change.then(Change(again=frozenset(one.key for one in found)))
            question = self._question() if self._stage is Stage.JUDGING else None

    async def _answer(self, question: _Question) -> Collection[Judged]:
        """What the desk has found; nothing where it has given up or failed."""
        begin = time.monotonic()
        noticing = asyncio.get_running_loop().call_later(NOTICED, self._busy, True)
        try:
            return await self._ask(lambda desk: desk.judge(*question))
        except ObsoleteError:
            return ()
        except Exception as error:  # the texts are judged again when they change
            self._listener.report(error)
            return ()
        finally:
            noticing.cancel()
            self._busy(False)
            self.lasted = time.monotonic() - begin

    async def _plan_all(self, obsolete: threading.Event) -> None:
        while not obsolete.is_set() and await self.plan(None):
            pass
        if not obsolete.is_set():
            self._stage = stage_after(self._stage, Event.PLANNED)
            await self._ask(lambda desk: desk.rest())

    def _wake(self) -> None:
        """Have those that wait look again."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    # -- questions -------------------------------------------------------------------------------------

    async def _ask(self, question: Callable[[Desk], _Answer]) -> _Answer:
        return await self._worker.ask(question)

    def _start(self, step: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(step)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._listener.report(error)


@dataclass(frozen=True, slots=True)
class _OnLoop:
    """Passes on to a listener, on its own thread, what is said on the thread of the desk."""

    loop: asyncio.AbstractEventLoop
    listener: Listener

    def complain(self, message: str) -> None:
        self.loop.call_soon_threadsafe(self.listener.complain, message)

    def report(self, error: Exception) -> None:
        self.loop.call_soon_threadsafe(self.listener.report, error)

    def watch(self, key: str) -> None:
        self.loop.call_soon_threadsafe(self.listener.watch, key)
