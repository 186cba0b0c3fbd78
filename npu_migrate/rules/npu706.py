"""
## What it does

With `--port`, finds configs that do not allow soft placement in programs that place operations on a GPU with
`tf.device`:

- the config of a session that is to be moved, or has been, and says `allow_soft_placement=False` or nothing;
- the config of a session that stays on the host, and runs what is placed on a GPU.

Without `--port` NPU619 speaks of configs with an `NpuOptimizer` entry.

## Why

Without soft placement TensorFlow refuses a device that it does not have: `InvalidArgumentError`. An NPU is no
GPU, and there is none beside it. The entry that NPU701 adds allows soft placement, unless the script forbids
it.

Since r1.9 `npu_bridge.npu_init` switches soft placement on for every session, so with the setting `cann` at
7.0 or later a program that imports it is no finding.

## Example

```python
with tf.device("/gpu:0"):
    accuracy = evaluate(model(x))
with tf.Session() as sess:
    print(sess.run(accuracy))
```

## Use instead

```python
with tf.device("/gpu:0"):
    accuracy = evaluate(model(x))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    print(sess.run(accuracy))
```

## Fix safety

Safe: where all devices are there it changes nothing. The names of devices stay.

There is no fix for a config that comes from where nobody looks.

## Sources

DOC-PORT; CODE:npu_config.py; [TF].
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call, argument
from npu_migrate.intents import ReplaceExpression, SetArgument
from npu_migrate.knowledge.releases import has_certainly
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.placing import MESSAGE, PATCHED_SINCE, PLACED, TITLE, allowed, hard_placement
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged
from npu_migrate.semantics.calls.signatures import has_star
from npu_migrate.semantics.flow import origins
from npu_migrate.training.npu.options.soft_placement import (
    OPTION,
    accelerator_devices,
    is_set_later,
    says_soft_placement,
    soft_placement,
)
from npu_migrate.training.npu.readings import files_with_npu_init
from npu_migrate.training.porting.configured import has_entry, is_config_proto
from npu_migrate.training.porting.features.placement import hosted_on_gpu
from npu_migrate.training.porting.movable import training_sessions
from npu_migrate.training.porting.session_openings import SessionOpening
from npu_migrate.training.porting.spelling import tensorflow_at
from npu_migrate.training.porting.to_move import ported_programs

CODE = "NPU706"
HOSTED = (
    "this session stays on the host and runs what is placed on a GPU, but its config does not allow soft "
    "placement: without a GPU it fails"
)


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per config without soft placement."""
    if not project.options.port or not accelerator_devices(project):
        return
    yield from hard_placement(project, CODE)
    yield from _forbidden(project)
    yield from _hosted(project)


def _forbidden(project: Project) -> Iterator[Finding]:
    """Of the configs that are to get an entry: those that forbid soft placement."""
    given = [opening.given for opening in training_sessions(project) if opening.given is not None]
    made = {id(one.expr): one for config in given for one in origins(project, config)}
    for config in made.values():
        if not _is_hard(project, config) or has_entry(project, config):
            continue
        if says_soft_placement(project, config):
            assert isinstance(config.expr, Call)
            place = last_token(config.key, config.expr.func)
            judge = partial(_judge_forbidden, project, config)
            yield from judged(project, CODE, place, judge, allowed(project, config))


def _judge_forbidden(project: Project, config: Ref, program: str) -> Verdict | None:
    files = project.programs.by_entry[program].files
    device = next((one for one in accelerator_devices(project) if one.key in files), None)
    if device is None or program not in ported_programs(project, config.key):
        return None
    return Verdict(Severity.WARNING, MESSAGE, (Related(device.place, PLACED),))


def _hosted(project: Project) -> Iterator[Finding]:
    for opening, device in hosted_on_gpu(project):
        made = () if opening.given is None else origins(project, opening.given)
        if not all(_is_hard(project, one) for one in made) or (opening.given is not None and not made):
            continue
        call = opening.call.expr
        assert isinstance(call, Call)
        place = last_token(opening.call.key, call.func)
        judge = partial(_judge_hosted, project, opening, device)
        yield from judged(project, CODE, place, judge, _soft(project, opening, made))


def _judge_hosted(project: Project, opening: SessionOpening, device: Ref, program: str) -> Verdict | None:
    files = project.programs.by_entry[program].files
    patched = has_certainly(project.options.cann, PATCHED_SINCE) and files & files_with_npu_init(project)
    if patched or device.key not in files or program not in ported_programs(project, opening.call.key):
        return None
    return Verdict(Severity.WARNING, HOSTED, (Related(device.place, PLACED),))


def _is_hard(project: Project, config: Ref) -> bool:
    return is_config_proto(project, config) and soft_placement(project, config).every(lambda value: not value)


def _soft(project: Project, opening: SessionOpening, made: tuple[Ref, ...]) -> Rewrite | None:
    """What lets a session allow soft placement: an option of each config that it may get, or a new config."""
    if made:
        if any(is_set_later(project, one) for one in made):
            return None
        intents = tuple(SetArgument(one.place, OPTION, "True") for one in made)
        return Rewrite(Applicability.SAFE, TITLE, intents)
    spelling = tensorflow_at(project, opening.call, opening.name)
    if spelling is None or opening.keyword != "config" or has_star(opening.call):
        return None
    assert isinstance(opening.call.expr, Call)
    tf, more = spelling
    config = f"{tf}.ConfigProto({OPTION}=True)"
    none = argument(opening.call.expr, opening.keyword, opening.position)
    if none is not None:
        return Rewrite(
            Applicability.SAFE, TITLE, (ReplaceExpression(Place(opening.call.key, none.span), config), *more)
        )
    return Rewrite(
        Applicability.SAFE, TITLE, (SetArgument(opening.call.place, opening.keyword, config), *more)
    )


RULE = Rule(
    code=CODE,
    name="soft-placement-missing",
    summary="A config without soft placement in a program that is to be moved and names GPUs.",
    severity="warning",
    fix="safe",
    sources=("DOC-PORT", "CODE", "[TF]"),
    documentation=__doc__ or "",
    check=check,
)
