"""
## What it does

Finds questions whether there is a GPU: `tf.test.is_gpu_available()`, `list_physical_devices("GPU")`,
`list_local_devices()`, `nvidia-smi`, `pynvml`. To choose between the names of two devices by the answer
decides nothing.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

On the NPU the answer is no, or an empty list. A script that raises an error then does not run; one that
goes another way may train on smaller batches, on the CPU, or not at all.

## Example

```python
if not tf.test.is_gpu_available():
    raise RuntimeError("no GPU")
```

## Use instead

Take the question out, or let a flag answer it.

## Fix safety

There is no fix: which way the program is to go without a GPU is your decision.

## Sources

Seen by running TensorFlow 1.15 without a GPU [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.probes import probes

CODE = "NPU734"
MESSAGES = {
    "raises": "{name} finds no GPU on the NPU, and the program gives up then",
    "decides": "{name} finds no GPU on the NPU: the program goes the other way",
    "told": "{name} finds no GPU on the NPU",
}


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per question."""
    for one in probes(project):
        severity = Severity.INFO if one.answer == "told" else Severity.WARNING
        message = MESSAGES[one.answer].format(name=spoken(one.name))
        yield from reported(project, CODE, severity, one.ref, message)


RULE = Rule(
    code=CODE,
    name="gpu-probe",
    summary="A question whether there is a GPU.",
    severity="warning; info where the answer is only told",
    fix="manual",
    sources=("CODE",),
    documentation=__doc__ or "",
    check=check,
)
