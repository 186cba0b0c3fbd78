"""Catalogues of translated sentences, compiled as the `gettext` of the standard library reads them."""

from __future__ import annotations

from collections.abc import Mapping
from gettext import GNUTranslations


class Catalogue(GNUTranslations):
    """The translations of a language. What is not translated, or marked as fuzzy, was not compiled."""

    @property
    def templates(self) -> Mapping[str, str]:
        """The translation of each template.

        `gettext` is asked for the translation of a template that is known. Which template a sentence was made
        of is what has to be found here, so all of them are needed, and these it keeps to itself.
        """
        entries: Mapping[str, str] = vars(self)["_catalog"]
        return {source: target for source, target in entries.items() if source}
