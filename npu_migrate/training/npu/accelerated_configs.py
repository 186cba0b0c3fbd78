"""The configs that may ask for acceleration, one by one, with what else they set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.knowledge.acceleration import MODE, SESSION_KEY
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Value, join
from npu_migrate.training.npu.acceleration import asked_by, entry_mode, experimental_configs, run_config_mode
from npu_migrate.training.npu.configs import (
    Entry,
    Setting,
    entries,
    entry_iterations,
    parameter_writes,
    run_config_iterations,
    run_config_setting,
    run_configs,
)


class Config(NamedTuple):
    """A config that may set the mode: an ``NPURunConfig`` call or the entry of a session config.

    `made` is the call that makes it, `entry` is None for an ``NPURunConfig``.
    """

    made: Ref
    entry: Entry | None

    def mode(self, project: Project, program: str) -> Value:
        """The mode it sets; None stands for no mode."""
        if self.entry is None:
            return run_config_mode(project, self.made, program)
        return entry_mode(project, self.entry, program)

    def iterations(self, project: Project, program: str) -> Setting:
        """Its ``iterations_per_loop``."""
        if self.entry is None:
            return run_config_iterations(project, self.made, program)
        return entry_iterations(project, self.entry, program)

    def setting(self, project: Project, name: str, program: str | None = None) -> Setting | None:
        """What it sets for an option whose value is a text; None if it does not set it."""
        if self.entry is None:
            return run_config_setting(project, self.made, name, program)
        writes = [write for write in parameter_writes(project, self.entry) if write.key == name]
        if not writes:
            return None
        values = [
            evidence(project, write.given, program) if write.field == "s" and write.given else UNKNOWN
            for write in writes
        ]
        return Setting(join(values), writes[0].value)

    @property
    def subject(self) -> str:
        """What the mode is called in it."""
        return MODE if self.entry is None else SESSION_KEY


def configs(project: Project) -> Iterator[Config]:
    """All configs that may set the mode."""
    if any(asked_by(project, call) is not None for call in experimental_configs(project)):
        yield from (Config(call, None) for call in run_configs(project))
    for entry in entries(project):
        if any(write.key == SESSION_KEY for write in parameter_writes(project, entry)):
            yield Config(entry.added, entry)


def place_of(setting: Setting, config: Config) -> Ref:
    """Where a setting is shown: its value expression, else where a dictionary gives it, else the config."""
    if setting.given is not None:
        return setting.given
    steps = [step for known in setting.value.alternatives for step in known.steps]
    return steps[0].ref if steps else config.made
