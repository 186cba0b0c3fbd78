"""An expression in its place: what most questions about a project are asked of."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import CallSite, Expr
from npu_migrate.places import Place


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


def ref_of_call(key: str, site: CallSite) -> Ref:
    """A call of the file `key`, in its place."""
    return Ref(key, site.scope, site.statement, site.call)
