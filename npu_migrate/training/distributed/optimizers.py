"""Optimizers that average the gradients of all ranks.

Source: CODE:npu_optimizer.py.
"""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import last_name, walk
from npu_migrate.knowledge import distributed
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.semantics.dead_code import Requirement, holds, requirements
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.value import Known, Value
from npu_migrate.training.npu.configs import calls_of

_ABOUT_TRAINING = frozenset({"mode", "ModeKeys", "TRAIN", "training", "is_training", "train"})
"""Words of conditions that tell training from evaluation, not one device from several."""


class Wrapping(NamedTuple):
    """A call that wraps an optimizer, and the defaults without which the program would not make it."""

    call: Ref
    deciding: tuple[Known, ...] = ()


@once
def wrapper_calls(project: Project) -> tuple[Ref, ...]:
    """All calls that make an optimizer which averages the gradients of all ranks."""
    return tuple(call for name in sorted(distributed.OPTIMIZERS) for call in calls_of(project, name))


def wrapper_in(project: Project, program: str) -> Wrapping | None:
    """A call in a program that wraps its optimizer, for certain or by default; None if there is none."""
    files = project.programs.by_entry[program].files
    found = [
        Wrapping(call, deciding)
        for call in wrapper_calls(project)
        if call.key in files and (deciding := _deciding(project, call, program)) is not None
    ]
    return min(found, key=lambda one: bool(one.deciding), default=None)


def _deciding(project: Project, call: Ref, program: str) -> tuple[Known, ...] | None:
    """The defaults that have a call made whenever training is built; None if something else decides it."""
    facts = project.facts(call.key)
    assert facts is not None
    found: list[Known] = []
    for needed in requirements(project, facts, call):
        if _is_about_training(project, needed):
            continue
        value = evaluate(project, needed.condition, program)
        if not value.is_known or any(bool(one.constant) is not needed.holds for one in value.alternatives):
            return None
        found.append(_telling(value))
    return tuple(found)


def _is_about_training(project: Project, requirement: Requirement) -> bool:
    if holds(project, requirement.condition) is requirement.holds:
        return True
    words = {last_name(part) for part in walk(requirement.condition.expr)}
    return bool(words & _ABOUT_TRAINING)


def made_by_wrapper(project: Project, call: Ref, name: str, position: int, program: str) -> Wrapping | None:
    """The call that averages over ranks which an argument of `call` is, for certain or by default."""
    passed = passed_objects(project, call, name, position)
    found = [end for given in passed.values for end in ends(project, traced(given))]
    wrapping = [
        end.ref
        for end in found
        if externals_called(project, end.ref) & distributed.OPTIMIZERS and not end.keys
    ]
    if not passed.certain or not wrapping:
        return None
    if len(wrapping) == len(found):
        return Wrapping(wrapping[0])
    for ref in wrapping:
        facts = project.facts(ref.key)
        deciding = _deciding(project, ref, program)
        if facts is not None and deciding is not None and any(requirements(project, facts, ref)):
            return Wrapping(ref, deciding)
    return None


def _telling(value: Value) -> Known:
    return next((known for known in value.alternatives if known.is_default), value.alternatives[0])
