"""
## What it does

Finds `batch`, `padded_batch` and `map_and_batch` on a `tf.data` dataset whose last batch may be smaller than
the others, because `drop_remainder=True` is missing.

Silent where no partial batch can come up or where that cannot be told: behind `.repeat()` without a count,
for batches of 1, for batches as large as the data, where `get_single_element` reads the only batch, and for
objects that are not known to be datasets.

## Why

The NPU compiles a graph for fixed shapes. A smaller last batch makes the first dimension dynamic and triggers
the compilation for dynamic shapes, which is slow.

## Example

```python
dataset = tf.data.TFRecordDataset(files).map(parse).batch(32)
```

## Use instead

```python
dataset = tf.data.TFRecordDataset(files).map(parse).batch(32, drop_remainder=True)
```

In evaluation and prediction, pad the data with blank samples instead if every sample counts. Where all that
is seen predicts, there is no fix.

## Fix safety

Unsafe: the samples of the last, smaller batch are dropped. That changes an epoch by less than one batch, and
the results of an evaluation.

## Sources

DOC-PORT; TOOL (the vendor's converter makes the same change).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import (
    Attribute,
    Call,
    Constant,
    Expr,
    argument,
    is_starred,
    last_name,
    walk,
)
from npu_migrate.index.names import code_scope
from npu_migrate.intents import Intent, ReplaceExpression, SetArgument
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.rules.places import last_token
from npu_migrate.rules.porting import is_in_none_that_moves, is_test_that_stays
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.calls.signatures import added
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.values.evaluation import evaluate, passed_keyword
from npu_migrate.semantics.values.value import Value, related
from npu_migrate.training.pipelines.datasets import trace
from npu_migrate.training.pipelines.graph_code import is_graph_code
from npu_migrate.training.porting.inference import is_for_prediction

CODE = "NPU106"
TITLE = "Drop the last, smaller batch"
MESSAGE = (
    "the last batch may be smaller than the others, which makes its shape dynamic on the NPU: "
    "drop_remainder=True drops it (pad instead where every sample counts)"
)
PREDICTED = (
    "the last batch may be smaller than the others, which makes its shape dynamic on the NPU: every sample "
    "of a prediction counts, so pad the last batch with blank ones"
)

_KEYWORD = "drop_remainder"
_METHODS = {"batch": 1, "padded_batch": 3}
_FUNCTION = "map_and_batch"
_FUNCTION_POSITION = 3
_FUNCTION_MODULES = ("tensorflow.data.experimental.", "tensorflow.contrib.data.")
"""0-based positions of ``drop_remainder``; ``map_and_batch`` is a function that ``Dataset.apply`` gets."""


_SINGLE_ELEMENT = "get_single_element"
_SIZES = frozenset({"len", "shape", "size", "cardinality"})


class _Batching(NamedTuple):
    ref: Ref
    call: Call
    dataset: Ref
    size: Expr | None
    position: int


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per batching that may give a partial batch."""
    for batching in _batchings(project):
        yield from _check(project, batching)


def _batchings(project: Project) -> Iterator[_Batching]:
    for name, position in _METHODS.items():
        for key, site in project.calls_named(name):
            func = site.call.func
            if key in project.targets and isinstance(func, Attribute):
                ref = ref_of_call(key, site)
                size = argument(site.call, "batch_size", 0)
                yield _Batching(ref, site.call, ref._replace(expr=func.value), size, position)
    for key, site in project.calls_named(_FUNCTION):
        ref = ref_of_call(key, site)
        outer = project.parent_ref(ref) if key in project.targets else None
        names = external_names(project, key, site.scope, site.call.func)
        if outer is None or not any(name.startswith(_FUNCTION_MODULES) for name in names):
            continue
        apply = outer.expr
        if isinstance(apply, Call) and isinstance(apply.func, Attribute) and apply.func.attr == "apply":
            size = argument(site.call, "batch_size", 1)
            yield _Batching(ref, site.call, ref._replace(expr=apply.func.value), size, _FUNCTION_POSITION)


def _check(project: Project, batching: _Batching) -> Iterator[Finding]:
    ref, call = batching.ref, batching.call
    keeping = _keeping(project, batching)
    if keeping is None or _has_no_remainder(project, batching) or not is_graph_code(project, ref):
        return
    dataset = trace(project, batching.dataset)
    if (
        not dataset.is_dataset
        or not dataset.ends
        or is_test_that_stays(project, ref)
        or is_in_none_that_moves(project, ref)
    ):
        return
    predicts = is_for_prediction(project, ref)
    kept = predicts or keeping.intents is None
    yield Finding(
        CODE,
        Severity.INFO,
        PREDICTED if predicts else MESSAGE,
        last_token(ref.key, call.func),
        keeping.related,
        None if kept else Rewrite(Applicability.UNSAFE, TITLE, keeping.intents or ()),
        project.programs_of(ref.key),
    )


class _Keeping(NamedTuple):
    """That a call keeps the last, smaller batch: where it says so, and what would change it."""

    related: tuple[Related, ...]
    intents: tuple[Intent, ...] | None


def _keeping(project: Project, batching: _Batching) -> _Keeping | None:
    """None unless ``drop_remainder`` is left out, or False for certain."""
    ref, call = batching.ref, batching.call
    if any(is_starred(item) for item in call.args):
        return None
    given = argument(call, _KEYWORD, batching.position)
    if given is None:
        passed = passed_keyword(project, ref, _KEYWORD)
        return _Keeping((), added(ref, [(_KEYWORD, "True")])) if passed is None else _kept_by(passed, None)
    if isinstance(given, Constant) and given not in call.args:
        return _kept_by(evaluate(project, ref._replace(expr=given)), SetArgument(ref.place, _KEYWORD, "True"))
    replace = ReplaceExpression(ref._replace(expr=given).place, "True")
    return _kept_by(
        evaluate(project, ref._replace(expr=given)), replace if isinstance(given, Constant) else None
    )


def _kept_by(value: Value, intent: Intent | None) -> _Keeping | None:
    if not value.every(lambda constant: constant is False):
        return None
    return _Keeping(related(value.alternatives[0]), None if intent is None else (intent,))


def _has_no_remainder(project: Project, batching: _Batching) -> bool:
    """Whether each batch is one element, or all elements are one batch."""
    if batching.size is None:
        return False
    size = batching.ref._replace(expr=batching.size)
    if _is_read_at_once(project, batching.ref) or evaluate(project, size).every(
        lambda constant: constant == 1
    ):
        return True
    return any(_counts_everything(part) for origin in origins(project, size) for part in walk(origin.expr))


def _is_read_at_once(project: Project, ref: Ref) -> bool:
    """Whether ``get_single_element`` reads a dataset in the function around `ref`: that is one batch."""
    facts = project.facts(ref.key)
    assert facts is not None
    home = code_scope(facts, ref.scope)
    return any(
        key == ref.key and code_scope(facts, site.scope) == home
        for key, site in project.calls_named(_SINGLE_ELEMENT)
    )


def _counts_everything(part: Expr) -> bool:
    """``len(x)``, ``x.shape``, ``tf.shape(x)``: a size that is taken from the data."""
    return last_name(part.func if isinstance(part, Call) else part) in _SIZES


RULE = Rule(
    code=CODE,
    name="partial-batch",
    summary="A dataset whose last batch may be smaller than the others.",
    severity="info",
    fix="unsafe, or manual where the value is not a literal",
    sources=("DOC-PORT", "TOOL"),
    documentation=__doc__ or "",
    check=check,
)
