"""
## What it does

Finds values of session keys, and of the arguments of `NPURunConfig` and its companions, that no release and
no product knows.

## Why

Some of them end the process or the first run, others are ignored and the default holds. Nothing is checked
where the value is written: `NPURunConfig` hands most of its arguments on, and the runtime looks at them when
the first graph is run. An error is where the runtime stops, a warning where it goes on.

What is legal on one product only is the business of NPU610.

## Example

```python
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mixed_precision")
```

## Use instead

```python
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
```

## Fix safety

Safe where only blanks or capital letters are wrong. Everything else is for you to decide.

## Sources

CODE:npu_attrs.cc; CODE:npu_config.py; API:session_config.

## All session keys

`.b` is a bool, `.i` an integer, `.s` bytes. The releases are those of TF Adapter in which the like-named
argument of `NPURunConfig` came; where none is given, the key is older or the release is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.knowledge.option_values import in_words, is_legal, is_of_field, tidied
from npu_migrate.knowledge.option_words import in_sentences, table
from npu_migrate.knowledge.releases import in_words as release_in_words
from npu_migrate.knowledge.session_keys import SessionKey
from npu_migrate.knowledge.spelling import similar
from npu_migrate.project.project import Project
from npu_migrate.rules.options import (
    JUDGED_ELSEWHERE,
    key_of,
    replaced_literal,
    set_options,
    value_place,
)
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.options.configurations import Configuration, Option, options, value_of
from npu_migrate.training.npu.options.paths import always_follows
from npu_migrate.training.npu.options.removals import files_removing_options

CODE = "NPU604"
TITLE = "Write {value}"
MESSAGE = "{value} is not legal; legal is {legal}"
SINCE = "{name} is there since {release}"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per value that is not legal."""
    for configuration, option, key in set_options(project):
        if key_of(configuration, option.name) in JUDGED_ELSEWHERE:
            continue
        judge = partial(_judge, project, configuration, option, key)
        rewrite = _tidied(project, configuration, option, key)
        place = value_place(project, option)
        yield from judged(project, CODE, place, judge, rewrite, asked=configuration.made.key)


def _judge(
    project: Project, configuration: Configuration, option: Option, key: SessionKey, program: str
) -> Verdict | None:
    if _is_set_anew(project, configuration, option):
        return None
    value = value_of(project, configuration, option, program)
    name = key_of(configuration, option.name)
    if not value.every(lambda one: is_of_field(key, one) and not is_legal(name, key, one)):
        return None
    known = telling(value)
    parts = [MESSAGE.format(value=describe(project, option.name, known), legal=in_words(key))]
    near = similar(str(known.constant), [one for one in key.values if isinstance(one, str)])
    parts += [] if near is None else [near.in_words()]
    parts += (
        [] if key.since is None else [SINCE.format(name=option.name, release=release_in_words(key.since))]
    )
    severity = Severity.ERROR if _is_refused(project, configuration, key, program) else Severity.WARNING
    return Verdict(lowered_for(severity, value.alternatives), in_sentences(*parts), related(known))


def _is_set_anew(project: Project, configuration: Configuration, option: Option) -> bool:
    """Whether another value always follows, or may: where keys are taken out of a map."""
    write = option.write
    if write is None:
        return False
    return option.at.key in files_removing_options(project) or any(
        other.name == option.name
        and other.write is not None
        and other.write.field == write.field
        and always_follows(project, option.at, other.at)
        for other in options(project, configuration)
    )


def _is_refused(project: Project, configuration: Configuration, key: SessionKey, program: str) -> bool:
    """Whether the runtime stops at a value that is not legal: it may look only while a switch is on."""
    if not key.refused or key.checked_with is None:
        return key.refused
    switches = [one for one in options(project, configuration) if one.name == key.checked_with]
    return bool(switches) and all(
        value_of(project, configuration, one, program).every(lambda on: on is True) for one in switches
    )


def _tidied(
    project: Project, configuration: Configuration, option: Option, key: SessionKey
) -> Rewrite | None:
    """Writes a text without its blanks and capital letters."""
    known = value_of(project, configuration, option, None).only
    text = None if known is None else tidied(key, known.constant)
    intent = None if text is None else replaced_literal(project, option.value, text)
    return None if intent is None else Rewrite(Applicability.SAFE, TITLE.format(value=text), (intent,))


RULE = Rule(
    code=CODE,
    name="illegal-value",
    summary="A value of an option that the NPU does not know.",
    severity="error where the runtime stops, else warning",
    fix="safe for blanks and capital letters, else manual",
    sources=("CODE", "API:session_config"),
    documentation=f"{__doc__ or ''}\n{table()}\n",
    check=check,
)
