"""One editor: its open texts, what is found in them, and what the editor has been told."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

from lsprotocol import types

from npu_migrate.languages.choosing import asked_for, known, of_locale
from npu_migrate.languages.language import Language
from npu_migrate.lsp.judging.change import Change
from npu_migrate.lsp.judging.judged import Judged
from npu_migrate.lsp.judging.listener import Listener
from npu_migrate.lsp.session.analysis import Analysis
from npu_migrate.lsp.session.client import Client
from npu_migrate.lsp.session.options import EditorOptions
from npu_migrate.lsp.session.telling import Telling, Told
from npu_migrate.lsp.showing.diagnostics import Shown, by_document, shown_findings, still_refused
from npu_migrate.lsp.showing.places import Places
from npu_migrate.lsp.texts.documents import OpenFile
from npu_migrate.lsp.texts.open_texts import OpenTexts

_SLOW = 0.5
_LONGEST_WAIT = 2.0
_LOOKING = "npu-migrate looks through the project"


def pause_after(lasted: float, options: EditorOptions) -> float:
    """How long to wait for the next keystroke when the last answer took so many seconds.

    Longer where it took long; but who has set that there is to be no wait gets none.
    """
    usual = options.debounce / 1000
    patience = lasted if lasted > _SLOW else 0
    return max(usual, min(patience, _LONGEST_WAIT)) if usual else 0


class Editor(Listener, Protocol):
    """What an editor is told."""

    def publish(self, params: types.PublishDiagnosticsParams) -> None:
        """The findings of a document."""

    def refresh(self) -> None:
        """That findings of documents are others than those that it was given."""

    def busy(self, title: str | None) -> None:
        """That findings take a while, under a title to show; None when they are there."""


class _Known(NamedTuple):
    """What was found last in an open file, and what was found when last its fixes were planned."""

    latest: Judged
    planned: Judged | None


class Session:
    """All that is known of one editor. It is used by the thread of the connection alone."""

    def __init__(self, editor: Editor, client: Client) -> None:
        self.client = client
        self.options = EditorOptions()
        self.folders: Mapping[str, str] = {}
        self.texts = OpenTexts()
        self._editor = editor
        self._known: dict[str, _Known] = {}
        self._telling = Telling(_say_nothing if client.pulls else editor.publish)
        self._asking: list[str] = []
        self._languages: dict[str, Language] = {}
        self._analysis = Analysis(editor, self._take, self._busy)

    # -- what the editor says --------------------------------------------------------------------------

    def configure(self, options: EditorOptions, folders: Mapping[str, str]) -> None:
        """Take over settings, and the keys of the workspace folders by address; all is judged anew."""
        self.options = options
        self.folders = folders
        self._analysis.configure(folders.values(), options.override)
        if options.enable:
            self._analysis.begin(Change(again=frozenset(self.texts.by_key)))
        else:
            self._analysis.end()
            self._known.clear()
            self._telling.forget_all()

    def opened(self, file: OpenFile) -> None:
        """A text was opened."""
        self.texts.hold(file)
        look = not self.client.watches
        self._analysis.changed(Change({file.key: file.content}, look=look))

    def edited(self, file: OpenFile) -> None:
        """Somebody has typed in a text, which is this one now."""
        self.texts.hold(file)
        self._analysis.changed(Change({file.key: file.content}), self._pause)

    def closed(self, uri: str) -> None:
        """A text was closed."""
        file = self.texts.drop(uri)
        if file is None:
            return
        content = self.texts.content(file.key)
        if content is None:
            self._known.pop(file.key, None)
        self._telling.forget([part.uri for part in file.parts])
        self._analysis.changed(Change({file.key: content}))

    def removed(self, uris: Collection[str]) -> None:
        """Cells of a notebook are gone."""
        self._telling.forget(uris)

    def saved(self) -> None:
        """A text was saved. An editor that does not watch the files says no more of what changed there."""
        if not self.client.watches:
            self._analysis.changed(Change(look=True))

    def changed_on_disk(self, keys: Collection[str]) -> None:
        """Files were made, changed or removed."""
        if keys:
            self._analysis.changed(Change(on_disk=frozenset(keys)), self._pause)

    @property
    def _pause(self) -> float:
        return pause_after(self._analysis.lasted, self.options)

    # -- what is found ---------------------------------------------------------------------------------

    async def judged(self, key: str) -> Judged | None:
        """What is found in the present text of an open file, when that is known.

        None for what is not open or not judged.
        """
        while self.options.enable and key in self.texts.by_key:
            if self._analysis.is_settled:
                return self.latest(key)
            await self._analysis.news()
        return None

    async def planned(self, key: str) -> Judged | None:
        """As `judged`, when it is also known how the fixes can be carried out."""
        while True:
            found = await self.judged(key)
            if found is None or found.planned:
                return found
            if not await self._analysis.plan(key) and self._analysis.is_settled:
                return self.latest(key)

    async def told(self, uri: str) -> Told | None:
        """The findings of an open document, when they are known; for an editor that asks for them."""
        file = self.texts.named(uri)
        if file is None:
            return None
        self._asking.append(uri)
        try:
            await self.judged(file.key)
        finally:
            self._asking.remove(uri)
        return self._telling.told(uri)

    def latest(self, key: str) -> Judged | None:
        """What was found last in an open file, whose text may be another one by now."""
        known = self._known.get(key)
        return None if known is None else known.latest

    def shown(self, file: OpenFile, judged: Judged) -> list[Shown]:
        """The findings of an open file as it is now."""
        places = self.places
        say, link = self.language(judged).say, self.options.link
        shown = shown_findings(judged, file, places, link, say)
        known = self._known.get(file.key)
        if judged.planned or known is None or known.planned is None:
            return shown
        return shown + still_refused(shown, shown_findings(known.planned, file, places, link, say))

    def language(self, judged: Judged | None = None) -> Language:
        """The language in which findings are told, and rules explained.

        What the user of the editor has set goes before the settings of a project, and these before the
        language of the editor itself.
        """
        of_project = None if judged is None else judged.language
        code = asked_for(self.options.language, of_project) or known(self.client.locale) or of_locale()
        return self._languages.setdefault(code, Language(code))

    @property
    def places(self) -> Places:
        """Where files are shown at this moment."""
        return Places(self.texts.by_key, self.client.encoding)

    # -- what the editor is told -----------------------------------------------------------------------

    def _take(self, found: Collection[Judged]) -> None:
        """Remember what the analysis has found, and tell the editor."""
        for one in found:
            if one.key in self.texts.by_key:
                earlier = self._known.get(one.key)
                planned = None if earlier is None else earlier.planned
                self._known[one.key] = _Known(one, one if one.planned else planned)
        self._tell({one.key for one in found})

    def _busy(self, is_busy: bool) -> None:
        self._editor.busy(self.language().say(_LOOKING) if is_busy else None)

    def _tell(self, keys: Collection[str]) -> None:
        changed: set[str] = set()
        for key in keys:
            judged = self.latest(key)
            if judged is None:
                continue
            for file in self.texts.of_key(key):
                found = by_document(file, self.shown(file, judged))
                for part in file.parts:
                    if self._telling.tell(part.uri, part.version, found[part.uri]):
                        changed.add(part.uri)
        if self.client.pulls and self.client.refreshes and changed - set(self._asking):
            self._editor.refresh()


def _say_nothing(params: types.PublishDiagnosticsParams) -> None:
    """An editor that asks for findings is not told of them."""
