"""What NPU301–NPU304 share: what a mode is called, where it is shown, and how its literal changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npu_migrate.index.facts import Constant
from npu_migrate.intents import ReplaceExpression
from npu_migrate.knowledge.acceleration import MODE, SESSION_KEY
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.semantics.values.literals import literal_in, own_literal, quoted_like
from npu_migrate.training.npu.acceleration import Asked, asked_value


def subject(asked: Asked) -> str:
    """What the setting is called where it is made."""
    return MODE if asked.field is None else SESSION_KEY


def shown_at(project: Project, asked: Asked) -> Place:
    """The literal of a mode, else the value expression, else the call that gets it from a dictionary."""
    given = asked.given
    if given is None:
        steps = [step for known in asked_value(project, asked).alternatives for step in known.steps]
        given = steps[0].ref if steps else asked.owner
    return (literal_in(project, given) or given).place


def replacement_of(
    project: Project, asked: Asked, change: Callable[[str], str | None]
) -> ReplaceExpression | None:
    """The edit that puts ``change(text)`` in the place of a mode's literal; None if there is no such edit."""
    literal = own_literal(project, asked.given) if asked.given is not None else None
    if literal is None or not isinstance(literal.expr, Constant):
        return None
    new = change(_text(literal.expr.value))
    return None if new is None else ReplaceExpression(literal.place, quoted_like(project, literal, new))


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
