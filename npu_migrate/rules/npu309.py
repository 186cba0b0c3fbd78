"""
## What it does

Finds `ExperimentalConfig`, and `npu_config.` in front of a name, in scripts that import npu_bridge but bind
neither of the two.

## Why

`from npu_bridge.npu_init import *` brings in neither `ExperimentalConfig` nor the module `npu_config`. The
vendor's own example imports the class and then writes `npu_config.ExperimentalConfig`: the script ends with
`NameError`.

## Example

```python
from npu_bridge.npu_init import *

experimental_config = npu_config.ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
```

## Use instead

```python
from npu_bridge.npu_init import *
from npu_bridge.estimator.npu import npu_config

experimental_config = npu_config.ExperimentalConfig(accelerate_train_mode="fast|step|0.9")
```

## Fix safety

Safe: the import is added, nothing else changes. Nothing is reported where a star import of a module that we
know nothing of may bind the name.

## Sources

SEED-EXP; CODE:npu_init.py; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import FileFacts, last_name
from npu_migrate.intents import AddImport
from npu_migrate.project.project import Project
from npu_migrate.rules.rule import Rule
from npu_migrate.training.npu.missing_imports import CLASS, MODULE, package_of, unbound_names

CODE = "NPU309"
TITLE = "Import {name}"
MESSAGE = "nothing binds {name}: from npu_bridge.npu_init import * does not export it (NameError)"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per name that needs an import."""
    for ref in unbound_names(project):
        if ref.key in project.targets:
            name = cast(str, last_name(ref.expr))
            package = package_of(cast(FileFacts, project.facts(ref.key)))
            code = {
                CLASS: f"from {package}.estimator.npu.{MODULE} import {CLASS}",
                MODULE: f"from {package}.estimator.npu import {MODULE}",
            }[name]
            rewrite = Rewrite(Applicability.SAFE, TITLE.format(name=name), (AddImport(ref.key, code),))
            message = MESSAGE.format(name=name)
            programs = project.programs_of(ref.key)
            yield Finding(CODE, Severity.ERROR, message, ref.place, (), rewrite, programs)


RULE = Rule(
    code=CODE,
    name="experimental-import-missing",
    summary="ExperimentalConfig or npu_config is used without being imported.",
    severity="error",
    fix="safe",
    sources=("SEED-EXP", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
