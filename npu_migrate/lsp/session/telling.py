"""What an editor was told of the findings in its documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from lsprotocol import types


class Told(NamedTuple):
    """The findings that the editor was given for a document; `number` is another one when they change."""

    number: int
    version: int
    diagnostics: list[types.Diagnostic]


class Telling:
    """The findings that an editor has. `publish` sends it those of one document."""

    def __init__(self, publish: Callable[[types.PublishDiagnosticsParams], None]) -> None:
        self._publish = publish
        self._told: dict[str, Told] = {}
        self._numbers = 0

    def told(self, uri: str) -> Told | None:
        """What was told of a document; None if nothing was."""
        return self._told.get(uri)

    def tell(self, uri: str, version: int, diagnostics: list[types.Diagnostic]) -> bool:
        """Tell the findings of a document, if the editor does not know them; whether they are new."""
        known = self._told.get(uri)
        new = known is None or known.diagnostics != diagnostics
        if known is None or new:
            self._numbers += 1
            self._told[uri] = Told(self._numbers, version, diagnostics)
        elif known.version != version:
            self._told[uri] = known._replace(version=version)
        if self._told[uri] != known:
            self._publish(types.PublishDiagnosticsParams(uri, diagnostics, version))
        return new

    def forget(self, uris: Iterable[str]) -> None:
        """Take back the findings of documents."""
        for uri in uris:
            known = self._told.pop(uri, None)
            if known is not None and known.diagnostics:
                self._publish(types.PublishDiagnosticsParams(uri, []))

    def forget_all(self) -> None:
        """Take back all findings."""
        self.forget(list(self._told))
