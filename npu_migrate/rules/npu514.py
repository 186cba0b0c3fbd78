"""
## What it does

Finds an import of scikit-learn that comes after the import of `mx_rec`, in one file or through the files of a
program.

## Why

On Arm `import sklearn` fails after `mx_rec`: there is no room left for the thread-local memory that one
of its libraries needs from the start.

## Example

```python
from mx_rec.util.initialize import init
from sklearn.metrics import roc_auc_score
```

## Use instead

```python
import sklearn
from mx_rec.util.initialize import init
from sklearn.metrics import roc_auc_score
```

An import in a function, or below an `if` or `try`, is no finding.

## Fix safety

Safe: the package is imported in any case. No edit where the two imports stand in two files.

## Sources

REC-DOC.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.intents import InsertStatement, Side
from npu_migrate.project.project import Project
from npu_migrate.rules.offload import one_per_place
from npu_migrate.rules.rule import Rule
from npu_migrate.training.rec.import_order import LateImport, late_import

CODE = "NPU514"
TITLE = "Import sklearn before mx_rec"
MESSAGE = "sklearn is imported after mx_rec, which fails on Arm: import it first"
REC = "mx_rec is imported here"
LATE = "sklearn is imported here"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per import that comes too late in some program."""
    found: list[Finding] = []
    if not project.mentions("mx_rec"):
        return
    for program in project.programs.by_entry:
        late = late_import(project, program)
        if late is not None:
            found.extend(_finding(project, program, late))
    yield from one_per_place(found)


def _finding(project: Project, program: str, late: LateImport) -> Iterator[Finding]:
    """At the late import; where that stands in a file that concerns no rule, at the import of Rec SDK."""
    shown, other = (late.late, late.rec) if late.late.place.path in project.targets else (late.rec, late.late)
    if shown.place.path not in project.targets:
        return
    rewrite = None
    if late.here:
        intents = (InsertStatement(late.rec.place, Side.BEFORE, "import sklearn"),)
        rewrite = Rewrite(Applicability.SAFE, TITLE, intents)
    related = (Related(other.place, REC if shown is late.late else LATE),)
    yield Finding(CODE, Severity.INFO, MESSAGE, shown.place, related, rewrite, (program,))


RULE = Rule(
    code=CODE,
    name="rec-import-order",
    summary="scikit-learn is imported after mx_rec.",
    severity="info",
    fix="safe in one file, else manual",
    sources=("REC-DOC",),
    documentation=__doc__ or "",
    check=check,
)
