"""
## What it does

Finds arguments of `NPURunConfig`, `ProfilingConfig`, `DumpConfig`, `MemoryConfig`, `DynamicInputConfig` and
`ExperimentalConfig` that the constructor does not have or does not take: misspelt names, names of former
releases, session keys that belong into another object, values of another type, missing and surplus arguments.

## Why

The constructor raises `TypeError` or `ValueError`. Later releases may bring new arguments, so one that is not
known is a warning only. What former releases had is an error if the setting `cann` says 7.0 or later.

## Example

```python
config = NPURunConfig(precison_mode="allow_mix_precision", enable_dump=True, mix_compile_mode=1)
```

## Use instead

```python
dump_config = DumpConfig(enable_dump=True, dump_path="/home/user/dump")
config = NPURunConfig(precision_mode="allow_mix_precision", dump_config=dump_config, mix_compile_mode=True)
```

## Fix safety

Safe for a misspelt name: the argument gets the name that it resembles, unless the call passes that too.
Everything else is for you to decide.

## Sources

CODE:npu_config.py; API:npu_config.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call, Constant
from npu_migrate.intents import Rename
from npu_migrate.knowledge import run_config as known_of
from npu_migrate.knowledge.option_words import in_sentences
from npu_migrate.knowledge.releases import has_certainly
from npu_migrate.knowledge.run_config import COMPANIONS, RUN_CONFIG_CLASS
from npu_migrate.knowledge.session_keys import SESSION_KEYS
from npu_migrate.knowledge.spelling import Similar, similar
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.npu201 import is_misspelt
from npu_migrate.rules.options import plain_finding
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.calls.signatures import (
    keyword_name,
    missing,
    starred_names,
    surplus,
    unknown_keywords,
)
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.options.configurations import (
    SESSION,
    Configuration,
    Option,
    configurations,
    options,
    value_of,
)

CODE = "NPU611"
TITLE = "Rename the argument to {name}"
UNKNOWN = "{kind} has no argument {name}: TypeError"
FORMER = "{kind} has no argument {name} since {until}: TypeError"
OTHER_OBJECT = "it is an argument of {kind}"
SESSION_ONLY = "it is a session key"
INSTEAD = "use {replacement}"
WRONG_TYPE = "{value}, but {name} takes {taken}: {error}"
WRONG_CLASS = "{name} takes an object of {kind}: ValueError"
LACKING = "{kind} needs {names}: TypeError"
SURPLUS = "{kind} takes {count} arguments: TypeError"
BOOL_ONCE = "{value}, which only r1.10 and r1.11 take; since r1.13 jit_compile takes a text: TypeError"

_JIT = "jit_compile"
_CHECKED: dict[str, tuple[type, str, str]] = {
    "mix_compile_mode": (bool, "True or False", "TypeError"),
    "horovod_mode": (bool, "True or False", "ValueError"),
    _JIT: (str, "a text", "TypeError"),
}


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per argument that the constructor does not take."""
    for configuration in configurations(project):
        if configuration.kind != SESSION:
            yield from _names(project, configuration)
            yield from _counted(project, configuration)
            yield from _types(project, configuration)


# -- names ---------------------------------------------------------------------------------------------


def _names(project: Project, configuration: Configuration) -> Iterator[Finding]:
    call = configuration.made
    for keyword in unknown_keywords(call, configuration.parameters):
        name = cast(str, keyword.name)
        place = keyword_name(call.key, keyword)
        found = _unknown(project, configuration, name)
        if found is not None:
            severity, message, near = found
            rewrite = None if near is None else _renamed(configuration, place, name, near)
            yield from plain_finding(project, CODE, severity, message, place, rewrite)
    for name, place, _ in starred_names(project, call):
        found = None if name in configuration.parameters else _unknown(project, configuration, name)
        if found is not None:
            yield from plain_finding(project, CODE, found[0], found[1], place)


