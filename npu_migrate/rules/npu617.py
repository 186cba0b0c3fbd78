"""
## What it does

Finds options of a session config that the session which starts the NPU was not given: the one of
`init_resource()`, or the one that runs `npu_ops.initialize_system()`.

## Why

These functions start the NPU for the whole process. Dumps, profiling, the precision mode and a few other
options are read at that moment; the vendor's documents ask to set them for that session.

## Example

```python
sess, shutdown = init_resource()
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
```

## Use instead

```python
sess, shutdown = init_resource(config=config)
```

## Fix safety

No edit: the config has to be made before the NPU is started.

## Sources

API:npu_ops/initialize_system; CODE:npu_init.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Related, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.rules.options import key_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged
from npu_migrate.training.npu.options.configurations import Configuration, configurations
from npu_migrate.training.npu.options.initialization import left_out, starts

CODE = "NPU617"
MESSAGE = "{names} counts where the NPU is started, and was not given there"
MESSAGE_OF_MANY = "{names} count where the NPU is started, and were not given there"
STARTED = "the NPU is started here"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per session config with options that come too late."""
    for configuration in configurations(project):
        call = configuration.made.expr
        if configuration.entry is not None and isinstance(call, Call):
            place = last_token(configuration.made.key, call.func)
            yield from judged(project, CODE, place, partial(_judge, project, configuration))


def _judge(project: Project, configuration: Configuration, program: str) -> Verdict | None:
    late = left_out(project, configuration, program)
    if not late:
        return None
    names = list(dict.fromkeys(option.name for option in late))
    message = MESSAGE if len(names) == 1 else MESSAGE_OF_MANY
    places = [Related(start.call.place, STARTED) for start in starts(project, program) or ()]
    places += [
        Related(key_place(project, option.write), option.name) for option in late if option.write is not None
    ]
    return Verdict(Severity.INFO, message.format(names=", ".join(names)), tuple(places))


RULE = Rule(
    code=CODE,
    name="init-options",
    summary="Options of a session config that the start of the NPU was not given.",
    severity="info",
    fix="manual",
    sources=("API:npu_ops/initialize_system", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
