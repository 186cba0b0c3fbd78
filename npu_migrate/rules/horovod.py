"""What the rules about Horovod have in common: all of it in a program is replaced, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import NO_EDIT, programs_that_train, reported
from npu_migrate.training.distributed.optimizers import wrapper_calls
from npu_migrate.training.porting.edit import Edit
from npu_migrate.training.porting.features.distributed.horovod import (
    Use,
    horovod_uses,
    is_imported_on_condition,
)
from npu_migrate.training.porting.features.distributed.horovod_programs import horovod_group

NOTHING_BY_HAND: Mapping[str, str] = MappingProxyType({})
TITLE = "Replace Horovod by npu_bridge, everywhere in the program"
OTHER_DEVICES = (
    "{message}; nothing is changed: the program has an optimizer that averages over NPUs, and imports "
    "Horovod on a condition"
)
NO_COUNTERPART = "{message}; there is no counterpart that computes the same, so nothing of Horovod is changed"


def horovod_findings(
    project: Project, code: str, kind: str, message: str, by_hand: Mapping[str, str] = NOTHING_BY_HAND
) -> Iterator[Finding]:
    """One finding per call of one `kind`; `message` has a place for its name.

    `by_hand` says of functions without a counterpart what a person can write. In programs that average their
    gradients over NPUs already, and import Horovod on a condition only, its calls are those of the other
    devices: advice, and nothing is replaced.
    """
    for use in horovod_uses(project):
        if use.kind != kind:
            continue
        text = message.format(name=use.name)
        if _is_for_other_devices(project, use):
            yield from reported(project, code, Severity.INFO, use.ref, OTHER_DEVICES.format(message=text))
            continue
        edit = _together(project, use)
        if use.change is None:
            text = by_hand.get(use.name, "{message}").format(message=NO_COUNTERPART.format(message=text))
        elif edit.obstacle:
            text = NO_EDIT.format(message=text, reason=edit.obstacle)
        rewrite = Rewrite(Applicability.UNSAFE, TITLE, edit.intents) if edit.intents else None
        yield from reported(project, code, Severity.ERROR, use.ref, text, rewrite)


def _is_for_other_devices(project: Project, use: Use) -> bool:
    """Whether programs that a person has moved keep a call of Horovod for where they ran before."""
    averaging = {one.key for one in wrapper_calls(project)}
    files = [project.programs.by_entry[one].files for one in programs_that_train(project, use.ref)]
    return all(not averaging.isdisjoint(one) and is_imported_on_condition(project, one) for one in files)


def _together(project: Project, use: Use) -> Edit:
    """What replaces Horovod in all programs of a call; a reason if that cannot be done in one of them."""
    groups = [horovod_group(project, program) for program in programs_that_train(project, use.ref)]
    hindered = [group for group in groups if group.obstacle]
    intents = (intent for group in groups for intent in group.intents)
    return hindered[0] if hindered else Edit(tuple(dict.fromkeys(intents)))
