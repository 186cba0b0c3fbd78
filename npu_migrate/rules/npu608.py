"""
## What it does

Finds custom optimizers in a session config that carry keys of the NPU, and have no name or one that is nearly
`NpuOptimizer`. One whose name has only other capital letters is found without keys, too.

## Why

The runtime looks for the name `NpuOptimizer`, letter by letter. TensorFlow ignores a custom optimizer that it
does not know, so all keys of such an entry are ignored together.

## Example

```python
custom_op.name = "Npuoptimizer"
custom_op.parameter_map["use_off_line"].b = True
```

## Use instead

```python
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
```

## Fix safety

Safe: the entry says what it wants, and only the NPU reads it.

## Sources

CODE:npu_attrs.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call, Name
from npu_migrate.intents import InsertStatement, Side
from npu_migrate.knowledge import npu
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.rules.options import plain_finding, replaced_literal
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.npu.configs import CustomOptimizer
from npu_migrate.training.npu.options.entry_names import has_no_name, misnamed, text_of, wrong_names

CODE = "NPU608"
TITLE = "Write NpuOptimizer"
MESSAGE = "the NPU looks for the name NpuOptimizer; an entry called {name} is ignored, with all its keys"
NO_NAME = "the NPU looks for the name NpuOptimizer; an entry without a name is ignored, with all its keys"
TITLE_NAME = "Call it NpuOptimizer"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per name that is nearly the right one, and per entry that has none."""
    for one in misnamed(project):
        if has_no_name(project, one):
            added = one.entry.added
            assert isinstance(added.expr, Call)
            place = last_token(added.key, added.expr.func)
            yield from plain_finding(project, CODE, Severity.ERROR, NO_NAME, place, _name(project, one))
        for named in wrong_names(project, one):
            intent = replaced_literal(project, named, npu.OPTIMIZER_NAME)
            rewrite = None if intent is None else Rewrite(Applicability.SAFE, TITLE, (intent,))
            (known,) = evaluate(project, named).alternatives
            message = MESSAGE.format(name=text_of(known.constant))
            yield from plain_finding(project, CODE, Severity.ERROR, message, named.place, rewrite)


def _name(project: Project, one: CustomOptimizer) -> Rewrite | None:
    """What names an entry behind the statement that makes it."""
    added = one.entry.added
    statement = project.statement(added)
    target = statement.targets[0] if len(statement.targets) == 1 else None
    if statement.kind != "Assign" or statement.values[0] is not added.expr or not isinstance(target, Name):
        return None
    code = f'{target.id}.name = "{npu.OPTIMIZER_NAME}"'
    insertion = InsertStatement(Place(added.key, statement.span), Side.AFTER, code, -100)
    return Rewrite(Applicability.SAFE, TITLE_NAME, (insertion,))


RULE = Rule(
    code=CODE,
    name="entry-name",
    summary="A custom optimizer of the NPU whose name is not NpuOptimizer.",
    severity="error",
    fix="safe",
    sources=("CODE",),
    documentation=__doc__ or "",
    check=check,
)
