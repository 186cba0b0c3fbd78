"""
## What it does

Finds options that need another one, where no path through the program sets that.

{table}

## Why

The runtime stops, or the option has no effect.

The finding is made only if all that sets the configuration is in sight.

## Example

```python
custom_op.parameter_map["enable_dump"].b = True
```

## Use instead

```python
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/user/dump")
```

## Fix safety

No edit: the value is for you to decide.

## Sources

CODE:npu_attrs.cc; CODE:npu_config.py; API:session_config.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding
from npu_migrate.knowledge.option_partners import PARTNERS
from npu_migrate.project.project import Project
from npu_migrate.rules.options import SEVERITIES, name_place
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, related_to, telling
from npu_migrate.semantics.values.value import describe
from npu_migrate.training.npu.options.configurations import configurations
from npu_migrate.training.npu.options.conflicts import Lack, lacks, possible_lacks

CODE = "NPU606"
MESSAGE = "{one} needs {needed}: {why}"
OTHERWISE = "{one} needs {needed}, but {other}: {why}"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per option that lacks its partner."""
    seen: set[tuple[int, int]] = set()
    for configuration in configurations(project):
        for found in possible_lacks(project, configuration):
            mark = (id(found.partner), id(found.one.shown.expr))
            if mark not in seen:
                seen.add(mark)
                judge = partial(_judge, project, found)
                yield from judged(
                    project, CODE, name_place(project, found.one), judge, asked=configuration.made.key
                )


def _judge(project: Project, found: Lack, program: str) -> Verdict | None:
    lonely = lacks(project, found, program)
    if lonely is None:
        return None
    partner = found.partner
    words = {
        "one": describe(project, found.one.name, lonely.one),
        "needed": " or ".join(part.in_words() for part in partner.needed),
        "why": partner.why,
    }
    others = [(name, telling(value)) for name, value in lonely.others]
    message = MESSAGE.format(**words)
    if others:
        told = next((other for other in others if other[1].is_default), others[0])
        message = OTHERWISE.format(other=describe(project, *told), **words)
    deciding = [lonely.one, *(known for _, known in others)]
    return Verdict(lowered_for(SEVERITIES[partner.weight], deciding), message, related_to(deciding))


def _table() -> str:
    rows = [
        f"| {row.one.in_words()} | {' or '.join(part.in_words() for part in row.needed)} "
        f"| {row.why} | {row.weight} |"
        for row in PARTNERS
    ]
    return "\n".join(("| option | needs | why | severity |", "| --- | --- | --- | --- |", *rows))


RULE = Rule(
    code=CODE,
    name="partner-missing",
    summary="An option that does nothing, or stops the runtime, without another one.",
    severity="as in the table, one step down for a default",
    fix="manual",
    sources=("CODE", "API:session_config"),
    documentation=(__doc__ or "").replace("{table}", _table()),
    check=check,
)
