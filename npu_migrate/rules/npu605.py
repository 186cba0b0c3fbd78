"""
## What it does

Finds options of one configuration that exclude each other, on one path through the program: in a session
config, in an `NPURunConfig`, or in an object such as `DumpConfig`. It also finds an `is_tailing_optimization`
that is another one in the config than in the program's `NPUOptimizer`.

{table}

## Why

The runtime stops, or one of the two has no effect.

Options in different branches of an `if` are no conflict, and neither are two that depend on different flags.

## Example

```python
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["enable_dump_debug"].b = True
```

## Use instead

```python
custom_op.parameter_map["enable_dump"].b = True
```

## Fix safety

No edit: which one is meant is for you to decide. `iterations_per_loop` in mixed computing is
NPU205.

## Sources

CODE:npu_attrs.cc; CODE:npu_config.py; API:session_config; DOC-MIXC.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Related
from npu_migrate.index.facts import Call
from npu_migrate.knowledge.option_partners import CONFLICTS
from npu_migrate.project.project import Project
from npu_migrate.rules.options import SEVERITIES, name_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.options.configurations import Configuration, configurations, options
from npu_migrate.training.npu.options.conflicts import Clash, clash, possible_clashes
from npu_migrate.training.npu.options.tailing import TAILING, disagreement

CODE = "NPU605"
MESSAGE = "{one} and {other} do not go together: {why}"
DEFAULT = "{name} at its default"
OTHER = "the other one is set here"
TAILING_DIFFERS = "{mine} in the config, but {theirs} for NPUOptimizer: both have to be the same"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per pair of options that exclude each other."""
    seen: set[tuple[int, ...]] = set()
    for configuration in configurations(project):
        for found in possible_clashes(project, configuration):
            mark = (
                id(found.conflict),
                id(found.one.shown.expr),
                id(found.other.shown.expr if found.other else None),
            )
            if mark not in seen:
                seen.add(mark)
                judge = partial(_judge, project, found)
                place = name_place(project, found.other or found.one)
                yield from judged(project, CODE, place, judge, asked=configuration.made.key)

    for configuration in configurations(project):
        yield from _tailing(project, configuration)


def _tailing(project: Project, configuration: Configuration) -> Iterator[Finding]:
    """The finding that the config and the optimizer of a program disagree."""
    own = [option for option in options(project, configuration) if option.name == TAILING]
    call = configuration.made
    assert isinstance(call.expr, Call)
    place = name_place(project, own[0]) if own else last_token(call.key, call.expr.func)
    yield from judged(project, CODE, place, partial(_judge_tailing, project, configuration), asked=call.key)


def _judge_tailing(project: Project, configuration: Configuration, program: str) -> Verdict | None:
    found = disagreement(project, configuration, program)
    if found is None:
        return None
    mine, theirs = found.of_config.alternatives[0], found.of_optimizer.alternatives[0]
    message = TAILING_DIFFERS.format(
        mine=describe(project, TAILING, mine), theirs=describe(project, TAILING, theirs)
    )
    severity = lowered_for(SEVERITIES["error"], [mine, theirs])
    return Verdict(
        severity, message, (Related(found.optimizer.place, OTHER), *related(mine), *related(theirs))
    )


def _judge(project: Project, found: Clash, program: str) -> Verdict | None:
    values = clash(project, found, program)
    if not values:
        return None
    conflict = found.conflict
    words = [describe(project, found.one.name, values[0])]
    words += [describe(project, conflict.other.name, known) for known in values[1:]]
    words += [DEFAULT.format(name=conflict.other.name)] * (2 - len(words))
    message = MESSAGE.format(one=words[0], other=words[1], why=conflict.why)
    places = () if found.other is None else (Related(name_place(project, found.one), OTHER),)
    steps = tuple(one for known in values for one in related(known))
    return Verdict(lowered_for(SEVERITIES[conflict.weight], values), message, (*places, *steps))


def _table() -> str:
    rows = [
        f"| {row.one.in_words()} | {row.other.in_words()} | {row.why} | {row.weight} |" for row in CONFLICTS
    ]
    return "\n".join(("| option | excludes | why | severity |", "| --- | --- | --- | --- |", *rows))


RULE = Rule(
    code=CODE,
    name="conflict",
    summary="Options of one configuration that exclude each other.",
    severity="as in the table, one step down for a default",
    fix="manual",
    sources=("CODE", "API:session_config", "DOC-MIXC"),
    documentation=(__doc__ or "").replace("{table}", _table()),
    check=check,
)
