"""What follows from the facts of one file alone, worked out when it is asked for and then kept.

It stays true while other files change, as they do in an editor.
"""

from __future__ import annotations

from functools import cached_property

from npu_migrate.index.facts import Attribute, Binding, CallSite, FileFacts, Name, last_name
from npu_migrate.index.syntax import Site, sites_of
from npu_migrate.project.reaching import Blocks, blocks_of


class OneFile:
    """The questions that one file's facts answer, whatever the other files say."""

    def __init__(self, facts: FileFacts) -> None:
        self.facts = facts
        self._sites: dict[int, dict[int, Site]] = {}
        self._mentioned: dict[str, tuple[tuple[Site, ...], tuple[Site, ...]]] = {}

    def sites(self, statement: int) -> dict[int, Site]:
        """Where the expressions of one statement stand, by ``id(expression)``, in source order."""
        found = self._sites.get(statement)
        if found is None:
            found = self._sites[statement] = sites_of(self.facts.statements[statement])
        return found

    def mentions(self, word: str) -> tuple[tuple[Site, ...], tuple[Site, ...]]:
        """Where the file has `word` as a name, and where as an attribute, read or stored, in source order."""
        found = self._mentioned.get(word)
        if found is None:
            names: list[Site] = []
            attributes: list[Site] = []
            for statement in self.facts.words.get(word, ()):
                for site in self.sites(statement).values():
                    expr = site.expr
                    if isinstance(expr, Name):
                        if expr.id == word:
                            names.append(site)
                    elif isinstance(expr, Attribute) and expr.attr == word:
                        attributes.append(site)
            found = self._mentioned[word] = (tuple(names), tuple(attributes))
        return found

    @cached_property
    def blocks(self) -> Blocks:
        """The statements, by the block they lie in."""
        return blocks_of(self.facts)

    @cached_property
    def imported_at(self) -> dict[int, list[tuple[str, Binding]]]:
        """The names that each import statement binds; star imports bind none that is known."""
        found: dict[int, list[tuple[str, Binding]]] = {}
        for _, name, binding in self.facts.bindings():
            if binding.target is not None:
                found.setdefault(binding.statement, []).append((name, binding))
        return found

    @cached_property
    def calls(self) -> dict[str, list[CallSite]]:
        """The calls by the last identifier of their callees."""
        found: dict[str, list[CallSite]] = {}
        for site in self.facts.calls:
            last = last_name(site.call.func)
            if last is not None:
                found.setdefault(last, []).append(site)
        return found
