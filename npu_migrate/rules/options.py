"""What the rules NPU601–NPU612 share: the writes and options to judge, and where they are shown."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Rewrite, Severity
from npu_migrate.index.facts import Call, Constant
from npu_migrate.intents import ReplaceExpression
from npu_migrate.knowledge import acceleration, npu
from npu_migrate.knowledge.session_keys import SESSION_KEYS, SessionKey
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.semantics.values.literals import is_quoted, own_literal, quoted_like
from npu_migrate.training.npu.configs import ParameterWrite, entries, parameter_writes
from npu_migrate.training.npu.options.configurations import Configuration, Option, configurations, options

SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING, "info": Severity.INFO}

JUDGED_ELSEWHERE = frozenset({npu.ITERATIONS_PER_LOOP, acceleration.SESSION_KEY})
"""Keys whose fields and values have rules of their own: NPU201 and NPU301 to NPU304."""

_EXPERIMENTAL = "experimental_"


def session_writes(project: Project) -> tuple[ParameterWrite, ...]:
    """The writes into the parameter maps of NpuOptimizer entries whose key is known, each once."""
    found = [write for entry in entries(project) for write in parameter_writes(project, entry)]
    unique = {(id(write.target.expr), id(write.named.expr)): write for write in found}
    return tuple(write for write in unique.values() if write.key is not None)


def set_options(project: Project) -> Iterator[tuple[Configuration, Option, SessionKey]]:
    """Every option that is a session key, with what is known of the key; those of shared code only once."""
    seen: set[tuple[int, int]] = set()
    for configuration in configurations(project):
        for option in options(project, configuration):
            key = SESSION_KEYS.get(key_of(configuration, option.name))
            mark = (id(option.at.expr), id(option.shown.expr))
            if key is None or mark in seen or (option.write is not None and option.write.field != key.field):
                continue
            seen.add(mark)
            yield configuration, option, key


def key_of(configuration: Configuration, name: str) -> str:
    """The session key that an argument becomes."""
    if configuration.kind == "ExperimentalConfig" and f"{_EXPERIMENTAL}{name}" in SESSION_KEYS:
        return f"{_EXPERIMENTAL}{name}"
    return name


def name_place(project: Project, option: Option) -> Place:
    """Where an option is named: the literal of a key, else what sets it; for an argument its value."""
    write = option.write
    if write is not None:
        return key_place(project, write)
    if option.value is not None:
        return option.value.place
    assert isinstance(option.at.expr, Call)
    return last_token(option.at.key, option.at.expr.func)


def key_place(project: Project, write: ParameterWrite) -> Place:
    """The literal that says the key of a write, else what makes the write happen.

    It is the write itself where the literal stands in a file that is not looked at.
    """
    if write.named.key not in project.targets and write.target.key in project.targets:
        return write.target.place
    return write.named.place if isinstance(write.named.expr, Constant) else write.at.place


def value_place(project: Project, option: Option) -> Place:
    """Where the value of an option is given, or written, if it comes from a file that is not looked at."""
    write = option.write
    if option.value is None:
        return name_place(project, option)
    if write is not None and option.value.key not in project.targets and write.target.key in project.targets:
        return write.target.place
    return option.value.place


def replaced_literal(project: Project, given: Ref | None, text: str) -> ReplaceExpression | None:
    """What puts `text` in the place of the literal that `given` is, written alike; None if there is none.

    There is none either in a file that is not looked at, or for the name of a keyword argument.
    """
    literal = None if given is None else own_literal(project, given)
    if literal is None or literal.key not in project.targets or not is_quoted(project, literal):
        return None
    return ReplaceExpression(literal.place, quoted_like(project, literal, text))


def plain_finding(
    project: Project,
    code: str,
    severity: Severity,
    message: str,
    place: Place,
    rewrite: Rewrite | None = None,
) -> Iterator[Finding]:
    """A finding that holds in every program of its file; nothing outside the targets."""
    if place.path in project.targets:
        yield Finding(code, severity, message, place, (), rewrite, project.programs_of(place.path))
