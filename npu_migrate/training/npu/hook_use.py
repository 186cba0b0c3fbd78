"""Which trainings run with which ``TellMeStepOrLossHook``, and what both say of the steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from npu_migrate.index.facts import Call, Constant
from npu_migrate.knowledge import acceleration as known_of
from npu_migrate.knowledge.acceleration import Trigger
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import Passed, passed_objects
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.values.value import Value, join
from npu_migrate.training.npu.acceleration import (
    accelerates,
    asked_modes,
    asked_value,
    entry_mode,
    training_mode,
    trigger_of,
)
from npu_migrate.training.npu.config_reach import readers_of
from npu_migrate.training.npu.configs import Entry, calls_of, entries
from npu_migrate.training.npu.hooks import HookList, tells_progress
from npu_migrate.training.npu.progress import hooks_of_session, hooks_of_training
from npu_migrate.training.npu.step_count import total_of_session, total_of_training
from npu_migrate.training.npu.trainings import Training, trainings

MONITORED = "tensorflow.train.MonitoredTrainingSession"


class HookUser(NamedTuple):
    """A training that runs with the hook: a training call of an Estimator, or a session with its config.

    `total` is the number of steps that it makes, where it says so, and `total_name` what that is called.
    """

    training: Training | None
    entry: Entry | None
    total: Ref | None
    total_name: str

    def mode(self, project: Project, program: str) -> Value:
        """The mode that it trains with; None stands for no mode."""
        if self.training is not None:
            return training_mode(project, self.training, program)
        return entry_mode(project, cast(Entry, self.entry), program)


def progress_hooks(project: Project) -> tuple[Ref, ...]:
    """All calls of ``TellMeStepOrLossHook``, in order of file and place."""
    return calls_of(project, known_of.HOOK)


def users_of(project: Project, hook: Ref) -> tuple[HookUser, ...]:
    """The trainings that run with the hook made at `hook`."""
    return _users_by_hook(project).get(id(hook.expr), ())


@once
def _users_by_hook(project: Project) -> dict[int, tuple[HookUser, ...]]:
    found: dict[int, list[HookUser]] = {}
    for user, hooks in _users(project):
        for hook in hooks.hooks:
            if tells_progress(project, hook):
                found.setdefault(id(hook.expr), []).append(user)
    return {key: tuple(users) for key, users in found.items()}


def _users(project: Project) -> Iterator[tuple[HookUser, HookList]]:
    """All trainings, by Estimators and in monitored sessions, each with its hooks."""
    for training in trainings(project):
        user = HookUser(training, None, *_total_of(project, training))
        yield user, hooks_of_training(project, training)
    for entry in entries(project):
        for reader in readers_of(project, entry.configs):
            if MONITORED in externals_called(project, reader.ref):
                hooks = hooks_of_session(project, reader.ref)
                yield HookUser(None, entry, total_of_session(project, hooks), "last_step"), hooks


def _total_of(project: Project, training: Training) -> tuple[Ref | None, str]:
    """The total of a training call; ``steps`` only where the Estimator is not trained by other calls too."""
    steps = total_of_training(project, training)
    if steps is None:
        return None, ""
    made = {id(ref.expr) for ref in training.estimators}
    others = [other for other in trainings(project) if made & {id(ref.expr) for ref in other.estimators}]
    if steps.counted and len(others) > 1:
        return None, ""
    return steps.given, "steps" if steps.counted else "max_steps"


def trigger_for(project: Project, users: tuple[HookUser, ...], program: str) -> Trigger | None:
    """The trigger that a hook has to serve; that of the program where nobody is seen to use the hook."""
    if users:
        modes = [user.mode(project, program) for user in users]
    else:
        files = project.programs.by_entry[program].files
        modes = [
            asked_value(project, asked, program) for asked in asked_modes(project) if asked.owner.key in files
        ]
    mode = join(modes)
    return trigger_of(mode) if accelerates(mode) else None


class HookArguments(NamedTuple):
    """What a hook is given, by parameter: the expressions, None counting as nothing."""

    step: Passed
    total_step: Passed
    loss: Passed
    final_loss: Passed

    @property
    def certain(self) -> bool:
        """Whether all of it can be seen."""
        return all(passed.certain and len(passed.values) <= 1 for passed in self)

    def given(self, name: str) -> Ref | None:
        """The expression for one parameter; None if there is none."""
        values = cast(Passed, getattr(self, name)).values
        if not values or (isinstance(values[0].expr, Constant) and values[0].expr.value is None):
            return None
        return values[0]

    def is_direct(self, name: str) -> bool:
        """Whether the expression for one parameter stands in the call."""
        return cast(Passed, getattr(self, name)).direct


def hook_arguments(project: Project, hook: Ref) -> HookArguments:
    """What the call at `hook` gives the hook."""
    assert isinstance(hook.expr, Call)
    return HookArguments(
        *(
            passed_objects(project, hook, name, position)
            for position, name in enumerate(known_of.HOOK_PARAMETERS)
        )
    )
