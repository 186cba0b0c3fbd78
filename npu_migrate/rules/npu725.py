"""
## What it does

Finds `tf.py_func` and `tf.numpy_function` among what a training session runs, where `mix_compile_mode` is
not on, in whatever function or method they are called. What makes a dataset, such as the functions of
`Dataset.map` and all that they call, is none of them: it runs on the host anyway.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

The graph goes to the NPU as a whole, and no Python runs there. With mixed computing what the NPU cannot
compute stays on the host.

## Example

```python
loss = tf.py_func(my_loss, [logits], tf.float32)
train_op = optimizer.minimize(loss)
```

## Use instead

```python
custom_op.parameter_map["mix_compile_mode"].b = True
```

## Fix safety

Unsafe: what stays on the host is slow, and mixed computing excludes iterations on the device. A loss in
TensorFlow's ops is better.

With `--port` the option comes with the entry, in the same run; the entry alone stays a safe fix.

## Sources

DOC-MIXC; CODE:om_partition_subgraphs_pass.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.host import python_ops
from npu_migrate.training.porting.parameters import parameter_insertion

CODE = "NPU725"
TITLE = "Let the host compute what the NPU cannot"
MESSAGE = "{name} runs Python in the graph that trains: the NPU cannot, unless mix_compile_mode is on"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per Python function."""
    for one in python_ops(project):
        intents = parameter_insertion(project, one.ref.key, "mix_compile_mode", "b", "True")
        if intents is None:
            continue
        # Beside fixes that make the entry it would come after them, in the same run, and no report has it.
        offered = intents and not project.options.port
        rewrite = Rewrite(Applicability.UNSAFE, TITLE, intents) if offered else None
        message = MESSAGE.format(name=spoken(one.name))
        yield from reported(project, CODE, Severity.WARNING, one.ref, message, rewrite)


RULE = Rule(
    code=CODE,
    name="host-op-in-npu-graph",
    summary="A Python function in the graph that trains.",
    severity="warning",
    fix="unsafe",
    sources=("DOC-MIXC",),
    documentation=__doc__ or "",
    check=check,
)
