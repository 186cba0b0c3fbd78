"""
## What it does

Finds what the NPU does not have:

- calls of functions that the vendor's list or its restrictions name as unsupported, such as `tf.is_nan` and
  `tf.WholeFileReader`, and of which no other rule speaks (of tests of gradients and losses NPU405 does);
- places where the training computes in `float64` or in complex numbers: variables of such a type, and values
  that an op computes with.

Functions of `Dataset.map` and the like run on the host: what they call is none of these. Neither is a value
that is only cast, printed or summarized.

With `--port` the rule looks at all programs that train, without it at those in which a config has the
`NpuOptimizer` entry already.

## Why

Such a function has no counterpart on the NPU, and such a type no kernels. What the list says is no proof, and
what it does not name may fail, too: `npu-migrate --api-report` shows all functions that a project calls, with
what is known of each.

## Example

```python
if tf.is_nan(loss):
    stop()
```

## Use instead

The message names the substitute of a function. Models in `float64` mostly need no more than `float32`.

## Fix safety

There is no fix: the substitute is another program.

## Sources

XLSX; DOC-RESTR. The table is `npu_migrate/knowledge/api_support.py`; each row has its source and date.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.knowledge.api_support import SUPPORT, UNSUPPORTED
from npu_migrate.project.project import Project
from npu_migrate.rules.porting import of_ported_programs, reported, spoken
from npu_migrate.rules.rule import Rule
from npu_migrate.training.loss_scaling.overflow_tests import overflow_tests
from npu_migrate.training.porting.features.found import calls_among
from npu_migrate.training.porting.features.host import in_data_function
from npu_migrate.training.porting.features.types import unsupported_types

CODE = "NPU724"
MESSAGE = "{name} is listed as unsupported on the NPU ({source}, {date}): {advice}"
TYPE = "{name} makes {dtype} values that the training computes with: the NPU does not have that type"
_LISTED = frozenset(
    name for name, known in SUPPORT.items() if known.verdict == UNSUPPORTED and not known.code
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call of a function that only the list knows, and per type."""
    own_tests = {id(call.expr) for call in overflow_tests(project)}
    for ref, name in calls_among(project, _LISTED):
        if not in_data_function(project, ref) and id(ref.expr) not in own_tests:
            known = SUPPORT[name]
            message = MESSAGE.format(
                name=spoken(name), source=known.source, date=known.date, advice=known.advice
            )
            yield from reported(project, CODE, Severity.WARNING, ref, message)
    for one in unsupported_types(project):
        message = TYPE.format(name=spoken(one.name), dtype=one.dtype)
        yield from reported(project, CODE, Severity.WARNING, one.ref, message)


RULE = Rule(
    code=CODE,
    name="unsupported-type-or-api",
    summary="A function that the vendor lists as unsupported, or a type that the NPU does not have.",
    severity="warning",
    fix="manual",
    sources=("DOC-RESTR", "XLSX"),
    documentation=__doc__ or "",
    check=check,
)
