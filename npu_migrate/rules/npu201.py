"""
## What it does

Finds an `iterations_per_loop` that is not a positive integer: in `NPURunConfig`, in the parameter map of an
`NpuOptimizer` entry, in `set_iteration_per_loop`, `load_iteration_per_loop_var` and `SetIterationsVarHook`.
It also finds misspelt names, such as `iteration_per_loop`, and a value that is stored in another field than
`.i`.

## Why

`NPURunConfig` and the functions raise `TypeError` or `ValueError`. A session config with a value below 1 ends
the process. A key that the NPU does not know is ignored without a word: the offload stays off. A value in
another field than `.i` is read as 0.

## Example

```python
config = NPURunConfig(iteration_per_loop=10)
custom_op.parameter_map["iterations_per_loop"].i = 0
```

## Use instead

```python
config = NPURunConfig(iterations_per_loop=10)
custom_op.parameter_map["iterations_per_loop"].i = 10
```

## Fix safety

A misspelt name is replaced, which is safe: the script says what it wants. There is no edit for a wrong value.

## Sources

SEED-ITER; CODE:util.py; CODE:npu_config.py; CODE:om_partition_subgraphs_pass.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.intents import Rename, ReplaceExpression
from npu_migrate.knowledge import npu
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.options import key_place, replaced_literal
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, lowered_for, weigh
from npu_migrate.semantics.calls.signatures import keyword_name, starred_names
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import Value, describe, is_count, related
from npu_migrate.training.npu.configs import (
    ParameterWrite,
    entries,
    parameter_writes,
    run_config_setting,
    run_configs,
    stray_writes,
)
from npu_migrate.training.npu.device_loop import loop_parts

CODE = "NPU201"
TITLE = "Write iterations_per_loop"
INVALID = "{n}, but it must be a positive integer"
MISSPELT = "{name} is not a name that the NPU knows: write iterations_per_loop"
SET_HERE = "set here, in field .{field}"
WRONG_FIELD = "iterations_per_loop is set in field .{field}; only .i is read, so it counts as 0"

_FIELD = "i"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per wrong value, wrong field and misspelt name."""
    for call in run_configs(project):
        setting = run_config_setting(project, call, npu.ITERATIONS_PER_LOOP)
        yield from _misspelt_keywords(project, call)
        if setting is not None:
            yield from _judged(project, setting.given or call, call)
    for part in loop_parts(project):
        yield from _misspelt_keywords(project, part.call)
        if part.n is not None:
            yield from _judged(project, part.n, None)
    for write in _writes(project):
        yield from _check_write(project, write)


def _writes(project: Project) -> tuple[ParameterWrite, ...]:
    """All writes into parameter maps, each once."""
    found = [write for entry in entries(project) for write in parameter_writes(project, entry)]
    for program in project.programs.by_entry:
        found += stray_writes(project, program)
    return tuple({(id(write.target.expr), write.key, write.value): write for write in found}.values())


# -- values --------------------------------------------------------------------------------------------


def _judged(project: Project, place: Ref, config: Ref | None) -> Iterator[Finding]:
    """A finding where the value at `place` is wrong; `config` is the ``NPURunConfig`` that gets it."""
    if place.key not in project.targets:
        return

    def judge(program: str) -> Verdict | None:
        if config is None:
            return _verdict(project, evidence(project, place, program))
        setting = run_config_setting(project, config, npu.ITERATIONS_PER_LOOP, program)
        return None if setting is None else _verdict(project, setting.value)

    weighed = weigh(project, place.key, judge)
    if weighed is not None:
        verdict, programs = weighed
        yield Finding(CODE, verdict.severity, verdict.message, place.place, verdict.related, None, programs)


def _verdict(project: Project, value: Value) -> Verdict | None:
    if not value.every(_is_invalid) or any(k.is_default and k.constant is None for k in value.alternatives):
        return None
    n = next((known for known in value.alternatives if known.is_default), value.alternatives[0])
    message = INVALID.format(n=describe(project, npu.ITERATIONS_PER_LOOP, n))
    return Verdict(lowered_for(Severity.ERROR, [n]), message, related(n))


def _is_invalid(value: object) -> bool:
    return not is_count(value)


# -- names and fields ----------------------------------------------------------------------------------


def is_misspelt(name: object) -> bool:
    """Whether `name` can only mean ``iterations_per_loop`` and is not spelt so."""
    if not isinstance(name, str) or name == npu.ITERATIONS_PER_LOOP:
        return False
    return name.lower().replace("_", "").replace("s", "") == "iterationperloop"


def _misspelt_keywords(project: Project, call: Ref) -> Iterator[Finding]:
    assert isinstance(call.expr, Call)
    for keyword in call.expr.keywords if call.key in project.targets else ():
        if keyword.name is not None and is_misspelt(keyword.name):
            place = keyword_name(call.key, keyword)
            rename = Rename(place, keyword.name, npu.ITERATIONS_PER_LOOP)
            yield _misspelt(project, place, keyword.name, rename)
    for name, place, _ in starred_names(project, call):
        if is_misspelt(name) and place.path in project.targets:
            yield _misspelt(project, place, name, None)


def _misspelt(
    project: Project, place: Place, name: str, intent: Rename | ReplaceExpression | None
) -> Finding:
    return Finding(
        CODE,
        Severity.ERROR,
        MISSPELT.format(name=name),
        place,
        (),
        None if intent is None else Rewrite(Applicability.SAFE, TITLE, (intent,)),
        project.programs_of(place.path),
    )


def _check_write(project: Project, write: ParameterWrite) -> Iterator[Finding]:
    if write.target.key not in project.targets:
        return
    if is_misspelt(write.key):
        assert write.key is not None
        intent = replaced_literal(project, write.named, npu.ITERATIONS_PER_LOOP)
        yield _misspelt(project, key_place(project, write), write.key, intent)
    elif write.key == npu.ITERATIONS_PER_LOOP and write.value is not None:
        if write.field == _FIELD:
            yield from _judged(project, write.value, None)
        else:
            yield Finding(
                CODE,
                Severity.ERROR,
                WRONG_FIELD.format(field=write.field),
                write.value.place,
                (Related(write.target.place, SET_HERE.format(field=write.field)),),
                None,
                project.programs_of(write.target.key),
            )


RULE = Rule(
    code=CODE,
    name="iterations-per-loop-invalid",
    summary="An iterations_per_loop that is not a positive integer, or is misspelt.",
    severity="error",
    fix="safe for a misspelt name at its use, else manual",
    sources=("SEED-ITER", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
