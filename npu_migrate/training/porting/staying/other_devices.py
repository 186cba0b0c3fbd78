"""Branches that a program takes on other devices than the NPU.

The names in their conditions tell, or they stand behind the ``except`` of an import of npu_bridge.
"""

from __future__ import annotations

import re

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Constant,
    Expr,
    FileFacts,
    Name,
    Operation,
    Statement,
    Subscript,
    last_name,
)
from npu_migrate.index.names import ancestors, lookup
from npu_migrate.knowledge.npu import is_adapter
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.dead_code import is_ruled_out

_NPU = frozenset({"npu", "ascend", "davinci"})
_OTHERS = frozenset({"gpu", "gpus", "cpu", "cuda", "tpu"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_EQUAL = frozenset({"Eq", "Is", "In"})
_UNEQUAL = frozenset({"NotEq", "IsNot", "NotIn"})


def runs_on_another_device(project: Project, ref: Ref) -> bool:
    """Whether `ref` lies in a branch for another device, or in a function that only such branches call.

    As of ``npu_optimizer(…) if device == "npu" else gpu_optimizer(…)`` the second.
    """
    return is_ruled_out(project, ref, _is_on_npu) or _is_for_want_of_npu(project, ref)


def _is_for_want_of_npu(project: Project, ref: Ref) -> bool:
    """Whether code runs, or what it calls is imported, only where npu_bridge cannot be imported."""
    facts = project.facts(ref.key)
    assert facts is not None
    if _stands_behind_failure(facts, ref.statement):
        return True
    called = ref.expr.func if isinstance(ref.expr, Call) else ref.expr
    while isinstance(called, Attribute):
        called = called.value
    found = lookup(facts, ref.scope, called.id) if isinstance(called, Name) else None
    imports = [one.statement for one in found.bindings if one.target is not None] if found else []
    return bool(imports) and all(_stands_behind_failure(facts, number) for number in imports)


def _stands_behind_failure(facts: FileFacts, number: int) -> bool:
    """Whether a statement lies in an ``except`` of a ``try`` that imports npu_bridge."""
    around = [facts.statements[one] for one in (number, *ancestors(facts, number))]
    return any(
        one.block.startswith("handler") and _imports_npu(facts, facts.block(one.parent, "body"))
        for one in around
    )


def _imports_npu(facts: FileFacts, block: tuple[Statement, ...]) -> bool:
    numbers = {one.id for one in block if one.kind in ("Import", "ImportFrom")}
    bound = {binding.statement: binding.target for _, _, binding in facts.bindings() if binding.target}
    named = any(is_adapter(bound[number].module) for number in numbers & bound.keys())
    stars = any(is_adapter(star.module) for scope in facts.scopes for star in scope.stars)
    return named or (stars and not numbers <= bound.keys())


def _is_on_npu(project: Project, condition: Ref) -> bool | None:
    """Whether a condition holds on the NPU, as far as its words tell."""
    expr = condition.expr
    if not isinstance(expr, Operation):
        return _switched_on(expr)
    if len(expr.operands) != 2 or expr.operator not in _EQUAL | _UNEQUAL:
        return None
    known = [device for part in expr.operands if (device := _named_device(part)) is not None]
    if len(known) != 1:
        return None
    return known[0] is (expr.operator in _EQUAL)


def _named_device(expr: Expr) -> bool | None:
    """Whether a text names the NPU (True) or another device (False)."""
    if isinstance(expr, Constant) and isinstance(expr.value, str):
        return _of_words(_words(expr.value))
    return None


def _switched_on(expr: Expr) -> bool | None:
    """Whether a switch, as ``use_npu``, ``FLAGS.use_gpu`` and ``is_gpu()``, is on where the NPU is used."""
    if isinstance(expr, Call):
        return None if expr.args or expr.keywords else _of_words(_words(last_name(expr.func) or ""))
    if isinstance(expr, (Name, Attribute)):
        return _of_words(_words(expr.id if isinstance(expr, Name) else expr.attr))
    if isinstance(expr, Subscript) and isinstance(expr.item, Constant):
        return _named_device(expr.item)
    return None


def _of_words(words: frozenset[str]) -> bool | None:
    is_npu, is_other = bool(words & _NPU), bool(words & _OTHERS)
    return None if is_npu is is_other else is_npu


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))
