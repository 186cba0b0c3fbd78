"""Code that makes an object the first time it is asked for one, and hands out the same one from then on.

``if self._manager is None: self._manager = …``, ``if name not in MADE: MADE[name] = …``, ``@lru_cache()``.
"""

from __future__ import annotations

from npu_migrate.index.facts import Call, Constant, Expr, Operation, Subscript, last_name
from npu_migrate.index.names import code_scope, spelled
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.dead_code import Requirement, requirements
from npu_migrate.semantics.resolution import Definition, scope_of

_KEEPING = frozenset({"lru_cache", "cache", "cached_property", "lazy_property", "memoize", "memoized"})


def is_made_once(project: Project, ref: Ref) -> bool:
    """Whether `ref` is run by the first call of its function only, as far as its own lines tell."""
    facts = project.facts(ref.key)
    assert facts is not None
    function = scope_of(project, Definition(ref.key, code_scope(facts, ref.scope)))
    marks = (one.func if isinstance(one, Call) else one for one in function.decorators)
    if any(last_name(one) in _KEEPING for one in marks):
        return True
    targets = facts.statements[ref.statement].targets
    return any(
        _says_missing(needed, target)
        for needed in requirements(project, facts, ref)
        for target in targets
        if target is not None
    )


def _says_missing(needed: Requirement, target: Expr) -> bool:
    """Whether a condition holds only as long as nothing was stored to a target."""
    expr, wanted = needed.condition.expr, needed.holds
    if not isinstance(expr, Operation):
        return not wanted and _is_same(expr, target)
    if len(expr.operands) != 2:
        return False
    left, right = expr.operands
    if expr.operator in ("Is", "Eq", "IsNot") and isinstance(right, Constant) and right.value is None:
        return wanted is (expr.operator != "IsNot") and _is_same(left, target)
    if expr.operator in ("In", "NotIn") and isinstance(target, Subscript):
        return wanted is (expr.operator == "NotIn") and _is_same(right, target.value)
    return False


def _is_same(one: Expr, other: Expr) -> bool:
    """Whether two expressions are the same name, or the same field of the same name."""
    text = spelled(one)
    return text is not None and text == spelled(other)