def _unknown(
    project: Project, configuration: Configuration, name: str
) -> tuple[Severity, str, Similar | None] | None:
    """How bad an unknown name is, what is said of it, and which one was meant; None if others say it."""
    kind = configuration.kind
    if name in known_of.LATER.get(kind, ()) or name in known_of.ONLY_RUN_CONFIG or is_misspelt(name):
        return None
    former = known_of.FORMER.get(kind, {}).get(name)
    if former is not None:
        gone = has_certainly(project.options.cann, former.until)
        said = FORMER.format(kind=kind, name=name, until=former.until)
        instead = None if former.replacement is None else INSTEAD.format(replacement=former.replacement)
        return Severity.ERROR if gone else Severity.WARNING, in_sentences(said, instead), None
    said = UNKNOWN.format(kind=kind, name=name)
    for other, parameters in ((RUN_CONFIG_CLASS, known_of.PARAMETERS), *COMPANIONS.items()):
        if name in parameters:
            return Severity.ERROR, in_sentences(said, OTHER_OBJECT.format(kind=other)), None
    if kind == RUN_CONFIG_CLASS and name in SESSION_KEYS:
        return Severity.ERROR, in_sentences(said, SESSION_ONLY), None
    near = similar(name, configuration.parameters)
    return Severity.WARNING, in_sentences(said, None if near is None else near.in_words()), near


def _renamed(configuration: Configuration, place: Place, name: str, near: Similar) -> Rewrite | None:
    call = cast(Call, configuration.made.expr)
    if call.args or any(keyword.name in (None, near.name) for keyword in call.keywords):
        return None
    intents = (Rename(place, name, near.name),)
    return Rewrite(Applicability.SAFE, TITLE.format(name=near.name), intents)


def _counted(project: Project, configuration: Configuration) -> Iterator[Finding]:
    kind, call = configuration.kind, configuration.made
    place = last_token(call.key, cast(Call, call.expr).func)
    names = missing(project, call, configuration.parameters, known_of.REQUIRED.get(kind, ()))
    if names:
        said = LACKING.format(kind=kind, names=" and ".join(names))
        yield from plain_finding(project, CODE, Severity.ERROR, said, place)
    for extra in surplus(call, configuration.parameters) if kind in COMPANIONS else ():
        said = SURPLUS.format(kind=kind, count=len(configuration.parameters))
        yield from plain_finding(project, CODE, Severity.ERROR, said, extra.place)


# -- types ---------------------------------------------------------------------------------------------


def _types(project: Project, configuration: Configuration) -> Iterator[Finding]:
    for option in options(project, configuration) if configuration.kind == RUN_CONFIG_CLASS else ():
        judge: Callable[[str], Verdict | None] | None = None
        if option.name in _CHECKED:
            judge = partial(_judge_type, project, configuration, option)
        elif option.name in known_of.CHECKED_HOLDERS and option.value is not None:
            judge = partial(_judge_class, project, option)
        if judge is not None:
            yield from judged(project, CODE, option.shown.place, judge, asked=configuration.made.key)


def _judge_type(
    project: Project, configuration: Configuration, option: Option, program: str
) -> Verdict | None:
    kind, taken, error = _CHECKED[option.name]
    value = value_of(project, configuration, option, program)
    if not value.every(lambda one: not isinstance(one, kind)):
        return None
    known = telling(value)
    if known.is_default and known.constant is None:
        return None
    said = describe(project, option.name, known)
    if option.name == _JIT and isinstance(known.constant, bool):
        new = has_certainly(project.options.cann, SESSION_KEYS[_JIT].since)
        return Verdict(Severity.ERROR if new else Severity.INFO, BOOL_ONCE.format(value=said), related(known))
    message = WRONG_TYPE.format(value=said, name=option.name, taken=taken, error=error)
    return Verdict(lowered_for(Severity.ERROR, value.alternatives), message, related(known))


def _judge_class(project: Project, option: Option, program: str) -> Verdict | None:
    """Whether all that an argument may be is seen, and nothing of it an object of the class or None."""
    value = cast(Ref, option.value)
    kind = known_of.HOLDERS[option.name]
    made = origins(project, value)
    if not made or not all(_is_other(project, one, kind) for one in made):
        return None
    return Verdict(Severity.ERROR, WRONG_CLASS.format(name=option.name, kind=kind))


def _is_other(project: Project, made: Ref, kind: str) -> bool:
    if isinstance(made.expr, Constant):
        return made.expr.value is not None
    if not isinstance(made.expr, Call):
        return False
    names = externals_called(project, made)
    others = {f"npu_bridge.{other}" for other in COMPANIONS if other != kind}
    return bool(names) and names <= others


RULE = Rule(
    code=CODE,
    name="npu-config-argument",
    summary="An argument that NPURunConfig or one of its companions does not take.",
    severity="error; warning for a name that is not known; info for a bool as jit_compile",
    fix="safe for a misspelt name, else manual",
    sources=("CODE", "API:npu_config"),
    documentation=__doc__ or "",
    check=check,
)
