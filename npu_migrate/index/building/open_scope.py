"""A scope while its bindings are still being collected."""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Binding, Expr, ImportTarget, Parameter, Scope
from npu_migrate.places import Span


class OpenScope:
    """The draft of a `Scope`, whose attributes it has; `outer` is the scope around it."""

    def __init__(
        self, number: int, kind: str, name: str, outer: OpenScope | None, statement: int, span: Span
    ) -> None:
        self.number = number
        self.kind = kind
        self.name = name
        self.outer = outer
        self.statement = statement
        self.span = span
        self.parameters: tuple[Parameter, ...] = ()
        self.decorators: tuple[Expr, ...] = ()
        self.bases: tuple[Expr, ...] = ()
        self.bindings: dict[str, list[Binding]] = {}
        self.outer_names: dict[str, str] = {}
        self.stars: list[ImportTarget] = []
        self.body: Expr | None = None

    def bind(self, name: str, binding: Binding) -> None:
        """Note a place that binds `name` in this scope."""
        self.bindings.setdefault(name, []).append(binding)

    def finished(self) -> Scope:
        """The scope, now that nothing is left to be collected."""
        return Scope(
            self.number,
            self.kind,
            self.name,
            NOTHING if self.outer is None else self.outer.number,
            self.statement,
            self.span,
            self.parameters,
            self.decorators,
            self.bases,
            {name: tuple(bindings) for name, bindings in self.bindings.items()},
            self.outer_names,
            tuple(self.stars),
            self.body,
        )
