"""The connection to one editor: how it is told things."""

from __future__ import annotations

import tempfile
import traceback
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from npu_migrate.lsp.protocol.life import Life
from npu_migrate.lsp.protocol.messages import Protocol
from npu_migrate.lsp.protocol.progress import ShownProgress
from npu_migrate.lsp.session.client import Client
from npu_migrate.lsp.session.session import Session
from npu_migrate.lsp.texts.addresses import address_of_key
from npu_migrate.version import __version__

_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithCells(
            cells=[types.NotebookCellLanguage("python")],
            notebook=types.NotebookDocumentFilterNotebookType("jupyter-notebook"),
        )
    ],
    save=True,
)


_OWN_TEXTS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
)


class Server(LanguageServer):
    """The connection to one editor."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__("npu-migrate", __version__, notebook_document_sync=_NOTEBOOKS, protocol_cls=Protocol)
        self._session: Session | None = None
        self._reported: set[str] = set()
        self._watched: set[str] = set()
        self._complained: set[str] = set()
        self._progress = ShownProgress(self)
        self._pages: tempfile.TemporaryDirectory[str] | None = None
        # pygls would keep a second copy of each text, and fail at messages about texts that are not open.
        for name in _OWN_TEXTS:
            del self.protocol.fm.builtin_features[name]

    @property
    def life(self) -> Life:
        """How far the server has come."""
        return self.protocol.life

    def begin(self, client: Client) -> None:
        """Begin the session with an editor, which has introduced itself."""
        self._session = Session(self, client)

    @property
    def session(self) -> Session:
        """What is known of the editor: it has introduced itself before it says or asks anything else."""
        assert self._session is not None
        return self._session

    # -- telling the editor ----------------------------------------------------------------------------

    def publish(self, params: types.PublishDiagnosticsParams) -> None:
        """Tell the findings of a document."""
        self.text_document_publish_diagnostics(params)

    def refresh(self) -> None:
        """Have the editor ask for findings again."""
        self.workspace_diagnostic_refresh(None)

    def busy(self, title: str | None) -> None:
        """Show that findings take a while, under a title; None when they are there."""
        if title is None:
            self._progress.end()
        elif self.session.client.shows_progress:
            self._progress.begin(title)

    def complain(self, message: str) -> None:
        """Show what the user has to put right."""
        text = f"npu-migrate: {message}"
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))

    def report(self, error: Exception) -> None:
        """Write to the log that something has failed that should not; once for each such failure."""
        frames = traceback.extract_tb(error.__traceback__)[-1:]
        where = f"{type(error).__name__} {[(frame.filename, frame.lineno) for frame in frames]}"
        if where not in self._reported:
            self._reported.add(where)
            text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            message = f"A fault of npu-migrate; please report it.\n{text}"
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    def watch(self, key: str) -> None:
        """Ask the editor to tell when a file changes, if it can."""
        if self.session.client.watches and key not in self._watched:
            self._watched.add(key)
            watcher = types.FileSystemWatcher(key)
            options = types.DidChangeWatchedFilesRegistrationOptions([watcher])
            name = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            one = types.Registration(f"npu-migrate-file-{len(self._watched)}", name, options)
            self.client_register_capability(types.RegistrationParams([one]))

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """What pygls does with an exception of a handler; it would show each of them in a window.

        What is wrong with a request was answered, and is no fault of the server.
        """
        if isinstance(error, JsonRpcInternalError) or not isinstance(error, JsonRpcException):
            self.report(error)

    def complain_once(self, messages: tuple[str, ...]) -> None:
        """Show what is wrong with the settings of the editor, unless that was shown before."""
        for message in messages:
            if message not in self._complained:
                self.complain(message)
        self._complained = set(messages)

    async def show_page(self, code: str, page: str) -> None:
        """Show the page of a rule as a document."""
        if self._pages is None:
            self._pages = tempfile.TemporaryDirectory(prefix="npu-migrate-")
        file = Path(self._pages.name) / f"{code}.md"
        file.write_text(page, encoding="utf-8")
        uri = address_of_key(file.as_posix())
        await self.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True))

    def close(self) -> None:
        """Remove what was written for the editor."""
        if self._pages is not None:
            self._pages.cleanup()
