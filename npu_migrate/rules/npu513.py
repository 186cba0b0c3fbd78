"""
## What it does

Finds a `session.run` of an iterator's initializer after `modify_graph_and_start_emb_cache()`.

## Why

Rec SDK rebuilds the graph behind the iterator: it makes a dataset and an iterator of its own, from which the
model reads from then on. Whoever runs the old initializer initializes what nobody reads, and the new iterator
stays uninitialized.

## Example

```python
iterator = dataset.make_initializable_iterator()
batch = iterator.get_next()
modify_graph_and_start_emb_cache()
sess.run(iterator.initializer)
```

## Use instead

```python
from mx_rec.util.initialize import ConfigInitializer

iterator = dataset.make_initializable_iterator()
batch = iterator.get_next()
modify_graph_and_start_emb_cache()
sess.run(ConfigInitializer.get_instance().train_params_config.get_initializer(True))
```

`get_initializer(True)` is the initializer of training, `get_initializer(False)` that of evaluation.

## Fix safety

Unsafe: the fix takes it that the program's only iterator is the one of its training. No edit where the
program has several.

## Sources

REC-DOC:automatic_graph_modification.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.intents import AddImport, ReplaceExpression
from npu_migrate.project.project import Project
from npu_migrate.rules.offload import one_per_place
from npu_migrate.rules.rule import Rule
from npu_migrate.training.rec.dead_initializers import DeadInitializer, dead_initializers

CODE = "NPU513"
TITLE = "Run the initializer that Rec SDK has made"
MESSAGE = (
    "Rec SDK has replaced this iterator when it modified the graph: run get_initializer(True) for training, "
    "get_initializer(False) for evaluation"
)
MODIFIED = "the graph is modified here"
INITIALIZER = "ConfigInitializer.get_instance().train_params_config.get_initializer(True)"
IMPORT = "from mx_rec.util.initialize import ConfigInitializer"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per run of an initializer that nobody needs any more."""
    return one_per_place(
        _finding(project, dead) for dead in dead_initializers(project) if dead.run.key in project.targets
    )


def _finding(project: Project, dead: DeadInitializer) -> Finding:
    stands_there = (dead.initializer.key, dead.initializer.statement) == (dead.run.key, dead.run.statement)
    place = dead.initializer.place if stands_there else dead.run.place
    rewrite = None
    if stands_there and dead.is_only:
        intents = (ReplaceExpression(place, INITIALIZER), AddImport(place.path, IMPORT))
        rewrite = Rewrite(Applicability.UNSAFE, TITLE, intents)
    related = (Related(dead.modified.place, MODIFIED),)
    return Finding(CODE, Severity.ERROR, MESSAGE, place, related, rewrite, project.programs_of(place.path))


RULE = Rule(
    code=CODE,
    name="rec-initializer-after-modification",
    summary="The initializer of an iterator that Rec SDK has replaced.",
    severity="error",
    fix="unsafe for the only iterator, else manual",
    sources=("REC-DOC",),
    documentation=__doc__ or "",
    check=check,
)
