"""One editor: its open texts, the analysis that follows them, and what the editor has been told."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Coroutine
from typing import Protocol, TypeVar

from lsprotocol import types

from npu_migrate.lsp.desk import Desk, ObsoleteError
from npu_migrate.lsp.diagnostics import Shown, by_document, shown_findings, still_refused
from npu_migrate.lsp.documents import Content, OpenFile
from npu_migrate.lsp.judged import Judged
from npu_migrate.lsp.options import Abilities, EditorOptions
from npu_migrate.lsp.places import Places
from npu_migrate.lsp.positions import Encoding
from npu_migrate.lsp.projects import Change
from npu_migrate.lsp.telling import Telling, Told
from npu_migrate.lsp.texts import OpenTexts
from npu_migrate.lsp.worker import Worker

QUIET = 0.4
"""Seconds without a change after which it is found out which fixes can be carried out."""

_Answer = TypeVar("_Answer")

_SLOW = 0.5
_LONGEST_WAIT = 2.0


def pause_after(lasted: float, options: EditorOptions) -> float:
    """How long to wait for the next keystroke when the last answer took so many seconds.

    Longer where it took long; but who has set that there is to be no wait gets none.
    """
    usual = options.debounce / 1000
    patience = lasted if lasted > _SLOW else 0
    return max(usual, min(patience, _LONGEST_WAIT)) if usual else 0


class Editor(Protocol):
    """What an editor is told."""

    def publish(self, params: types.PublishDiagnosticsParams) -> None:
        """The findings of a document."""

    def refresh(self) -> None:
        """That findings of documents are others than those that it was given."""

    def complain(self, message: str) -> None:
        """What its user has to put right."""

    def report(self, error: Exception) -> None:
        """That something has failed that should not."""

    def watch(self, key: str) -> None:
        """Of which file besides those of projects it has to tell when it changes."""


class Session:
    """All that is known of one editor. It is used by the thread of the connection alone."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self.options = EditorOptions()
        self.abilities = Abilities()
        self.encoding = Encoding.Utf16
        self.texts = OpenTexts()
        self._judged: dict[str, Judged] = {}
        self._planned: dict[str, Judged] = {}
        self._telling = Telling(lambda params: None)
        self._asking: list[str] = []
        self._waiting: dict[str, Content | None] = {}
        self._on_disk: set[str] = set()
        self._again: set[str] = set()
        self._look = False
        self._settled = True
        self._news = asyncio.Event()
        self._obsolete = threading.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._due = False
        self._judging = False
        self._duration = 0.0
        self._worker: Worker | None = None

    # -- what the editor says --------------------------------------------------------------------------

    def begin(self, abilities: Abilities, encoding: Encoding) -> None:
        """Take over what the editor can do. To be called once, before anything else."""
        self.abilities = abilities
        self.encoding = encoding
        if not abilities.pulls:
            self._telling = Telling(self._editor.publish)
        loop = asyncio.get_running_loop()

        def complain(message: str) -> None:
            loop.call_soon_threadsafe(self._editor.complain, message)

        def report(error: Exception) -> None:
            loop.call_soon_threadsafe(self._editor.report, error)

        def watch(key: str) -> None:
            loop.call_soon_threadsafe(self._editor.watch, key)

        self._worker = Worker(Desk(complain, report, watch))

    def configure(self, options: EditorOptions, folders: Collection[str]) -> None:
        """Take over settings and the keys of the workspace folders; everything is judged anew."""
        self.options = options
        folders = tuple(folders)
        self._start(self._ask(lambda desk: desk.configure(folders, options.override)))
        self._again |= self.texts.by_key.keys()
        if options.enable:
            self._changed(0)
        else:
            self._halt()

    def hold(self, file: OpenFile, *, typed: bool) -> None:
        """Take over a text that was opened, or that somebody has `typed` in."""
        self.texts.hold(file)
        self._waiting[file.key] = file.content
        self._look |= not typed and not self.abilities.watches
        self._changed(pause_after(self._duration, self.options) if typed else 0)

    def drop(self, uri: str) -> None:
        """A text was closed."""
        file = self.texts.drop(uri)
        if file is None:
            return
        self._waiting[file.key] = self.texts.content(file.key)
        if self._waiting[file.key] is None:
            self._judged.pop(file.key, None)
            self._planned.pop(file.key, None)
        self._telling.forget([part.uri for part in file.parts])
        self._changed(0)

    def drop_parts(self, uris: Collection[str]) -> None:
        """Cells of a notebook are gone."""
        self._telling.forget(uris)

    def saved(self) -> None:
        """A text was saved. An editor that does not watch the files says no more of what changed there."""
        if not self.abilities.watches:
            self._look = True
            self._changed(0)

    def changed_on_disk(self, keys: Collection[str]) -> None:
        """Files were made, changed or removed."""
        if keys:
            self._on_disk |= set(keys)
            self._changed(pause_after(self._duration, self.options))

    # -- what is found ---------------------------------------------------------------------------------

    async def judged(self, key: str, *, planned: bool) -> Judged | None:
        """What is found in the present text of an open file, when that is known.

        With `planned` also how the fixes can be carried out. None for what is not open or not judged.
        """
        while self.options.enable and key in self.texts.by_key:
            found = self._judged.get(key)
            if not self._settled:
                await self._news.wait()
            elif found is None or found.planned or not planned:
                return found
            elif not await self._plan(key) and self._settled:
                return self._judged.get(key)
        return None

    async def told(self, uri: str) -> Told | None:
        """The findings of an open document, when they are known; for an editor that asks for them."""
        file = self.texts.named(uri)
        if file is None:
            return None
        self._asking.append(uri)
        try:
            await self.judged(file.key, planned=False)
        finally:
            self._asking.remove(uri)
        return self._telling.told(uri)

    def latest(self, key: str) -> Judged | None:
        """What was found last in an open file, whose text may be another one by now."""
        return self._judged.get(key)

    def shown(self, file: OpenFile, judged: Judged) -> list[Shown]:
        """The findings of an open file as it is now."""
        places = self.places
        shown = shown_findings(judged, file, places, self.options.link)
        planned = self._planned.get(file.key)
        if judged.planned or planned is None:
            return shown
        return shown + still_refused(shown, shown_findings(planned, file, places, self.options.link))

    @property
    def places(self) -> Places:
        """Where files are shown at this moment."""
        return Places(self.texts.by_key, self.encoding)

    # -- the analysis ----------------------------------------------------------------------------------

    def _changed(self, seconds: float) -> None:
        """What is known is no more true; it is found out again in some seconds."""
        if self.options.enable:
            self._settled = False
            self._schedule(seconds, self._judge)

    def _schedule(self, seconds: float, step: Callable[[], Coroutine[None, None, None]]) -> None:
        self._obsolete.set()
        self._obsolete = threading.Event()
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, lambda: self._start(step()))

    def _start(self, step: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(step)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._editor.report(error)

    async def _judge(self) -> None:
        """Judge what has changed, and what changes meanwhile right after it: not each keystroke by itself."""
        self._due = True
        if self._judging:
            return
        self._judging = True
        try:
            while self._due:
                self._due = False
                await self._judge_once()
        finally:
            self._judging = False

    async def _judge_once(self) -> None:
        change = Change(self._waiting, frozenset(self._on_disk), frozenset(self._again), self._look)
        self._waiting, self._on_disk, self._again, self._look = {}, set(), set(), False
        obsolete = self._obsolete
        begin = time.monotonic()
        try:
            found = await self._ask(lambda desk: desk.judge(change, obsolete))
        except ObsoleteError:
            return
        except Exception:
            self._settled = True
            self._wake()
            raise
        finally:
            self._duration = time.monotonic() - begin
        if obsolete.is_set():
            self._again |= {one.key for one in found}
            return
        self._settled = True
        self._take(found)
        self._schedule(QUIET, self._plan_all)

    async def _plan_all(self) -> None:
        obsolete = self._obsolete
        while not obsolete.is_set() and await self._plan(None):
            pass
        if not obsolete.is_set():
            await self._ask(lambda desk: desk.rest())

    async def _plan(self, key: str | None) -> bool:
        """Find out how the fixes of a file, or of the next one, can be carried out; whether there was one."""
        obsolete = self._obsolete
        try:
            found = await self._ask(lambda desk: desk.plan(key, obsolete))
        except ObsoleteError:
            return True
        if found is None or obsolete.is_set():
            return False
        self._take([found])
        return True

    def _take(self, found: Collection[Judged]) -> None:
        for one in found:
            if one.key in self.texts.by_key:
                self._judged[one.key] = one
                if one.planned:
                    self._planned[one.key] = one
        self._tell({one.key for one in found})
        self._wake()

    def _wake(self) -> None:
        """Have those that wait look again."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _halt(self) -> None:
        """Nothing is to be judged any more, and all findings are taken back."""
        self._obsolete.set()
        if self._timer is not None:
            self._timer.cancel()
        self._settled = True
        self._judged.clear()
        self._planned.clear()
        self._telling.forget_all()
        self._wake()

    # -- what the editor is told -----------------------------------------------------------------------

    def _tell(self, keys: Collection[str]) -> None:
        changed: set[str] = set()
        for key in keys:
            judged = self._judged.get(key)
            for file in self.texts.of_key(key) if judged is not None else ():
                assert judged is not None
                found = by_document(file, self.shown(file, judged))
                for part in file.parts:
                    if self._telling.tell(part.uri, part.version, found[part.uri]):
                        changed.add(part.uri)
        if self.abilities.pulls and self.abilities.refreshes and changed - set(self._asking):
            self._editor.refresh()

    async def _ask(self, question: Callable[[Desk], _Answer]) -> _Answer:
        assert self._worker is not None
        return await self._worker.ask(question)
