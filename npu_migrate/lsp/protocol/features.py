"""The language server: which questions of an editor it answers, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from npu_migrate.engine.request import require_known_codes
from npu_migrate.lsp.protocol import answers
from npu_migrate.lsp.protocol.connection import Server
from npu_migrate.lsp.session.client import Client, client_of
from npu_migrate.lsp.session.options import SECTION, options_from
from npu_migrate.lsp.showing.actions import EXPLAIN, KINDS
from npu_migrate.lsp.showing.edits import OutdatedError
from npu_migrate.lsp.showing.pages import page_of
from npu_migrate.lsp.texts.addresses import key_of_address
from npu_migrate.lsp.texts.documents import Document
from npu_migrate.lsp.texts.notebooks import NotebookDocument, opened_notebook
from npu_migrate.lsp.texts.positions import Encoding
from npu_migrate.rules import ALL_RULES
from npu_migrate.rules.seen_in_runs import with_run_codes
from npu_migrate.settings import Settings

FIX_DOCUMENT = "npuMigrate.fixDocument"
"""The command that applies all safe fixes in a document; its argument is the document's address."""

_PYTHON = "python"
_SUFFIXES = (".py", ".ipynb")
_WATCHED = (
    *(types.FileSystemWatcher(f"**/{name}") for name in ("*.py", "*.ipynb", "pyproject.toml", ".gitignore")),
    # When a folder is removed, some editors tell of the folder only.
    types.FileSystemWatcher("**", kind=types.WatchKind.Delete),
)


def create_server() -> Server:
    """A server that is ready to be started."""
    server = Server()
    _add_life(server)
    _add_texts(server)
    _add_notebooks(server)
    _add_workspace(server)
    _add_questions(server)
    return server


def _add_life(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        client = client_of(params, Encoding(server.workspace.position_encoding or Encoding.Utf16))
        server.begin(client)
        addresses = [one.uri for one in params.workspace_folders or ()]
        if not addresses and server.workspace.root_uri:
            addresses = [server.workspace.root_uri]
        _configure(server, client.initial_options, _keys_of(addresses))

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        client = server.session.client
        registrations = _registrations(client)
        if registrations:
            await server.client_register_capability_async(types.RegistrationParams(registrations))
        if client.configures:
            await _ask_for_settings(server)


def _keys_of(addresses: Iterable[str]) -> dict[str, str]:
    """The keys of folders by their addresses; without those that are on no disk."""
    return {uri: key for uri in addresses if (key := key_of_address(uri)) is not None}


def _registrations(client: Client) -> list[types.Registration]:
    """What the editor is asked to tell of."""
    found = []
    if client.watches:
        options = types.DidChangeWatchedFilesRegistrationOptions(_WATCHED)
        name = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        found.append(types.Registration("npu-migrate-files", name, options))
    if client.tells_settings:
        about = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        name = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        found.append(types.Registration("npu-migrate-settings", name, about))
    return found


def _configure(server: Server, value: object, folders: Mapping[str, str]) -> None:
    def check(settings: Settings) -> None:
        require_known_codes(settings, with_run_codes(ALL_RULES), f"{SECTION} settings")

    options, complaints = options_from(value, check)
    server.complain_once(complaints)
    server.session.configure(options, folders)


async def _ask_for_settings(server: Server) -> None:
    items = [types.ConfigurationItem(section=SECTION)]
    answer = await server.workspace_configuration_async(types.ConfigurationParams(items))
    found = answer[0] if answer else None
    if isinstance(found, dict) and found:
        session = server.session
        initial = session.client.initial_options
        merged = {**(initial if isinstance(initial, dict) else {}), **found}
        options, _ = options_from(merged, lambda settings: None)
        if options != session.options:
            _configure(server, merged, session.folders)


def _add_texts(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        key = key_of_address(item.uri)
        if key is not None and (item.language_id == _PYTHON or key.endswith(_SUFFIXES)):
            server.session.opened(Document(item.uri, key, item.version, item.text))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        session = server.session
        document = session.texts.named(params.text_document.uri)
        version = params.text_document.version
        if isinstance(document, Document) and version >= document.version:
            session.edited(document.changed(version, params.content_changes, session.client.encoding))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.session.saved()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.session.closed(params.text_document.uri)


def _add_notebooks(server: Server) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        key = key_of_address(params.notebook_document.uri)
        if key is not None:
            texts = params.cell_text_documents
            server.session.opened(opened_notebook(params.notebook_document, key, texts))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        session = server.session
        notebook = session.texts.named(params.notebook_document.uri)
        if isinstance(notebook, NotebookDocument):
            later = notebook.changed(params.change, session.client.encoding)
            session.edited(later)
            session.removed(notebook.cells.keys() - later.cells.keys())

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveNotebookDocumentParams) -> None:
        server.session.saved()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        server.session.closed(params.notebook_document.uri)


def _add_workspace(server: Server) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        keys = (key_of_address(change.uri) for change in params.changes)
        server.session.changed_on_disk({key for key in keys if key is not None})

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        session = server.session
        removed = {folder.uri for folder in params.event.removed}
        kept = {uri: key for uri, key in session.folders.items() if uri not in removed}
        added = _keys_of(folder.uri for folder in params.event.added)
        session.configure(session.options, {**kept, **added})

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_settings(params: types.DidChangeConfigurationParams) -> None:
        if server.session.client.configures:
            await _ask_for_settings(server)
        elif isinstance(params.settings, dict) and SECTION in params.settings:
            _configure(server, params.settings[SECTION], server.session.folders)


def _add_questions(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            identifier="npu-migrate", inter_file_dependencies=True, workspace_diagnostics=False
        ),
    )
    async def diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return await answers.diagnostics(server.session, params)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await answers.hover(server.session, params)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(list(KINDS), resolve_provider=True)
    )
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await answers.code_actions(server.session, params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        try:
            return await answers.resolved(server.session, action)
        except OutdatedError:
            raise JsonRpcContentModified("the text has changed since this was offered") from None

    @server.command(EXPLAIN)
    async def explain(code: str) -> str | None:
        page = page_of(code, server.session.language())
        if page is not None and server.session.client.shows:
            await server.show_page(code, page)
        return page

    @server.command(FIX_DOCUMENT)
    async def fix_document(uri: str) -> bool:
        try:
            edit = await answers.fix_all(server.session, uri)
        except OutdatedError:
            raise JsonRpcContentModified("the text has changed in the meantime") from None
        if edit is None:
            return False
        title = server.session.language().say("Fix all safe npu-migrate problems")
        return (await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, title))).applied
