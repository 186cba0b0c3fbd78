"""An editor without a screen: it talks to the server over its standard input and output.

Positions are converted here by the words of the protocol, not by the code of the server.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

SERVER = (sys.executable, "-m", "npu_migrate.lsp", "--stdio")
PATIENCE = 60
_LINE = re.compile(r"\r\n|\r|\n")


def capabilities(
    *,
    encoding: str = "utf-16",
    resolves: bool = True,
    versioned: bool = True,
    creates: bool = True,
    pulls: bool = False,
    shows: bool = True,
    watches: bool = True,
    configures: bool = False,
    progress: bool = False,
) -> types.ClientCapabilities:
    """What an editor of today can do, as far as it matters here."""
    kinds = types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix])
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(encoding)]),
        window=types.WindowClientCapabilities(
            show_document=types.ShowDocumentClientCapabilities(support=True) if shows else None,
            work_done_progress=progress,
        ),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(
                document_changes=versioned,
                resource_operations=[types.ResourceOperationKind.Create] if creates else None,
            ),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                dynamic_registration=watches
            ),
            did_change_configuration=types.DidChangeConfigurationClientCapabilities(
                dynamic_registration=configures
            ),
            configuration=configures,
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=pulls),
        ),
        notebook_document=types.NotebookDocumentClientCapabilities(
            synchronization=types.NotebookDocumentSyncClientCapabilities()
        ),
        text_document=types.TextDocumentClientCapabilities(
            diagnostic=types.DiagnosticClientCapabilities() if pulls else None,
            code_action=types.CodeActionClientCapabilities(
                code_action_literal_support=types.ClientCodeActionLiteralOptions(kinds),
                data_support=True,
                resolve_support=types.ClientCodeActionResolveOptions(["edit"]) if resolves else None,
            ),
        ),
    )


@dataclass
class Text:
    """What the editor holds of one document."""

    version: int
    text: str


@dataclass
class Editor:
    """The editor. `told` is all that it was told of findings, in order; `registered` what it watches."""

    client: LanguageClient
    encoding: str
    texts: dict[str, Text] = field(default_factory=dict)
    told: list[types.PublishDiagnosticsParams] = field(default_factory=list)
    registered: list[types.Registration] = field(default_factory=list)
    applied: list[types.WorkspaceEdit] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    # -- documents -------------------------------------------------------------------------------------

    def open(self, path: Path | str, text: str | None = None) -> str:
        """Open a file, or a text under its name; returns the document's name."""
        uri = path.as_uri() if isinstance(path, Path) else path
        if text is None:
            assert isinstance(path, Path)
            text = path.read_bytes().decode()
        self.texts[uri] = Text(1, text)
        item = types.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def write(self, uri: str, text: str) -> None:
        """Replace the text of a document."""
        self._send(uri, text, types.TextDocumentContentChangeWholeDocument(text))

    def replace(self, uri: str, old: str, new: str) -> None:
        """Replace a piece of a document that it holds once, as somebody who types does."""
        text = self.texts[uri].text
        assert text.count(old) == 1, old
        start = text.index(old)
        place = types.Range(self.position(text, start), self.position(text, start + len(old)))
        self._send(
            uri,
            text[:start] + new + text[start + len(old) :],
            types.TextDocumentContentChangePartial(range=place, text=new),
        )

    def _send(self, uri: str, text: str, change: types.TextDocumentContentChangeEvent) -> None:
        held = self.texts[uri]
        self.texts[uri] = Text(held.version + 1, text)
        document = types.VersionedTextDocumentIdentifier(version=held.version + 1, uri=uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, uri: str) -> None:
        """Close a document."""
        del self.texts[uri]
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    def changed_on_disk(
        self, *paths: Path, kind: types.FileChangeType = types.FileChangeType.Changed
    ) -> None:
        """Say that files have changed."""
        changes = [types.FileEvent(path.as_uri(), kind) for path in paths]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))

    # -- findings --------------------------------------------------------------------------------------

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; looked at when the server has said something."""

        async def wait() -> None:
            while not holds():
                self.news.clear()
                await self.news.wait()

        await asyncio.wait_for(wait(), PATIENCE)

    def latest(self, uri: str) -> types.PublishDiagnosticsParams | None:
        """What was told last of a document."""
        return next((one for one in reversed(self.told) if one.uri == uri), None)

    async def found(self, uri: str) -> list[types.Diagnostic]:
        """The findings of the present version of a document."""

        def is_known() -> bool:
            latest = self.latest(uri)
            return latest is not None and latest.version == self.texts[uri].version

        await self.until(is_known)
        latest = self.latest(uri)
        assert latest is not None
        return list(latest.diagnostics)

    async def codes(self, uri: str) -> list[str]:
        """The codes of the findings of the present version of a document."""
        return [str(one.code) for one in await self.found(uri)]

    async def until_codes(self, uri: str, *codes: str) -> None:
        """Wait until these are the findings of a document."""

        def are_told() -> bool:
            latest = self.latest(uri)
            return latest is not None and [one.code for one in latest.diagnostics] == list(codes)

        await self.until(are_told)

    # -- actions ---------------------------------------------------------------------------------------

    async def actions(
        self,
        uri: str,
        place: types.Range | None = None,
        only: Sequence[str] | None = None,
        trigger: types.CodeActionTriggerKind = types.CodeActionTriggerKind.Invoked,
    ) -> list[types.CodeAction]:
        """What is offered at a place, or in the whole document, but for the pages of rules."""
        offered = await self.offered(uri, place, only, trigger)
        return [one for one in offered if isinstance(one, types.CodeAction)]

    async def offered(
        self,
        uri: str,
        place: types.Range | None = None,
        only: Sequence[str] | None = None,
        trigger: types.CodeActionTriggerKind = types.CodeActionTriggerKind.Invoked,
    ) -> list[types.CodeAction | types.Command]:
        """All that is offered. The client library takes an action that is a command for the command."""
        text = self.texts[uri].text
        place = place or types.Range(types.Position(0, 0), self.position(text, len(text)))
        answer = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(uri),
                place,
                types.CodeActionContext([], only=only, trigger_kind=trigger),
            )
        )
        return list(answer or ())

    async def edit_of(self, action: types.CodeAction) -> types.WorkspaceEdit:
        """The edit of an action, which the server is asked for if it has not come along."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None
        return action.edit

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Apply an edit: to the documents that are open, and to files on disk."""
        if edit.document_changes is not None:
            for change in edit.document_changes:
                if isinstance(change, types.CreateFile):
                    Path(types_path(change.uri)).touch(exist_ok=False)
                    continue
                assert isinstance(change, types.TextDocumentEdit)
                document = change.text_document
                held = self.texts.get(document.uri)
                assert document.version == (None if held is None else held.version)
                self._apply(document.uri, [one for one in change.edits if isinstance(one, types.TextEdit)])
        for uri, edits in (edit.changes or {}).items():
            self._apply(uri, edits)

    def _apply(self, uri: str, edits: Sequence[types.TextEdit]) -> None:
        if uri in self.texts:
            self.write(uri, self.edited(self.texts[uri].text, edits))
            return
        file = Path(types_path(uri))
        file.write_bytes(self.edited(file.read_bytes().decode(), edits).encode())

    def edited(self, text: str, edits: Sequence[types.TextEdit]) -> str:
        """A text after edits, which all speak of the text as it was."""
        spans = [
            (self.offset(text, one.range.start), self.offset(text, one.range.end), one.new_text)
            for one in edits
        ]
        order = sorted(range(len(spans)), key=lambda index: (spans[index][0], index))
        for first, second in pairwise(order):
            assert spans[first][1] <= spans[second][0], "edits overlap"
        for index in reversed(order):
            start, end, new = spans[index]
            text = text[:start] + new + text[end:]
        return text

    # -- positions -------------------------------------------------------------------------------------

    def position(self, text: str, offset: int) -> types.Position:
        """The position of an offset."""
        line, start = 0, 0
        for match in _LINE.finditer(text):
            if match.end() > offset:
                break
            line, start = line + 1, match.end()
        return types.Position(line, sum(map(self._width, text[start:offset])))

    def offset(self, text: str, position: types.Position) -> int:
        """The offset of a position."""
        starts = [0, *(match.end() for match in _LINE.finditer(text))]
        offset, column = starts[position.line], position.character
        while column > 0:
            column -= self._width(text[offset])
            offset += 1
        assert column == 0, "a position inside a character"
        return offset

    def _width(self, character: str) -> int:
        if self.encoding == "utf-16":
            return 2 if ord(character) > 0xFFFF else 1
        return len(character.encode("utf-8", "surrogatepass")) if self.encoding == "utf-8" else 1

    def text_at(self, uri: str, place: types.Range) -> str:
        """What stands at a place of a document."""
        text = self.texts[uri].text
        return text[self.offset(text, place.start) : self.offset(text, place.end)]


def types_path(uri: str) -> str:
    """The path in the address of a file."""
    from urllib.parse import unquote, urlsplit

    return unquote(urlsplit(uri).path)


@asynccontextmanager
async def editor(
    *folders: Path,
    options: dict[str, Any] | None = None,
    able: types.ClientCapabilities | None = None,
    settings: dict[str, Any] | None = None,
    locale: str | None = None,
    command: Sequence[str] = SERVER,
) -> AsyncIterator[Editor]:
    """An editor with these folders in its workspace, connected to a server that ends with the block."""
    able = able or capabilities()
    assert able.general is not None and able.general.position_encodings
    client = make_test_lsp_client()
    one = Editor(client, str(able.general.position_encodings[0].value))

    client.protocol.fm.features.pop(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def publish(params: types.PublishDiagnosticsParams) -> None:
        one.told.append(params)
        one.news.set()

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        one.registered += params.registrations
        one.news.set()

    @client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        one.applied.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    for name in (types.WINDOW_SHOW_MESSAGE, types.WINDOW_LOG_MESSAGE, types.WORKSPACE_DIAGNOSTIC_REFRESH):
        _wakes(client, name, one)
    if settings is not None:
        client.set_configuration({"npuMigrate": settings})
    await client.start_io(*command)
    await client.initialize_session(
        types.InitializeParams(
            capabilities=able,
            workspace_folders=[types.WorkspaceFolder(one.as_uri(), one.name) for one in folders],
            initialization_options={"debounce": 0, **(options or {})},
            locale=locale,
        )
    )
    try:
        yield one
    finally:
        await client.shutdown_session()
        await client.stop()


def _wakes(client: LanguageClient, name: str, one: Editor) -> None:
    """Messages of this kind may be what a test waits for."""
    usual = client.protocol.fm.features[name]

    def told(params: Any) -> Any:
        answer = usual(params)
        one.news.set()
        return answer

    client.protocol.fm.features[name] = told
