"""What an editor shows while findings take a while."""

from __future__ import annotations

import asyncio
from itertools import count

from lsprotocol import types
from pygls.lsp.server import LanguageServer


class ShownProgress:
    """A progress bar without a length, in the editor that `server` serves. Used by its thread alone."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._tokens = (f"npu-migrate-{number}" for number in count(1))
        self._wanted: str | None = None
        self._shown: str | None = None
        self._asking: asyncio.Task[None] | None = None

    def begin(self, title: str) -> None:
        """Show it, unless it is shown."""
        if self._wanted is None:
            self._wanted = next(self._tokens)
            self._asking = asyncio.get_running_loop().create_task(self._show(self._wanted, title))

    def end(self) -> None:
        """Show it no more."""
        if self._shown is not None:
            self._server.work_done_progress.end(self._shown, types.WorkDoneProgressEnd())
        self._wanted = self._shown = None

    async def _show(self, token: str, title: str) -> None:
        await self._server.work_done_progress.create_async(token)
        # It may have come to its end before the editor has answered.
        if self._wanted == token:
            self._server.work_done_progress.begin(token, types.WorkDoneProgressBegin(title))
            self._shown = token
