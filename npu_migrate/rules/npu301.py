"""
## What it does

Finds values of `accelerate_train_mode`, and of the session key `experimental_accelerate_train_mode`, that the
runtime does not understand. It wants a text of two or three fields with `|` between them: `fast` or `fast1`;
`step` or `loss`; a ratio. Blanks and capital letters are not forgiven.

It also finds `accelerate_train_mode == "…"` as an argument, as one edition of the documents prints it, and
session keys that are written in a field other than `.s`.

## Why

The text is read only when the graph runs, after the job has been queued: the run then ends with an invalid
argument. With `==` Python compares a name that does not exist, and the script ends with `NameError`. A
session key in another field is read as an empty text, so there is no acceleration.

## Example

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="Fast | step | 0.9")
```

## Use instead

```python
experimental_config = ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
```

## Fix safety

Safe where only blanks or capital letters are wrong, and where `==` stands for `=`. Everything else is for you
to decide.

## Sources

SEED-EXP; DOC-EXPS; CODE:geop_npu.cc.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call, Operation
from npu_migrate.intents import ReplaceExpression
from npu_migrate.knowledge.acceleration import RATIOS, TYPES, is_unset, parse_mode, tidied
from npu_migrate.project.project import Project
from npu_migrate.rules.acceleration import replacement_of, shown_at, subject
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.literals import code_of
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.acceleration import Asked, asked_modes, asked_value

CODE = "NPU301"
TITLE = "Write the mode as the runtime reads it"
TITLE_EQUALS = "Pass the mode with ="
MESSAGE = '{value} is not a mode such as "fast|step|0.9": {why}'
COMPARED = "accelerate_train_mode == … compares, it does not pass the mode: NameError"
WRONG_FIELD = "{key} is set in field .{field}, only .s is read"

NOT_A_TEXT = "it has to be a text"
BLANKS = "blanks around the fields are not removed"
CAPITALS = "capital letters are not understood"
COUNT = "it has not two or three fields, but {count}"
TYPE = "the first field has to be {types}"
TRIGGER = "the second field has to be {triggers}"
RATIO = "the third field is not a number"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per value that is no mode."""
    for asked in asked_modes(project):
        place = shown_at(project, asked)
        if place.path not in project.targets:
            continue
        judge = partial(_judge, project, asked)
        yield from judged(project, CODE, place, judge, _rewrite(project, asked), asked=asked.owner.key)


def _judge(project: Project, asked: Asked, program: str) -> Verdict | None:
    if asked.comparison is not None:
        return Verdict(Severity.ERROR, COMPARED)
    if asked.field not in (None, "s"):
        return Verdict(Severity.ERROR, WRONG_FIELD.format(key=subject(asked), field=asked.field))
    value = asked_value(project, asked, program)
    if not value.every(_is_malformed):
        return None
    known = telling(value)
    message = MESSAGE.format(value=describe(project, subject(asked), known), why=_why(known.constant))
    return Verdict(lowered_for(Severity.ERROR, value.alternatives), message, related(known))


def _is_malformed(value: object) -> bool:
    return not is_unset(value) and not (isinstance(value, str) and parse_mode(value) is not None)


def _why(value: object) -> str:
    if not isinstance(value, str):
        return NOT_A_TEXT
    tidy = tidied(value)
    if parse_mode(tidy) is not None:
        return BLANKS if any(character.isspace() for character in value) else CAPITALS
    fields = tidy.split("|")
    if len(fields) not in (2, 3):
        return COUNT.format(count=len(fields))
    if fields[0] not in TYPES:
        return TYPE.format(types=" or ".join(TYPES))
    return RATIO if fields[1] in RATIOS else TRIGGER.format(triggers=" or ".join(RATIOS))


def _rewrite(project: Project, asked: Asked) -> Rewrite | None:
    if asked.comparison is not None:
        code = _with_keyword(project, asked)
        if code is None:
            return None
        return Rewrite(Applicability.SAFE, TITLE_EQUALS, (ReplaceExpression(asked.owner.place, code),))
    intent = replacement_of(project, asked, _mended)
    return None if intent is None else Rewrite(Applicability.SAFE, TITLE, (intent,))


def _mended(text: str) -> str | None:
    tidy = tidied(text)
    return tidy if parse_mode(text) is None and parse_mode(tidy) is not None else None


def _with_keyword(project: Project, asked: Asked) -> str | None:
    """The call with ``a=b`` instead of ``a == b``; None if a positional argument follows."""
    call, comparison = asked.owner.expr, asked.comparison
    assert isinstance(call, Call) and comparison is not None and isinstance(comparison.expr, Operation)
    if call.args[-1] is not comparison.expr:
        return None
    source = project.tree.source(asked.owner.key)
    left, right = comparison.expr.operands
    start = source.lines.offsets(call.span)[0]
    before, after = source.lines.offsets(left.span)[1], source.lines.offsets(right.span)[0]
    code = code_of(project, asked.owner)
    return code[: before - start] + "=" + code[after - start :]


RULE = Rule(
    code=CODE,
    name="accelerate-mode-malformed",
    summary="A value of accelerate_train_mode that the runtime does not understand.",
    severity="error, or warning for a default",
    fix="safe for blanks, capital letters and ==, else manual",
    sources=("SEED-EXP", "DOC-EXPS", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
