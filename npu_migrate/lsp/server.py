"""The language server: which questions of an editor it answers, and by whom."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from npu_migrate.engine.request import require_known_codes
from npu_migrate.lsp import answers
from npu_migrate.lsp.actions import EXPLAIN, KINDS
from npu_migrate.lsp.addresses import key_of_address
from npu_migrate.lsp.connection import Server
from npu_migrate.lsp.documents import Document
from npu_migrate.lsp.edits import OutdatedError
from npu_migrate.lsp.notebooks import NotebookDocument, opened_notebook
from npu_migrate.lsp.options import SECTION, Abilities, abilities_of, options_from
from npu_migrate.lsp.pages import page_of
from npu_migrate.lsp.positions import Encoding
from npu_migrate.rules import ALL_RULES
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
    session = server.session

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.initial = params.initialization_options
        encoding = Encoding(server.workspace.position_encoding or Encoding.Utf16)
        session.begin(abilities_of(params.capabilities), encoding)
        folders = [(one.uri, one.name) for one in params.workspace_folders or ()]
        if not folders and server.workspace.root_uri:
            folders = [(server.workspace.root_uri, "")]
        server.folders = {uri: key for uri, _ in folders if (key := key_of_address(uri)) is not None}
        _configure(server, server.initial)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        registrations = _registrations(session.abilities)
        if registrations:
            await server.client_register_capability_async(types.RegistrationParams(registrations))
        if session.abilities.configures:
            await _ask_for_settings(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.ended = True


def _registrations(abilities: Abilities) -> list[types.Registration]:
    """What the editor is asked to tell of."""
    found = []
    if abilities.watches:
        options = types.DidChangeWatchedFilesRegistrationOptions(_WATCHED)
        name = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        found.append(types.Registration("npu-migrate-files", name, options))
    if abilities.tells_settings:
        about = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        name = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        found.append(types.Registration("npu-migrate-settings", name, about))
    return found


def _configure(server: Server, value: object) -> None:
    def check(settings: Settings) -> None:
        require_known_codes(settings, ALL_RULES, f"{SECTION} settings")

    options, complaints = options_from(value, check)
    server.complain_once(complaints)
    server.session.configure(options, server.folders.values())


async def _ask_for_settings(server: Server) -> None:
    items = [types.ConfigurationItem(section=SECTION)]
    answer = await server.workspace_configuration_async(types.ConfigurationParams(items))
    found = answer[0] if answer else None
    if isinstance(found, dict) and found:
        merged = {**(server.initial if isinstance(server.initial, dict) else {}), **found}
        options, _ = options_from(merged, lambda settings: None)
        if options != server.session.options:
            _configure(server, merged)


def _add_texts(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        key = key_of_address(item.uri)
        if key is not None and (item.language_id == _PYTHON or key.endswith(_SUFFIXES)):
            session.hold(Document(item.uri, key, item.version, item.text), typed=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = session.texts.named(params.text_document.uri)
        version = params.text_document.version
        if isinstance(document, Document) and version >= document.version:
            session.hold(document.changed(version, params.content_changes, session.encoding), typed=True)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        session.saved()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.drop(params.text_document.uri)


def _add_notebooks(server: Server) -> None:
    session = server.session

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        key = key_of_address(params.notebook_document.uri)
        if key is not None:
            texts = params.cell_text_documents
            session.hold(opened_notebook(params.notebook_document, key, texts), typed=False)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        notebook = session.texts.named(params.notebook_document.uri)
        if isinstance(notebook, NotebookDocument):
            later = notebook.changed(params.change, session.encoding)
            session.hold(later, typed=True)
            session.drop_parts(notebook.cells.keys() - later.cells.keys())

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveNotebookDocumentParams) -> None:
        session.saved()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        session.drop(params.notebook_document.uri)


def _add_workspace(server: Server) -> None:
    session = server.session

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        keys = (key_of_address(change.uri) for change in params.changes)
        session.changed_on_disk({key for key in keys if key is not None})

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            server.folders.pop(folder.uri, None)
        for folder in params.event.added:
            key = key_of_address(folder.uri)
            if key is not None:
                server.folders[folder.uri] = key
        session.configure(session.options, server.folders.values())

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_settings(params: types.DidChangeConfigurationParams) -> None:
        if session.abilities.configures:
            await _ask_for_settings(server)
        elif isinstance(params.settings, dict) and SECTION in params.settings:
            _configure(server, params.settings[SECTION])


def _add_questions(server: Server) -> None:
    session = server.session

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            identifier="npu-migrate", inter_file_dependencies=True, workspace_diagnostics=False
        ),
    )
    async def diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return await answers.diagnostics(session, params)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await answers.hover(session, params)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(list(KINDS), resolve_provider=True)
    )
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await answers.code_actions(session, params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        try:
            return await answers.resolved(session, action)
        except OutdatedError:
            raise JsonRpcContentModified("the text has changed since this was offered") from None

    @server.command(EXPLAIN)
    async def explain(code: str) -> str | None:
        page = page_of(code)
        if page is not None and session.abilities.shows:
            await server.show_page(code, page)
        return page

    @server.command(FIX_DOCUMENT)
    async def fix_document(uri: str) -> bool:
        try:
            edit = await answers.fix_all(session, uri)
        except OutdatedError:
            raise JsonRpcContentModified("the text has changed in the meantime") from None
        if edit is None:
            return False
        title = "Fix all safe npu-migrate problems"
        return (await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, title))).applied
