"""Source text for expressions that are written once more at another place."""

from __future__ import annotations

from collections.abc import Sequence

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Collection,
    Constant,
    Expr,
    Mapping,
    Name,
    Subscript,
)
from npu_migrate.index.names import code_scope, lookup, spelled
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import receiver_class


def code_of(expr: Expr, calls: bool = False) -> str | None:
    """The expression as text; None for what is not plain enough, calls included unless they are allowed."""
    if isinstance(expr, Name):
        return expr.id
    if isinstance(expr, Constant):
        return None if expr.value is Ellipsis else repr(expr.value)
    if isinstance(expr, Attribute):
        return _filled("{}." + expr.attr, [code_of(expr.value, calls)])
    if isinstance(expr, Subscript):
        return _filled("{}[{}]", [code_of(expr.value, calls), code_of(expr.item, calls)])
    if isinstance(expr, Collection) and expr.kind == "List":
        return _listed("[", [code_of(item, calls) for item in expr.items], "]")
    if isinstance(expr, Mapping):
        pairs = zip(expr.keys, expr.values, strict=True)
        items = [
            None if key is None else _filled("{}: {}", [code_of(key, calls), code_of(value, calls)])
            for key, value in pairs
        ]
        return _listed("{", items, "}")
    if isinstance(expr, Call) and calls:
        return _call(expr)
    return None


def _call(call: Call) -> str | None:
    given = [code_of(item, True) for item in call.args]
    given += [
        None if keyword.name is None else _filled(keyword.name + "={}", [code_of(keyword.value, True)])
        for keyword in call.keywords
    ]
    func = code_of(call.func, True)
    return None if func is None else _listed(f"{func}(", given, ")")


def _filled(frame: str, parts: Sequence[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    return frame.format(*known) if len(known) == len(parts) else None


def _listed(before: str, items: Sequence[str | None], after: str) -> str | None:
    known = [item for item in items if item is not None]
    return f"{before}{', '.join(known)}{after}" if len(known) == len(items) else None


def is_readable(project: Project, ref: Ref, at: Ref) -> bool:
    """Whether the name or attribute at `ref` is read the same way at `at`, which runs later."""
    if ref.key != at.key or spelled(ref.expr) is None:
        return False
    facts = project.facts(ref.key)
    assert facts is not None
    root = (spelled(ref.expr) or "").partition(".")[0]
    owner = receiver_class(facts, ref.scope, root)
    if owner != NOTHING:
        return receiver_class(facts, at.scope, root) == owner
    there, here = lookup(facts, ref.scope, root), lookup(facts, at.scope, root)
    if there is None or here is None or there.scope != here.scope:
        return False
    if ref.statement == at.statement:
        return True
    return len(there.bindings) == 1 or (
        code_scope(facts, ref.scope) == code_scope(facts, at.scope)
        and all(one.statement < ref.statement or one.statement > at.statement for one in there.bindings)
    )
