"""
## What it does

Finds keys in the parameter map of an `NpuOptimizer` entry that the NPU does not know.

## Why

The runtime reads the keys that it knows, and ignores all others without a message. With one letter too few
the option stays off, and nothing says so.

Later versions of CANN bring new keys, so the finding is a warning. With the setting `cann` it also tells
which keys this version does not know yet, or does not know any more.

## Example

```python
custom_op.parameter_map["precison_mode"].s = tf.compat.as_bytes("allow_mix_precision")
```

## Use instead

```python
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
```

NPU604 has a table of all keys.

## Fix safety

Safe for a misspelt key: it gets the name that it resembles, if it is set in the field of that key, to a value
that is legal there, and if the configuration does not set that key too. A key that is more than two letters
away from every known one gets no edit.

## Sources

CODE:npu_attrs.cc; API:session_config.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.knowledge.option_values import is_legal, is_of_field
from npu_migrate.knowledge.option_words import documented, in_sentences, meant_key
from npu_migrate.knowledge.releases import has_certainly, in_words, lacks_certainly
from npu_migrate.knowledge.session_keys import FORMER_KEYS, SESSION_KEYS
from npu_migrate.knowledge.spelling import similar
from npu_migrate.project.project import Project
from npu_migrate.rules.npu201 import is_misspelt
from npu_migrate.rules.options import key_place, plain_finding, replaced_literal
from npu_migrate.rules.rule import Rule
from npu_migrate.training.npu.configs import ParameterWrite, entries, parameter_writes
from npu_migrate.training.npu.options.configurations import SESSION, Configuration, Option, options, value_of

CODE = "NPU601"
TITLE = "Write {name}"
UNKNOWN = "the NPU does not know the session key {key} and ignores it"
TOO_NEW = "CANN {cann} does not know the session key {key}, which came with {release}, and ignores it"
GONE = "CANN {cann} does not know the session key {key} any more, and ignores it"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per key that is not known."""
    seen: set[tuple[int, int]] = set()
    for entry in entries(project):
        configuration = Configuration(SESSION, entry.added, entry)
        for write in parameter_writes(project, entry):
            mark = (id(write.target.expr), id(write.named.expr))
            message = _message(project, write.key)
            if message is not None and mark not in seen:
                seen.add(mark)
                rewrite = _renamed(project, configuration, write)
                yield from plain_finding(
                    project, CODE, Severity.WARNING, message, key_place(project, write), rewrite
                )


def _message(project: Project, key: str | None) -> str | None:
    cann = project.options.cann
    if key is None or is_misspelt(key):
        return None
    row = SESSION_KEYS.get(key)
    if row is not None:
        if not lacks_certainly(cann, row.since):
            return None
        assert row.since is not None
        return TOO_NEW.format(cann=cann, key=key, release=in_words(row.since))
    former = FORMER_KEYS.get(key)
    hint = meant_key(key)
    if former is not None and former.until is not None:
        # A release had it: NPU609 says so.
        if not has_certainly(cann, former.until):
            return None
        return in_sentences(GONE.format(cann=cann, key=key), hint)
    found = similar(key, SESSION_KEYS)
    said = documented(found.name) if found is not None else None
    return in_sentences(UNKNOWN.format(key=key), hint, said)


def _renamed(project: Project, configuration: Configuration, write: ParameterWrite) -> Rewrite | None:
    """Gives a misspelt key the name that it resembles."""
    assert write.key is not None
    found = (
        None if write.key in FORMER_KEYS or write.key in SESSION_KEYS else similar(write.key, SESSION_KEYS)
    )
    if found is None:
        return None
    row = SESSION_KEYS[found.name]
    value = value_of(project, configuration, Option(found.name, write.value, write.at, write), None)
    fits = value.every(lambda one: is_of_field(row, one) and is_legal(found.name, row, one))
    others = {option.name for option in options(project, configuration)}
    if write.field != row.field or not fits or found.name in others:
        return None
    intent = replaced_literal(project, write.named, found.name)
    return None if intent is None else Rewrite(Applicability.SAFE, TITLE.format(name=found.name), (intent,))


RULE = Rule(
    code=CODE,
    name="unknown-key",
    summary="A session key that the NPU does not know and ignores.",
    severity="warning",
    fix="safe for a misspelt key, else manual",
    sources=("CODE", "API:session_config"),
    documentation=__doc__ or "",
    check=check,
)
