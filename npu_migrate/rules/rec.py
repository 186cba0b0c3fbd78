"""What the rules about Rec SDK's `init` share: where their findings stand, and the steps to agree with."""

from __future__ import annotations

from typing import cast

from npu_migrate.findings import Related
from npu_migrate.index.facts import Call
from npu_migrate.index.names import dotted, enclosing_function, lookup, spelled
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.semantics.values.value import Known, related
from npu_migrate.training.rec.init_calls import Passed, init_calls_of, is_set_later, passed
from npu_migrate.training.rec.steps import Count, counts, evaluates_between


def call_place(call: Ref) -> Place:
    """The place of a finding about a call as a whole."""
    return last_token(call.key, cast(Call, call.expr).func)


def value_place(call: Ref, given: Passed) -> Place:
    """The value's expression; the call where ``**`` leads to no single one."""
    return call_place(call) if given.given is None else given.given.place


def name_place(call: Ref, given: Passed) -> Place:
    """The keyword's name; the value where ``**`` passes it."""
    return given.name or value_place(call, given)


def reasons(*deciding: Known) -> tuple[Related, ...]:
    """The places that explain the values which decide a finding."""
    return tuple(place for known in deciding for place in related(known))


# -- steps ---------------------------------------------------------------------------------------------

STEPS = ("max_steps", "train_steps", "eval_steps", "save_steps")
SAVE_STEPS = "save_steps"


def wanted_steps(project: Project, call: Ref, name: str, program: str) -> tuple[Count, ...]:
    """What the argument `name` of `init` has to agree with; empty where that is nothing or not all known.

    Where an Estimator's config says nothing of checkpoints, `train_steps` has to agree with the `save_steps`
    of the same call.
    """
    found = counts(project, program, name)
    if name == "train_steps" and not found and evaluates_between(project, program):
        saved = passed(project, call, SAVE_STEPS, program)
        if saved is not None and saved.given is not None:
            found = (Count(saved.value, SAVE_STEPS, saved.given),)
    return found if all(count.value.is_known for count in found) else ()


def is_judged(project: Project, name: str, program: str) -> bool:
    """Whether the one call of `init` in a program decides about the argument `name` for good."""
    return len(init_calls_of(project, program)) == 1 and not is_set_later(project, program, name)


def source_of_steps(project: Project, call: Ref, name: str) -> str | None:
    """The source text that `init` should get as `name`, if all programs of the call train with the same.

    A name where one means the same at the call, else the number; None for a number that is only a default.
    """
    found = {
        _source(project, call, count)
        for program in project.programs_of(call.key)
        for count in wanted_steps(project, call, name, program)
    }
    return found.pop() if len(found) == 1 else None


def _source(project: Project, call: Ref, count: Count) -> str | None:
    text = None if count.implied else _shared_name(project, call, count.given)
    if text is not None:
        return text
    known = count.value.only
    return None if known is None or known.is_default else repr(known.constant)


def _shared_name(project: Project, call: Ref, ref: Ref) -> str | None:
    """The spelling of a name, or of attributes of one, that is bound once, before the call and for both."""
    facts = project.facts(call.key)
    found = dotted(ref.expr)
    if facts is None or found is None or ref.key != call.key:
        return None
    here, there = (lookup(facts, scope, found[0].id) for scope in (call.scope, ref.scope))
    if here is None or there is None or here.scope != there.scope or len(here.bindings) != 1:
        return None
    later = here.bindings[0].statement >= call.statement
    if later and enclosing_function(facts, call.scope) == here.scope:
        return None
    return spelled(ref.expr)
