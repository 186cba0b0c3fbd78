"""What the program at the other end of the connection can do, as it says when it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from npu_migrate.lsp.texts.positions import Encoding


@dataclass(frozen=True, slots=True)
class Client:
    """What an editor can do beyond what every editor can. It is said once, and holds for the whole session.

    It counts columns in `encoding`; `pulls` findings instead of being told, and can be asked to do so again
    (`refreshes`); gets code actions as such (`literals`) and asks for their edits later (`resolves`); checks
    versions (`versioned`) and makes new files (`creates`); lets its settings be asked for (`configures`) and
    tells of changes of them (`tells_settings`) and of files on disk (`watches`); shows a document when asked
    to (`shows`), and that something takes a while (`shows_progress`).
    `initial_options` are the settings that it came with, as it has sent them; `locale` is its language.
    """

    encoding: Encoding = Encoding.Utf16
    pulls: bool = False
    refreshes: bool = False
    literals: bool = False
    resolves: bool = False
    versioned: bool = False
    creates: bool = False
    configures: bool = False
    tells_settings: bool = False
    watches: bool = False
    shows: bool = False
    shows_progress: bool = False
    initial_options: object = None
    locale: str | None = None


def client_of(params: types.InitializeParams, encoding: Encoding) -> Client:
    """The client that has introduced itself; `encoding` is the one that was agreed on."""
    able = params.capabilities
    workspace, actions = "workspace", "text_document.code_action"
    resolving = _at(able, f"{actions}.resolve_support.properties") or ()
    versioned = bool(_at(able, f"{workspace}.workspace_edit.document_changes"))
    operations = _at(able, f"{workspace}.workspace_edit.resource_operations") or ()
    return Client(
        encoding=encoding,
        pulls=_at(able, "text_document.diagnostic") is not None,
        refreshes=bool(_at(able, f"{workspace}.diagnostics.refresh_support")),
        literals=_at(able, f"{actions}.code_action_literal_support") is not None,
        resolves="edit" in resolving and bool(_at(able, f"{actions}.data_support")),
        versioned=versioned,
        creates=versioned and types.ResourceOperationKind.Create in operations,
        configures=bool(_at(able, f"{workspace}.configuration")),
        tells_settings=bool(_at(able, f"{workspace}.did_change_configuration.dynamic_registration")),
        watches=bool(_at(able, f"{workspace}.did_change_watched_files.dynamic_registration")),
        shows=bool(_at(able, "window.show_document.support")),
        shows_progress=bool(_at(able, "window.work_done_progress")),
        initial_options=params.initialization_options,
        locale=params.locale,
    )


def _at(capabilities: types.ClientCapabilities, path: str) -> Any:
    """What stands at a dotted path; None where the editor does not speak of it."""
    found: Any = capabilities
    for name in path.split("."):
        found = getattr(found, name, None)
    return found
