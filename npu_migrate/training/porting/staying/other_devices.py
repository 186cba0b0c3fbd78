"""Branches that a program takes on other devices than the NPU, as the names in their conditions tell."""

from __future__ import annotations

import re

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, Name, Operation, Subscript, last_name
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
    return is_ruled_out(project, ref, _is_on_npu)


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
