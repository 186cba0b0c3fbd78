"""
## What it does

Finds a run that holds an iterator's initializer together with a variable initializer or an assign: in one
list, `tf.group`, `tf.control_dependencies`, or in the `init_op` or `local_init_op` of a `Scaffold`, a
`Supervisor` or `slim.learning.train`. `tf.tables_initializer()` counts as an iterator's initializer where the
program registers one in `TABLE_INITIALIZERS`.

## Why

The NPU's runtime leaves a `session.run` that initializes an iterator to the host as a whole. Variables that
are assigned in the same run get their values on the host only; **on the device they are all 0**, without a
message, and training does not converge. On a CPU or GPU the same program is right.

## Example

```python
with tf.Session(config=config) as sess:
    sess.run([tf.global_variables_initializer(), iterator.initializer])
```

## Use instead

```python
with tf.Session(config=config) as sess:
    sess.run([tf.global_variables_initializer()])
    sess.run(iterator.initializer)
```

In an `init_op`, the initializer is registered instead:
`tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)`. The default local init op of a
managed session runs what is registered, together with local variables. These are 0 as a rule, and so they
are on the device.

## Fix safety

Safe: the same ops run in the same order, in two runs, and the second one gets the `feed_dict` that it needs.
No edit where the parts cannot be set apart: the result of the run is used, the list is used elsewhere too,
the iterator cannot be read where the op is run, or a `local_init_op` of the program's own would leave what
is registered out. Local variables count only where one is seen to start with another value than 0.

## Sources

CODE:`tf_adapter/optimizers/om_partition_subgraphs_pass.cc`;
FAQ:variable_preprocess_init_subgraph_error_fix.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.initialization import APART
from npu_migrate.rules.porting import is_test_that_stays
from npu_migrate.rules.rule import Rule
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.pipelines.partition.executions import executions
from npu_migrate.training.pipelines.partition.joined import Joined, joined_by_itself
from npu_migrate.training.pipelines.partition.op_parts import Part
from npu_migrate.training.pipelines.placement.splitting import Split, split

TITLE = "Initialize the iterator in a run of its own"
TITLE_REGISTERED = "Register the iterator's initializer instead"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per part of a run that initializes an iterator beside variables."""
    seen: set[int] = set()
    for execution in executions(project):
        for found in joined_by_itself(project, execution):
            for part in found.data:
                place = _place(part)
                if id(place.expr) not in seen and place.key in project.targets:
                    seen.add(id(place.expr))
                    if not is_eager(project, execution.call) and not is_test_that_stays(project, place):
                        yield _finding(project, found, place)


def _place(part: Part) -> Ref:
    """The iterator's part as it stands in its list or group; the op itself where it stands in none."""
    return part.item or part.leaf


def _finding(project: Project, found: Joined, place: Ref) -> Finding:
    apart = split(project, found)
    related = [Related(one.leaf.place, "variables are assigned here") for one in found.variables[:3]]
    if found.execution.call.statement != place.statement or found.execution.call.key != place.key:
        related.append(Related(found.execution.call.place, "they are run together here"))
    return Finding(
        "NPU108",
        Severity.ERROR,
        _message(apart),
        place.place,
        tuple(related),
        None if isinstance(apart, str) else Rewrite(Applicability.SAFE, _title(found), apart),
        project.programs_of(found.execution.call.key),
    )


def _title(found: Joined) -> str:
    return TITLE if found.execution.kind == "run" else TITLE_REGISTERED


def _message(apart: Split) -> str:
    head = (
        "an iterator is initialized in one run with variables: the NPU leaves this run to the host, and on "
        "the device the variables are 0"
    )
    return f"{head}; initialize it in a run of its own: {APART[apart]}" if isinstance(apart, str) else head


RULE = Rule(
    code="NPU108",
    name="variables-initialized-with-iterator",
    summary="Variables that are initialized in one run with an iterator.",
    severity="error",
    fix="safe where the parts can be set apart, else manual",
    sources=("CODE", "FAQ"),
    documentation=__doc__ or "",
    check=check,
)
