"""
## What it does

Finds arguments of Rec SDK's `init` that it does not use: positional arguments, and keywords that it does not
know.

## Why

`init` takes keyword arguments only: a positional one raises `TypeError`. A keyword that `init` does not know
is taken and ignored, so a misspelt `max_step=1000` leaves `max_steps` at its default of -1. Releases of 2022
and 2023 had other arguments (`use_mpi`, `use_hot`, `train_interval`, `prefetch_batch_number`), which newer
ones ignore.

## Example

```python
from mx_rec.util.initialize import init

init(max_step=1000, train_steps=100, eval_steps=10, save_steps=100)
```

## Use instead

```python
from mx_rec.util.initialize import init

init(max_steps=1000, train_steps=100, eval_steps=10, save_steps=100)
```

Remove what current releases do not use.

## Fix safety

Safe for a misspelt keyword: it gets the name it resembles, unless the call passes that one too. Everything
else is for you to decide: no edit.

## Sources

SEED-REC; REC-CODE:mx_rec/util/initialize.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import cast

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Call, Keyword, is_starred
from npu_migrate.intents import Rename
from npu_migrate.knowledge import rec
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged
from npu_migrate.semantics.calls.signatures import keyword_name, starred_names
from npu_migrate.training.rec.init_calls import init_calls

CODE = "NPU501"
TITLE = "Rename the keyword to {name}"
POSITIONAL = "init() takes keyword arguments only: a positional argument raises TypeError"
UNKNOWN = "init() does not know {keyword} and ignores it"
MISSPELT = "init() does not know {keyword} and ignores it: did you mean {name}?"
FORMER = "init() does not use {keyword} any more (it belongs to releases of 2022 and 2023) and ignores it"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per argument that `init` does not use."""
    for ref in init_calls(project):
        call = cast(Call, ref.expr)
        for item in call.args:
            if not is_starred(item):
                verdict = Verdict(Severity.ERROR, POSITIONAL)
                yield from judged(project, CODE, Place(ref.key, item.span), partial(_always, verdict))
        for keyword in call.keywords:
            if keyword.name is not None and keyword.name not in rec.ARGUMENTS:
                yield from _check_keyword(project, ref, call, keyword)
        yield from _check_starred(project, ref)


def _check_keyword(project: Project, ref: Ref, call: Call, keyword: Keyword) -> Iterator[Finding]:
    assert keyword.name is not None
    similar = rec.similar_argument(keyword.name)
    place = keyword_name(ref.key, keyword)
    rewrite = None
    if similar is not None and all(other.name not in (None, similar) for other in call.keywords):
        intents = (Rename(place, keyword.name, similar),)
        rewrite = Rewrite(Applicability.SAFE, TITLE.format(name=similar), intents)
    verdict = Verdict(Severity.WARNING, _message(keyword.name))
    yield from judged(project, CODE, place, partial(_always, verdict), rewrite)


def _check_starred(project: Project, ref: Ref) -> Iterator[Finding]:
    """Misspelt and former keys of a dict display behind ``**``.

    Its other unknown keys may be meant for somebody else, unless the display stands in the call itself.
    """
    for name, place, inline in starred_names(project, ref):
        meant = name in rec.FORMER_ARGUMENTS or rec.similar_argument(name) is not None
        if name not in rec.ARGUMENTS and (meant or inline):
            verdict = Verdict(Severity.WARNING, _message(name))
            yield from judged(project, CODE, place, partial(_always, verdict), asked=ref.key)


def _always(verdict: Verdict, program: str) -> Verdict:
    return verdict


def _message(keyword: str) -> str:
    if keyword in rec.FORMER_ARGUMENTS:
        return FORMER.format(keyword=keyword)
    similar = rec.similar_argument(keyword)
    if similar is None:
        return UNKNOWN.format(keyword=keyword)
    return MISSPELT.format(keyword=keyword, name=similar)


RULE = Rule(
    code=CODE,
    name="rec-init-unknown-argument",
    summary="An argument that Rec SDK's `init` does not use.",
    severity="error for a positional argument, warning for a keyword",
    fix="safe for a misspelt keyword, else manual",
    sources=("SEED-REC", "REC-CODE"),
    documentation=__doc__ or "",
    check=check,
)
