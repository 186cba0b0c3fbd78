"""The files of a run together: facts on demand, and what names mean across files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.findings import Place
from npu_migrate.index.build import build_facts
from npu_migrate.index.facts import NOTHING, CallSite, Expr, FileFacts, Statement, last_name
from npu_migrate.index.syntax import Site, Syntax, build_syntax
from npu_migrate.project.programs import ImportGraph
from npu_migrate.sources.source import SourceError
from npu_migrate.sources.tree import SourceTree


class Ref(NamedTuple):
    """An expression in its place: file, scope its names belong to, statement.

    `path` are the indices still to be applied to its value, when a tuple is on its way to be unpacked.
    """

    key: str
    scope: int
    statement: int
    expr: Expr
    path: tuple[int, ...] = ()

    @property
    def place(self) -> Place:
        """Where the expression stands."""
        return Place(self.key, self.expr.span)


class Failure(NamedTuple):
    """Why a file has no facts: the exception that reading or parsing it raised."""

    error: Exception


class Project:
    """All that rules may ask about the files. Facts are built once, when first asked for.

    `ours` are the files that mention a name of ours, `supporting` those that can matter to them.
    """

    def __init__(
        self, tree: SourceTree, graph: ImportGraph, ours: frozenset[str], supporting: frozenset[str]
    ) -> None:
        self.tree = tree
        self.graph = graph
        self.ours = ours
        self.supporting = supporting
        self.targets = frozenset(tree.targets)
        self._facts: dict[str, FileFacts | Failure] = {}
        self._syntax: dict[str, Syntax] = {}
        self._calls_by_name: dict[str, list[tuple[str, CallSite]]] | None = None
        self.memo: dict[object, object] = {}

    # -- facts -----------------------------------------------------------------------------------------

    def facts(self, key: str) -> FileFacts | None:
        """The facts of a file; None when it cannot be read or parsed (see `failure`)."""
        found = self._facts.get(key)
        if found is None:
            found = self._build(key)
            self._facts[key] = found
        return found if isinstance(found, FileFacts) else None

    def failure(self, key: str) -> Exception | None:
        """Why `facts` gave None."""
        self.facts(key)
        found = self._facts[key]
        return found.error if isinstance(found, Failure) else None

    def _build(self, key: str) -> FileFacts | Failure:
        try:
            return build_facts(key, self.tree.source(key).text)
        except (SourceError, SyntaxError, RecursionError, MemoryError, ValueError) as error:
            return Failure(error)

    def syntax(self, key: str) -> Syntax:
        """Where the expressions of a file stand; empty for a file without facts."""
        found = self._syntax.get(key)
        if found is None:
            facts = self.facts(key)
            found = build_syntax(facts) if facts is not None else Syntax({}, {}, {})
            self._syntax[key] = found
        return found

    def relevant(self) -> Iterator[FileFacts]:
        """The facts of all files of ours and of those that support them, in order of their keys."""
        for key in sorted(self.ours | self.supporting):
            facts = self.facts(key)
            if facts is not None:
                yield facts

    def calls_named(self, name: str) -> list[tuple[str, CallSite]]:
        """All calls in relevant files whose callee's last identifier is `name`, with their file."""
        if self._calls_by_name is None:
            found: dict[str, list[tuple[str, CallSite]]] = {}
            for facts in self.relevant():
                for site in facts.calls:
                    last = last_name(site.call.func)
                    if last is not None:
                        found.setdefault(last, []).append((facts.key, site))
            self._calls_by_name = found
        return self._calls_by_name.get(name, [])

    # -- places ----------------------------------------------------------------------------------------

    def statement(self, ref: Ref) -> Statement:
        """The statement that an expression stands in."""
        facts = self.facts(ref.key)
        assert facts is not None
        return facts.statements[ref.statement]

    def site(self, key: str, expr: Expr) -> Site | None:
        """Where an expression of file `key` stands."""
        return self.syntax(key).sites.get(id(expr))

    def ref_of(self, key: str, site: Site) -> Ref:
        """The expression of a site as a `Ref`."""
        return Ref(key, site.scope, site.statement, site.expr)

    def parent_ref(self, ref: Ref) -> Ref | None:
        """The expression directly around `ref`; None at the top of a statement."""
        site = self.site(ref.key, ref.expr)
        if site is None or site.parent is None:
            return None
        outer = self.site(ref.key, site.parent)
        if outer is None:
            return None
        return Ref(ref.key, outer.scope, outer.statement, outer.expr)


def is_nothing(number: int) -> bool:
    """Whether a statement or scope number means that there is none."""
    return number == NOTHING
