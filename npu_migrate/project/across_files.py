"""What all relevant files say together: who mentions a word, who calls a name, who imports a file."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence

from npu_migrate.index.facts import CallSite, FileFacts
from npu_migrate.project.fact_store import FactStore
from npu_migrate.project.module_lookup import ModuleLookup

_MANY_WORDS = 200
"""To look for as many words in all files costs as much as to go through all their words once."""


class AcrossFiles:
    """Look-ups over the files `keys`, which are gone through once and then known."""

    def __init__(self, store: FactStore, modules: ModuleLookup, keys: Iterable[str]) -> None:
        self._store = store
        self._modules = modules
        self._keys = tuple(sorted(keys))
        self._facts: tuple[FileFacts, ...] | None = None
        self._calls: dict[str, list[tuple[str, CallSite]]] = {}
        self._by_word: dict[str, tuple[str, ...]] = {}
        self._looked_for = 0
        self._all_words: Mapping[str, Sequence[str]] | None = None
        self._importers: dict[str, tuple[str, ...]] | None = None

    def facts(self) -> tuple[FileFacts, ...]:
        """The facts of all files that have any, in order of their keys."""
        if self._facts is None:
            found = map(self._store.facts, self._keys)
            self._facts = tuple(facts for facts in found if facts is not None)
        return self._facts

    def mentioning(self, word: str) -> tuple[str, ...]:
        """The files in whose expressions `word` is a name or an attribute, in order."""
        known = self._by_word.get(word)
        if known is None:
            known = self._by_word[word] = self._files_with(word)
        return known

    def _files_with(self, word: str) -> tuple[str, ...]:
        self._looked_for += 1
        if self._looked_for < _MANY_WORDS:
            return tuple(facts.key for facts in self.facts() if word in facts.words)
        if self._all_words is None:
            self._all_words = _files_by_word(self.facts())
        return tuple(self._all_words.get(word, ()))

    def calls_named(self, name: str) -> list[tuple[str, CallSite]]:
        """All calls whose callee's last identifier is `name`, with their file."""
        known = self._calls.get(name)
        if known is None:
            known = self._calls[name] = [
                (key, site) for key in self.mentioning(name) for site in self._calls_in(key, name)
            ]
        return known

    def importers(self, key: str) -> tuple[str, ...]:
        """The files that import the file `key`, in order."""
        if self._importers is None:
            found: dict[str, list[str]] = {}
            for facts in self.facts():
                for module in sorted(self._imported_by(facts)):
                    found.setdefault(module, []).append(facts.key)
            self._importers = {module: tuple(keys) for module, keys in found.items()}
        return self._importers.get(key, ())

    def take_over(self, earlier: AcrossFiles, stale: Container[Hashable]) -> None:
        """Keep what `earlier` knew of calls and words, but for the questions that are `stale`."""
        self._calls = {
            name: calls for name, calls in earlier._calls.items() if calls_question(name) not in stale
        }
        self._by_word = {
            word: keys for word, keys in earlier._by_word.items() if word_question(word) not in stale
        }

    def _calls_in(self, key: str, name: str) -> Iterable[CallSite]:
        file = self._store.file(key)
        assert file is not None
        return file.calls.get(name, ())

    def _imported_by(self, facts: FileFacts) -> set[str]:
        modules = set()
        for target in set(facts.import_targets()):
            modules.add(self._modules.resolve(facts.key, target.module, target.level))
            if target.name is not None and target.name != "*":
                dotted = f"{target.module}.{target.name}" if target.module else target.name
                modules.add(self._modules.resolve(facts.key, dotted, target.level))
        return {module for module in modules if module is not None and module != facts.key}


def _files_by_word(files: Iterable[FileFacts]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for facts in files:
        for word in facts.words:
            found.setdefault(word, []).append(facts.key)
    return found


def calls_question(name: str) -> Hashable:
    """The question for the calls of a name."""
    return "calls", name


def word_question(word: str) -> Hashable:
    """The question for the files that mention a word."""
    return "word", word
