"""Options that exclude or need each other, in one configuration and on one path."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, walk
from npu_migrate.knowledge.option_partners import CONFLICTS, PARTNERS, Conflict, Part, Partner
from npu_migrate.knowledge.run_config import HOLDERS, REQUIRED
from npu_migrate.project.project import Project
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.values.evidence import conditions_at, guarded_by_same_name
from npu_migrate.semantics.values.value import UNKNOWN, Known, Value, constant
from npu_migrate.training.npu.options.configurations import (
    Configuration,
    Option,
    is_closed,
    options,
    value_of,
)
from npu_migrate.training.npu.options.paths import exclusive, is_before, together
from npu_migrate.training.npu.options.removals import files_removing_options

_MAP = "parameter_map"


class Clash(NamedTuple):
    """A conflict that may be there: `other` is None where the other option keeps its default."""

    conflict: Conflict
    configuration: Configuration
    one: Option
    other: Option | None


class Lack(NamedTuple):
    """An option that may lack its partner."""

    partner: Partner
    configuration: Configuration
    one: Option


def possible_clashes(project: Project, configuration: Configuration) -> Iterator[Clash]:
    """The pairs of options in a configuration that `clash` has to be asked about."""
    found = options(project, configuration)
    for conflict in CONFLICTS:
        if conflict.only_in not in (None, configuration.kind):
            continue
        ones = [option for option in found if option.name == conflict.one.name]
        others = [option for option in found if option.name == conflict.other.name]
        for one, other in product(ones, others):
            yield Clash(conflict, configuration, one, other)
        if conflict.other.default and not others:
            yield from (Clash(conflict, configuration, one, None) for one in ones)


def possible_lacks(project: Project, configuration: Configuration) -> Iterator[Lack]:
    """The options of a configuration that `lacks` has to be asked about."""
    for partner in PARTNERS:
        for option in options(project, configuration):
            if option.name == partner.one.name:
                yield Lack(partner, configuration, option)


def clash(project: Project, found: Clash, program: str) -> tuple[Known, ...]:
    """The values that clash in a program; empty if they do not for certain."""
    if found.conflict.only_in is None and _belongs_elsewhere(found.configuration, found.conflict.other.name):
        return ()
    one = _held(project, found.configuration, found.one, found.conflict.one, program)
    if not one.is_known:
        return ()
    if found.other is None:
        return one.alternatives[:1] if is_closed(project, found.configuration, program) else ()
    other = _held(project, found.configuration, found.other, found.conflict.other, program)
    if not other.is_known or not _on_one_path(project, found.one, found.other):
        return ()
    if _is_asked_first(project, found.one, other) or _is_asked_first(project, found.other, one):
        return ()
    return one.alternatives[0], other.alternatives[0]


class Lonely(NamedTuple):
    """A value that lacks its partner for certain, and the options that could be it, but are set otherwise."""

    one: Known
    others: tuple[tuple[str, Value], ...]


def lacks(project: Project, found: Lack, program: str) -> Lonely | None:
    """The value that lacks its partner in a program; None if it does not for certain."""
    required = REQUIRED.get(found.configuration.kind, ())
    if all(_belongs_elsewhere(found.configuration, part.name) for part in found.partner.needed) or required:
        return None
    one = _held(project, found.configuration, found.one, found.partner.one, program)
    if not one.is_known or not is_closed(project, found.configuration, program):
        return None
    others = []
    for option in options(project, found.configuration):
        part = next((part for part in found.partner.needed if part.name == option.name), None)
        if part is None or (option.write is not None and exclusive(project, found.one.at, option.at)):
            continue
        value = _shared_value(project, found.configuration, option, program)
        if not value.is_known or any(part.holds(known.constant) for known in value.alternatives):
            return None
        if _is_asked_first(project, found.one, value):
            return None
        if found.partner.weight == "info":
            return None  # switched off on purpose, where the other may wait for better days
        others.append((part.name, value))
    return Lonely(one.alternatives[0], tuple(others))


def _is_asked_first(project: Project, option: Option, other: Value) -> bool:
    """Whether an option is only set under a condition on the default that another option gets.

    ``if FLAGS.precision_mode == "allow_mix_precision":`` around the one says what the other one is there.
    """
    return any(guarded_by_same_name(project, option.at, known) for known in other.alternatives)


def _belongs_elsewhere(configuration: Configuration, name: str) -> bool:
    """Whether an option is set in another object than this configuration."""
    return configuration.entry is None and name not in configuration.parameters


def _held(project: Project, configuration: Configuration, option: Option, part: Part, program: str) -> Value:
    """The value of an option if it is one of those meant, and nothing sets it anew; else unknown."""
    files = project.programs.by_entry[program].files
    value = _made_object(project, option)
    value = value if value.is_known else _shared_value(project, configuration, option, program)
    if (
        option.at.key not in files
        or _asks_for_options(project, option)
        or not value.every(part.holds)
        or not _is_final(project, configuration, option)
    ):
        return UNKNOWN
    return value


def _shared_value(project: Project, configuration: Configuration, option: Option, program: str) -> Value:
    """The value of an option; unknown if only one of the entries that a function makes gets it."""
    if option.write is not None and option.write.one_of_many:
        return UNKNOWN
    return value_of(project, configuration, option, program)


def _asks_for_options(project: Project, option: Option) -> bool:
    """Whether what a map holds decides if an option is set: ``if "dump_path" in entry.parameter_map:``."""
    return option.write is not None and any(
        isinstance(part, Attribute) and part.attr == _MAP
        for condition in conditions_at(project, option.at)
        for part in walk(condition)
    )


def _made_object(project: Project, option: Option) -> Value:
    """The name of the class, for an argument that gets a companion object for certain."""
    kind = HOLDERS.get(option.name)
    if kind is None or option.value is None or option.write is not None:
        return UNKNOWN
    made = origins(project, option.value)
    is_one = bool(made) and all(f"npu_bridge.{kind}" in externals_called(project, one) for one in made)
    return constant(kind) if is_one else UNKNOWN


def _is_final(project: Project, configuration: Configuration, option: Option) -> bool:
    """Whether nothing on the same path sets an option later, or takes it away."""
    if option.write is not None and option.at.key in files_removing_options(project):
        return False
    return all(
        other == option
        or other.name != option.name
        or exclusive(project, option.at, other.at)
        or is_before(project, other.at, option.at) is True
        for other in (options(project, configuration) if option.write is not None else ())
    )


def _on_one_path(project: Project, one: Option, other: Option) -> bool:
    return one.write is None or together(project, one.at, other.at)
