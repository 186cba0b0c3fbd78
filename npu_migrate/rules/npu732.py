"""
## What it does

Finds `global_jit_level` set to a level that is on, `jit_scope()`, `xla.compile()` and `TF_XLA_FLAGS`.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

XLA compiles parts of the graph for CPUs and GPUs. What it has compiled does not get to the NPU; npu_bridge
switches it off in its own configs.

## Example

```python
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
```

## Use instead

```python
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.OFF
```

## Fix safety

Safe for the level: on the CPU it compiles nothing by itself. Unsafe for `jit_scope()`, which gets
`compile_ops=False`. Manual for the rest.

## Sources

DOC-PORT; CODE:npu_config.py; TensorFlow 1.15 [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Attribute
from npu_migrate.intents import Rename, SetArgument
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.precision import LEVELS_ON, Compiled, compiled_by_xla

CODE = "NPU732"
TITLE = "Switch XLA off"
MESSAGE = "{name} has XLA compile parts of the graph, which do not get to the NPU then"


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per place that switches XLA on."""
    for one in compiled_by_xla(project):
        message = MESSAGE.format(name=one.name)
        whole = one.kind != "scope"
        yield from reported(project, CODE, Severity.WARNING, one.ref, message, _rewrite(one), whole=whole)


def _rewrite(one: Compiled) -> Rewrite | None:
    if one.kind == "level" and isinstance(one.ref.expr, Attribute) and one.ref.expr.attr in LEVELS_ON:
        off = Rename(one.ref.place, one.ref.expr.attr, "OFF")
        return Rewrite(Applicability.SAFE, TITLE, (off,))
    if one.kind == "scope":
        off_scope = SetArgument(one.ref.place, "compile_ops", "False")
        return Rewrite(Applicability.UNSAFE, TITLE, (off_scope,))
    return None


RULE = Rule(
    code=CODE,
    name="xla-on",
    summary="Compilation by XLA.",
    severity="warning",
    fix="safe for a level, unsafe for a scope, else manual",
    sources=("DOC-PORT", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
