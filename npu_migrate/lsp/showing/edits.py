"""Fixes as an editor applies them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types

from npu_migrate.lsp.judging.judged import source_of
from npu_migrate.lsp.showing.places import Places
from npu_migrate.lsp.texts.addresses import address_of_key
from npu_migrate.lsp.texts.documents import Document, OpenFile, Splice
from npu_migrate.lsp.texts.positions import editor_range
from npu_migrate.rewrite.edits import OffsetEdit, by_path
from npu_migrate.sources.source import Source
from npu_migrate.sources.tree import SourceTree


class OutdatedError(Exception):
    """A text is another one than that for which a fix was planned."""


def workspace_edit(
    edits: Iterable[OffsetEdit], tree: SourceTree, places: Places, *, versioned: bool
) -> types.WorkspaceEdit:
    """The edits, which speak of the texts in `tree`, as edits of documents and files.

    `versioned`: the editor checks of which version of a document they speak. Raises `OutdatedError` when one
    of the files is another one by now, and `SourceError` when one cannot take its edits.
    """
    changes: list[types.TextDocumentEdit] = []
    for key, own in by_path(edits).items():
        splices = [edit[1:] for edit in own]
        file = places.files.get(key)
        if file is None:
            changes.append(_closed(key, splices, tree, places))
        else:
            changes += _open(file, splices, tree, places)
    if versioned:
        return types.WorkspaceEdit(document_changes=list(changes))
    return types.WorkspaceEdit(
        changes={
            change.text_document.uri: [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
            for change in changes
        }
    )


def _open(
    file: OpenFile, splices: Sequence[Splice], tree: SourceTree, places: Places
) -> list[types.TextDocumentEdit]:
    content = file.content
    if not isinstance(content, Source) or content.data != tree.data(file.key):
        raise OutdatedError
    return [
        _of_document(part, edits) for part, edits in file.spliced(splices, places.encoding).items() if edits
    ]


def _of_document(part: Document, edits: Sequence[types.TextEdit]) -> types.TextDocumentEdit:
    document = types.OptionalVersionedTextDocumentIdentifier(uri=part.uri, version=part.version)
    return types.TextDocumentEdit(document, list(edits))


def _closed(key: str, splices: Sequence[Splice], tree: SourceTree, places: Places) -> types.TextDocumentEdit:
    planned = source_of(tree, key)
    on_disk = source_of(SourceTree(tree.root, (), ()), key)
    if planned is None or on_disk is None or planned.data != on_disk.data:
        raise OutdatedError
    lines = planned.file.lines
    edits = []
    for start, end, text in sorted({planned.file_edit(*one) for one in splices}):
        edits.append(types.TextEdit(editor_range(lines, start, end, places.encoding), text))
    document = types.OptionalVersionedTextDocumentIdentifier(uri=address_of_key(key), version=None)
    return types.TextDocumentEdit(document, list(edits))
