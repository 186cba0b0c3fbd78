"""
## What it does

Finds session keys that are written in another field than the one that the NPU reads: in `.s`, `.i` or `.b`.

## Why

The value of a key is a protobuf message that holds one of several fields. The runtime reads the field that
belongs to the key, and a field that was not written is False, 0 or an empty text. So the option has no value,
or one that is not legal, and no message names the line.

`jit_compile` is a text since r1.13; releases r1.10 and r1.11 read it as a bool. Without the setting `cann`
this one is only an info.

## Example

```python
custom_op.parameter_map["mix_compile_mode"].i = 1
custom_op.parameter_map["precision_mode"].b = True
```

## Use instead

```python
custom_op.parameter_map["mix_compile_mode"].b = True
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
```

NPU604 has a table of all keys and their fields.

## Fix safety

Safe where the value can be written in the right field without changing what it says: 1 becomes True, `"2"`
becomes 2. Everything else is for you to decide.

## Sources

CODE:npu_attrs.cc; API:session_config.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Constant
from npu_migrate.intents import Intent, Rename, ReplaceExpression
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.option_values import is_legal
from npu_migrate.knowledge.option_words import documented, in_sentences
from npu_migrate.knowledge.releases import has_certainly, lacks_certainly
from npu_migrate.knowledge.session_keys import SESSION_KEYS, SessionKey
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.rules.options import JUDGED_ELSEWHERE, key_place, plain_finding, session_writes
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.npu.configs import FIELDS, ParameterWrite
from npu_migrate.training.npu.options.as_bytes import as_bytes
from npu_migrate.training.npu.options.paths import always_follows

CODE = "NPU602"
TITLE = "Write {key} in field .{field}"
MESSAGE = "{key} is set in field .{field}, only .{right} is read: the NPU finds no value"
REPLACED = "{key} is set in field .{field}, only .{right} is read, and set later: maybe another key was meant"
BOOL_ONCE = "{key} is set in field .{field}, which only r1.10 and r1.11 read; since r1.13 it is .{right}"

_BOOL_ONCE = "jit_compile"
_TEXTS = {"True": True, "true": True, "False": False, "false": False, "1": True, "0": False}


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per key in a wrong field."""
    for write in session_writes(project):
        assert write.key is not None
        row = SESSION_KEYS.get(write.key)
        if row is None or write.key in JUDGED_ELSEWHERE or write.key == npu.DATA_PRE_PROC:
            continue
        if write.field not in FIELDS or write.field == row.field:
            continue
        severity, message = _said(project, write, row)
        said = documented(write.key)
        yield from plain_finding(
            project,
            CODE,
            severity,
            in_sentences(message, said),
            _place(project, write),
            _moved(project, write, row) if severity is Severity.ERROR else None,
        )


def _said(project: Project, write: ParameterWrite, row: SessionKey) -> tuple[Severity, str]:
    fields = {"key": write.key, "field": write.field, "right": row.field}
    if write.key == _BOOL_ONCE and write.field == "b" and not has_certainly(project.options.cann, row.since):
        return Severity.INFO, BOOL_ONCE.format(**fields)
    if _is_replaced(project, write, row):
        return Severity.WARNING, REPLACED.format(**fields)
    return Severity.ERROR, MESSAGE.format(**fields)


def _is_replaced(project: Project, write: ParameterWrite, row: SessionKey) -> bool:
    """Whether the key always gets a value in the right field later."""
    return any(
        other.key == write.key and other.field == row.field and always_follows(project, write.at, other.at)
        for other in session_writes(project)
        if other.owner.key == write.owner.key
    )


def _place(project: Project, write: ParameterWrite) -> Place:
    """The field, or where a loop or a function gets the key."""
    if write.at.expr is write.target.expr and write.named.statement == write.target.statement:
        return last_token(write.target.key, write.target.expr)
    return key_place(project, write)


def _moved(project: Project, write: ParameterWrite, row: SessionKey) -> Rewrite | None:
    """Writes a value that means the same in the right field."""
    value = write.value
    if value is None or value.statement != write.target.statement or write.field not in ("b", "i", "f", "s"):
        return None
    known = evaluate(project, value).only
    if known is None or known.steps or lacks_certainly(project.options.cann, row.since):
        return None
    code = _code(project, write, row, known.constant)
    if code is None:
        return None
    intents: list[Intent] = [Rename(write.target.place, write.field, row.field)]
    if not isinstance(value.expr, Constant) or repr(value.expr.value) != code:
        intents.append(ReplaceExpression(value.place, code))
    return Rewrite(Applicability.SAFE, TITLE.format(key=write.key, field=row.field), tuple(intents))


def _code(project: Project, write: ParameterWrite, row: SessionKey, constant: object) -> str | None:
    """The source of the value in the field that is read; None if it does not convert exactly."""
    assert write.key is not None
    text = constant.decode("utf-8", "replace") if isinstance(constant, bytes) else constant
    if row.field == "b":
        told = text if isinstance(text, bool) else _TEXTS.get(str(text)) if text is not None else None
        return None if told is None else repr(told)
    if row.field == "i":
        whole = _whole(text)
        return repr(whole) if whole is not None and is_legal(write.key, row, whole) else None
    word = str(text).lower() if isinstance(text, bool) else str(text)
    if text is None or not row.values or word not in row.values:
        return None
    return as_bytes(project, write.target, f'"{word}"')


def _whole(value: object) -> int | None:
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else None


RULE = Rule(
    code=CODE,
    name="wrong-field",
    summary="A session key in a field that the NPU does not read.",
    severity="error; warning where the right field is set later; info for a bool in jit_compile",
    fix="safe if the value means the same in the right field, else manual",
    sources=("CODE", "API:session_config"),
    documentation=__doc__ or "",
    check=check,
)
