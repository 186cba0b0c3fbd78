"""What the rules about Rec SDK's `init` share: where their findings stand and how they are weighed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from npu_migrate.findings import Finding, Place, Related, Rewrite
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project, Ref
from npu_migrate.project.rec_init import Passed
from npu_migrate.project.value import Known, Value, related
from npu_migrate.rules.places import last_token
from npu_migrate.rules.weighing import Verdict, weigh


def call_place(call: Ref) -> Place:
    """The place of a finding about a call as a whole."""
    return last_token(call.key, cast(Call, call.expr).func)


def value_place(call: Ref, given: Passed) -> Place:
    """The value's expression; the call where ``**`` leads to no single one."""
    return call_place(call) if given.given is None else given.given.place


def name_place(call: Ref, given: Passed) -> Place:
    """The keyword's name; the value where ``**`` passes it."""
    return given.name or value_place(call, given)


def telling(value: Value) -> Known:
    """The alternative of a known value to speak of: a default, if one is among them, else the first."""
    return next((known for known in value.alternatives if known.is_default), value.alternatives[0])


def reasons(*deciding: Known) -> tuple[Related, ...]:
    """The places that explain the values which decide a finding."""
    return tuple(place for known in deciding for place in related(known))


def finding(
    project: Project,
    code: str,
    call: Ref,
    place: Place,
    judge: Callable[[str], Verdict | None],
    rewrite: Rewrite | None = None,
) -> Iterator[Finding]:
    """The finding that `judge` makes of the programs of `call`, if any, if `place` lies in a target."""
    weighed = weigh(project, call.key, judge) if place.path in project.targets else None
    if weighed is not None:
        verdict, programs = weighed
        yield Finding(code, verdict.severity, verdict.message, place, verdict.related, rewrite, programs)
