"""Names of files, as far as code says them for certain."""

from __future__ import annotations

from npu_migrate.index.facts import Call, Expr, Operation, last_name
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.values.evaluation import evaluate

_DEEPEST = 6


def literal(project: Project, ref: Ref, expr: Expr | None) -> str | None:
    """The text that `expr`, a part of `ref`, is; None if there is none, or it may be another one."""
    return None if expr is None else _literal(project, _at(ref, expr))


def file_name(project: Project, ref: Ref, expr: Expr | None) -> str | None:
    """The name of the file that the path `expr` leads to, in whatever folder; None if that may be any."""
    text = None if expr is None else _end(project, _at(ref, expr), 0)
    return None if text is None else text.rpartition("/")[2] or None


def _literal(project: Project, ref: Ref) -> str | None:
    value = evaluate(project, ref)
    only = None if value.is_default else value.only
    return only.constant if only is not None and isinstance(only.constant, str) else None


def _end(project: Project, ref: Ref, depth: int) -> str | None:
    text = _literal(project, ref)
    if text is not None or depth > _DEEPEST:
        return text
    expr = ref.expr
    if isinstance(expr, Call):
        joins = last_name(expr.func) == "join" and len(expr.args) > 1 and not expr.keywords
        return _end(project, _at(ref, expr.args[-1]), depth + 1) if joins else None
    if isinstance(expr, Operation):
        if expr.operator != "Add":
            return None
        parts = [_end(project, _at(ref, one), depth + 1) for one in expr.operands]
        return None if None in parts else "".join(filter(None, parts))
    found = origins(project, ref)
    return _end(project, found[0], depth + 1) if len(found) == 1 and found[0].expr is not expr else None


def _at(ref: Ref, expr: Expr) -> Ref:
    return ref._replace(expr=expr, path=())
