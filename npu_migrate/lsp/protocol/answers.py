"""Answers to what an editor asks: findings, actions, their edits, pages of rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from npu_migrate.lsp.judging.judged import Judged
from npu_migrate.lsp.session.session import Session
from npu_migrate.lsp.showing.actions import (
    FIX_ALL,
    Offer,
    edits_of,
    explanations,
    is_asked_for,
    offers,
    overlapping,
)
from npu_migrate.lsp.showing.edits import OutdatedError, workspace_edit
from npu_migrate.lsp.showing.pages import hover_at
from npu_migrate.lsp.texts.documents import OpenFile
from npu_migrate.sources.source import SourceError

_QUICK_FIX = types.CodeActionKind.QuickFix


async def diagnostics(
    session: Session, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    """The findings of a document, or that they are the same as those that the editor has."""
    told = await session.told(params.text_document.uri)
    if told is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    number = str(told.number)
    if params.previous_result_id == number:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=number)
    return types.RelatedFullDocumentDiagnosticReport(items=told.diagnostics, result_id=number)


async def hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    """The page of a rule, on a finding or on a comment that names the rule."""
    uri = params.text_document.uri
    file = session.texts.named(uri)
    if file is None or not session.options.enable:
        return None
    judged = session.latest(file.key)
    shown = () if judged is None else session.shown(file, judged)
    offset = file.offset(uri, params.position, session.client.encoding)
    return hover_at(file, offset, params.position, uri, shown, session.language(judged))


async def code_actions(session: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about the findings in a range.

    An editor that asks by itself, to show a light bulb, is answered from what is known; who asks for the
    list gets only what can be carried out.
    """
    uri, only = params.text_document.uri, params.context.only
    file = session.texts.named(uri)
    if file is None or not session.client.literals:
        return []
    asked = params.context.trigger_kind is not types.CodeActionTriggerKind.Automatic
    find = session.planned if asked or not session.client.resolves else session.judged
    judged = await find(file.key)
    file = session.texts.named(uri)
    if judged is None or file is None or judged.problem is not None:
        return []
    shown = overlapping(session.shown(file, judged), uri, params.range)
    found = []
    creates = session.client.creates
    say = session.language(judged).say
    for offer in offers(judged, shown, unsafe=session.options.unsafe_fixes, creates=creates, say=say):
        wanted = is_asked_for(offer.kind, only) and (offer.kind != FIX_ALL or asked or only is not None)
        action = _action(session, file, uri, judged, offer) if wanted else None
        if action is not None:
            found.append(action)
    if session.client.shows and is_asked_for(_QUICK_FIX, only):
        found += explanations(shown, say)
    return found


def _action(
    session: Session, file: OpenFile, uri: str, judged: Judged, offer: Offer
) -> types.CodeAction | None:
    """An offer as the editor shows it, with its edits unless the editor asks for these when it needs them."""
    version = next(part.version for part in file.parts if part.uri == uri)
    action = types.CodeAction(
        offer.title,
        kind=offer.kind,
        diagnostics=None if offer.finding is None else [offer.finding.diagnostic],
        is_preferred=offer.preferred or None,
        data={"uri": uri, "version": version, "what": offer.what, "fingerprint": offer.fingerprint},
    )
    if session.client.resolves:
        return action
    try:
        action.edit = _edit(session, judged, offer.what, offer.fingerprint)
    except OutdatedError:
        return None
    return action


async def resolved(session: Session, action: types.CodeAction) -> types.CodeAction:
    """An action with its edits. Raises `OutdatedError` when the document has changed since it was offered."""
    data = action.data
    if not isinstance(data, Mapping):
        return action
    file = session.texts.named(str(data.get("uri")))
    version = {part.uri: part.version for part in file.parts}.get(str(data["uri"])) if file else None
    if file is None or version != data.get("version"):
        raise OutdatedError
    judged = await session.planned(file.key)
    if judged is None or session.texts.named(file.uri) is not file:
        raise OutdatedError
    action.edit = _edit(session, judged, str(data.get("what")), data.get("fingerprint"))
    return action


async def fix_all(session: Session, uri: str) -> types.WorkspaceEdit | None:
    """The edits of all safe fixes in an open document; None where nothing can be fixed.

    Raises `OutdatedError`.
    """
    file = session.texts.named(uri)
    judged = None if file is None else await session.planned(file.key)
    if judged is None or judged.problem is not None:
        return None
    if not edits_of("all", None, judged, creates=session.client.creates):
        return None
    return _edit(session, judged, "all", None)


def _edit(session: Session, judged: Judged, what: str, fingerprint: Any) -> types.WorkspaceEdit:
    edits = edits_of(what, fingerprint, judged, creates=session.client.creates)
    if edits is None or judged.problem is not None:
        raise OutdatedError
    try:
        return workspace_edit(edits, judged.tree, session.places, versioned=session.client.versioned)
    except SourceError:
        raise OutdatedError from None
