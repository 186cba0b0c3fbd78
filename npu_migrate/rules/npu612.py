"""
## What it does

Finds arguments of TensorFlow's `RunConfig` that are passed to `NPURunConfig`, which does not take them or
does not support them.

## Why

`device_fn`, `protocol`, `experimental_distribute`, `experimental_max_worker_delay_secs` and
`session_creation_timeout_secs` raise `TypeError`. `train_distribute` and `eval_distribute` are taken and
documented as unsupported: the NPU distributes the training by itself.

## Example

```python
config = NPURunConfig(protocol="grpc", train_distribute=strategy)
```

## Use instead

```python
config = NPURunConfig()
```

## Fix safety

Unsafe: the argument goes, on the assumption that it said how to use GPUs or servers. No edit where it comes
from a dictionary.

## Sources

DOC-RC; DOC-AR; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call, Constant, Keyword
from npu_migrate.intents import DropItems
from npu_migrate.knowledge.run_config import ONLY_RUN_CONFIG, UNSUPPORTED
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.options import plain_finding
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.calls.signatures import keyword_name, starred_names
from npu_migrate.training.npu.configs import run_configs

CODE = "NPU612"
TITLE = "Remove {name}"
REFUSED = "NPURunConfig has no argument {name}: TypeError"
IGNORED = "{name} is not supported on the NPU, which distributes the training by itself"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per argument that belongs to TensorFlow's RunConfig only."""
    for call in run_configs(project):
        for keyword in cast(Call, call.expr).keywords:
            if keyword.name is not None and not _is_none(keyword):
                place = keyword_name(call.key, keyword)
                rewrite = _removed(call, keyword)
                yield from _finding(project, keyword.name, place, rewrite)
        for name, place, _ in starred_names(project, call):
            yield from _finding(project, name, place, None)


def _finding(project: Project, name: str, place: Place, rewrite: Rewrite | None) -> Iterator[Finding]:
    if name in ONLY_RUN_CONFIG:
        yield from plain_finding(project, CODE, Severity.ERROR, REFUSED.format(name=name), place, rewrite)
    elif name in UNSUPPORTED:
        yield from plain_finding(project, CODE, Severity.WARNING, IGNORED.format(name=name), place, rewrite)


def _is_none(keyword: Keyword) -> bool:
    """Whether an argument that is taken says nothing."""
    value = keyword.value
    return keyword.name in UNSUPPORTED and isinstance(value, Constant) and value.value is None


def _removed(call: Ref, keyword: Keyword) -> Rewrite:
    place = Place(call.key, keyword.value.span)
    return Rewrite(Applicability.UNSAFE, TITLE.format(name=keyword.name), (DropItems(call.place, (place,)),))


RULE = Rule(
    code=CODE,
    name="runconfig-argument",
    summary="An argument of TensorFlow's RunConfig that NPURunConfig does not take or support.",
    severity="error; warning for train_distribute and eval_distribute",
    fix="unsafe",
    sources=("DOC-RC", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
