"""
## What it does

Finds values that a field of the parameter map does not take: a text or a number in `.s`, which takes bytes, a
float or a text in `.i`, a text or None in `.b`. It also finds assignments to an item or to a field that does
not exist, and an item that is only read.

## Why

Protobuf raises `TypeError`, `ValueError` or `AttributeError`. Reading an item makes an empty value, which is
not valid in a session.

A number in `.b` and a bool in `.i` are taken; that is an info.

## Example

```python
custom_op.parameter_map["precision_mode"].s = "allow_mix_precision"
custom_op.parameter_map["graph_run_mode"] = 1
```

## Use instead

```python
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
custom_op.parameter_map["graph_run_mode"].i = 1
```

## Fix safety

Safe for texts in `.s`: they go through `tf.compat.as_bytes`. No edit for anything else.

## Sources

CODE:npu_attrs.cc; protobuf, seen by running it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.intents import WrapExpression
from npu_migrate.knowledge.session_keys import SESSION_KEYS
from npu_migrate.project.project import Project
from npu_migrate.rules.options import plain_finding, session_writes
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import Known, Value, describe, related
from npu_migrate.training.npu.configs import ParameterWrite
from npu_migrate.training.npu.options.as_bytes import as_bytes
from npu_migrate.training.npu.options.misuse import misuses

CODE = "NPU603"
TITLE = "Make bytes of the text"
WRONG_TYPE = "{value}, but field .{field} takes {taken}: TypeError"
TAKEN_AS = "{value} is taken as {meant} in field .{field}: write that"
ITEM_ASSIGNED = "an item of parameter_map cannot be assigned: ValueError; write its field .b, .i or .s"
ITEM_READ = "reading an item of parameter_map makes a key without a value, which is not valid in a session"
UNKNOWN_FIELD = "an item of parameter_map has no field .{field}: AttributeError; write .b, .i or .s"

_TAKEN = {"s": "bytes", "i": "an integer", "b": "True or False"}
_MISUSES = {"item assigned": ITEM_ASSIGNED, "item read": ITEM_READ, "unknown field": UNKNOWN_FIELD}


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per value or statement that protobuf does not take."""
    for write in session_writes(project):
        if write.value is not None and write.field in _TAKEN and not write.converted and _is_right(write):
            judge = partial(_judge, project, write)
            yield from judged(
                project, CODE, write.value.place, judge, _wrapped(project, write), asked=write.target.key
            )
    for misuse in misuses(project):
        message = _MISUSES[misuse.kind].format(field=misuse.field)
        place = last_token(misuse.place.key, misuse.place.expr)
        yield from plain_finding(project, CODE, Severity.ERROR, message, place)


def _is_right(write: ParameterWrite) -> bool:
    """Whether the field is that of the key, as far as it is known: NPU602 speaks of other fields."""
    row = SESSION_KEYS.get(write.key or "")
    return row is None or row.field == write.field


def _judge(project: Project, write: ParameterWrite, program: str) -> Verdict | None:
    assert write.value is not None and write.key is not None
    value = evidence(project, write.value, program)
    if not value.is_known or any(_is_unset_default(known) for known in value.alternatives):
        return None
    known = telling(value)
    said = describe(project, write.key, known)
    if _none_fits(value, write.field):
        message = WRONG_TYPE.format(value=said, field=write.field, taken=_TAKEN[write.field])
        return Verdict(lowered_for(Severity.ERROR, value.alternatives), message, related(known))
    other = {"b": int, "i": bool}.get(write.field)
    row = SESSION_KEYS.get(write.key)
    has_effect = row is None or row.state != "without effect"
    if other is not None and has_effect and value.every(lambda one: type(one) is other):
        meant = repr(bool(known.constant) if write.field == "b" else int(known.constant))
        return Verdict(Severity.INFO, TAKEN_AS.format(value=said, meant=meant, field=write.field))
    return None


def _is_unset_default(known: Known) -> bool:
    """A flag that is None by default: whoever starts the script sets it."""
    return known.is_default and known.constant is None


def _none_fits(value: Value, field: str) -> bool:
    taken = (bytes,) if field == "s" else (int,)
    return value.every(lambda one: not isinstance(one, taken))


def _wrapped(project: Project, write: ParameterWrite) -> Rewrite | None:
    """Makes bytes of the text where it is written into the field."""
    value = write.value
    if value is None or write.field != "s" or value.statement != write.target.statement:
        return None
    if not evidence(project, value).every(lambda one: isinstance(one, str)):
        return None
    code = as_bytes(project, value, "")
    if code is None:
        return None
    return Rewrite(Applicability.SAFE, TITLE, (WrapExpression(value.place, code[:-1], ")"),))


RULE = Rule(
    code=CODE,
    name="value-type",
    summary="A value or a statement that protobuf does not take in a parameter map.",
    severity="error; info for a number in .b and a bool in .i",
    fix="safe for a text in .s, else manual",
    sources=("CODE",),
    documentation=__doc__ or "",
    check=check,
)
