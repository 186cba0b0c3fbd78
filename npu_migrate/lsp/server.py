"""The language server: what an editor may ask, and what it is told."""

from __future__ import annotations

import asyncio

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from npu_migrate import __version__
from npu_migrate.lsp.desk import Content, Desk, Judged
from npu_migrate.lsp.diagnostics import editor_diagnostics
from npu_migrate.lsp.documents import Document, key_of_uri
from npu_migrate.lsp.positions import Encoding
from npu_migrate.lsp.worker import Worker

_DEBOUNCE = 0.15
"""Seconds without a keystroke after which the text is judged."""


def create_server() -> LanguageServer:
    """A server that is ready to be started."""
    server = LanguageServer("npu-migrate", __version__)
    session = Session(server)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        session.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        session.changed(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.closed(params.text_document.uri)

    return server


class Session:
    """One editor: its open documents, and the analysis that follows them."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._documents: dict[str, Document] = {}
        self._worker = Worker(Desk((), self._complain))
        self._waiting: dict[str, Content | None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def opened(self, item: types.TextDocumentItem) -> None:
        key = key_of_uri(item.uri)
        if key is None:
            return
        document = Document(item.uri, key, item.version, item.text)
        self._documents[item.uri] = document
        self._waiting[key] = document.content()
        self._schedule(0)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        document = self._documents.get(params.text_document.uri)
        if document is None or params.text_document.version < document.version:
            return
        document = document.changed(params.text_document.version, params.content_changes, self._encoding)
        self._documents[document.uri] = document
        self._waiting[document.key] = document.content()
        self._schedule(_DEBOUNCE)

    def closed(self, uri: str) -> None:
        document = self._documents.pop(uri, None)
        if document is not None:
            self._waiting[document.key] = None
            self._schedule(0)
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @property
    def _encoding(self) -> Encoding:
        return Encoding(self._server.workspace.position_encoding or Encoding.Utf16)

    def _schedule(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, lambda: loop.create_task(self._judge()))

    async def _judge(self) -> None:
        waiting, self._waiting = self._waiting, {}
        versions = {document.key: document for document in self._documents.values()}
        judged = await self._worker.ask(lambda desk: desk.judge(desk.change(waiting) | waiting.keys()))
        for one in judged:
            document = versions.get(one.key)
            if document is not None and self._documents.get(document.uri) is document:
                self._publish(document, one)

    def _publish(self, document: Document, judged: Judged) -> None:
        found = editor_diagnostics(judged, self._encoding, lambda code: None)
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, found, document.version)
        )

    def _complain(self, message: str) -> None:
        self._server.window_log_message(types.LogMessageParams(types.MessageType.Warning, message))
