"""A language: its sentences, and its pages of the rules."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from npu_migrate.languages.choosing import ENGLISH
from npu_migrate.languages.saying import Say, english

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from importlib.resources.abc import Traversable
    else:
        from importlib.abc import Traversable

    from npu_migrate.languages.sentences import Sentences


class Language:
    """A language in which things are told. Nothing is read before it is asked for."""

    def __init__(self, code: str) -> None:
        self.code = code

    @property
    def is_english(self) -> bool:
        """Whether nothing has to be translated."""
        return self.code == ENGLISH

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences of the language."""
        # Whoever is told things in English need not wait for this.
        from npu_migrate.languages.catalogue import Catalogue
        from npu_migrate.languages.sentences import JOINTS, Sentences

        with self._folder.joinpath("messages.mo").open("rb") as file:
            return Sentences(Catalogue(file).templates, JOINTS[self.code])

    @property
    def say(self) -> Say:
        """What says things in the language."""
        return english if self.is_english else self.sentences.speaker

    def page(self, code: str) -> str | None:
        """The page of a rule; None where it was not translated."""
        if self.is_english:
            return None
        file = self._folder / "rules" / f"{code}.md"
        return file.read_text("utf-8") if file.is_file() else None

    @cached_property
    def summaries(self) -> Mapping[str, str]:
        """The summaries of the rules, by their codes."""
        file = self._folder.joinpath("summaries.toml")
        if self.is_english or not file.is_file():
            return {}
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]  # only needed on 3.10

        return {code: str(text) for code, text in tomllib.loads(file.read_text("utf-8")).items()}

    @property
    def _folder(self) -> Traversable:
        from importlib import resources

        return resources.files("npu_migrate") / "languages" / self.code
