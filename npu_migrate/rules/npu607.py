"""
## What it does

Finds session configs with an `NpuOptimizer` entry that do not switch TensorFlow's `remapping` and
`memory_optimization` off, or that set `disable_model_pruning`.

## Why

Both rewrite the graph before the NPU gets it, into operations that it does not know, or with copies to the
host that make no sense there. The vendor's documents switch them off. `False` is no way to do that: it is the
number 0, which means the default, and the default is on.

Importing `npu_bridge.npu_init` switches `remapping` off for every session since r1.9, so there a config that
does not mention it is no finding. Older documents do not ask for `memory_optimization`: it is missed only if
the setting `cann` says 7.0 or later.

## Example

```python
config.graph_options.rewrite_options.remapping = False
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.SCHEDULING_HEURISTICS
```

## Use instead

```python
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
```

`NO_MEM_OPT` and `MANUAL` for `memory_optimization` are as good as `OFF`.

## Fix safety

Safe: TensorFlow computes the same without these rewrites.

## Sources

DOC-PORT; CODE:npu_config.py; `rewriter_config.proto` [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Attribute, Call, Constant
from npu_migrate.index.names import spelled
from npu_migrate.intents import AddImport, InsertStatement, Intent, ReplaceExpression, Side
from npu_migrate.knowledge.releases import has_certainly
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.options import plain_finding
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.training.npu.configs import Entry, calls_of, entries, helper_calls, is_out_of_sight
from npu_migrate.training.npu.options.rewriter import (
    MEMORY,
    PRUNING,
    REMAPPING,
    is_off,
    off_spelling,
    rewriter_options,
    says_nothing,
)
from npu_migrate.training.npu.programs import loads_adapter
from npu_migrate.training.npu.readings import files_with_npu_init

CODE = "NPU607"
TITLE = "Switch {name} off"
SET = "{name} is not switched off, as the NPU needs it: write RewriterConfig.OFF"
PRUNES = "{name} has to stay off on the NPU"
MISSING = "the session config does not switch {names} off, as the NPU needs it"

_ASKED_SINCE = "r1.15"
_HELPERS = ("npu_bridge.init_resource", "npu_bridge.set_keras_session_npu_config")


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per option that is not as the NPU wants it."""
    for option in rewriter_options(project):
        if is_off(project, option) is False:
            message = (PRUNES if option.name == PRUNING else SET).format(name=option.name)
            rewrite = _switched_off(project, option.name, option.value)
            yield from plain_finding(project, CODE, Severity.WARNING, message, option.value.place, rewrite)
    for entry in entries(project):
        assert isinstance(entry.added.expr, Call)
        place = last_token(entry.added.key, entry.added.expr.func)
        missing = _missing(project, entry)
        if missing and not is_out_of_sight(project, entry):
            message = MISSING.format(names=" and ".join(missing))
            inserted = _inserted(project, entry, missing)
            yield from plain_finding(project, CODE, Severity.WARNING, message, place, inserted)


def _missing(project: Project, entry: Entry) -> tuple[str, ...]:
    """The options that no file of any program of an entry mentions, and that matter there."""
    programs = project.programs_of(entry.added.key)
    if not programs or any(_is_helped(project, program) for program in programs):
        return ()
    names = [REMAPPING] if all(_is_left_alone(project, program) for program in programs) else []
    names += [MEMORY] if has_certainly(project.options.cann, _ASKED_SINCE) else []
    return tuple(name for name in names if all(says_nothing(project, name, one) for one in programs))


def _is_left_alone(project: Project, program: str) -> bool:
    """Whether a program runs on the NPU, and nothing it imports changes the options of its sessions."""
    files = project.programs.by_entry[program].files
    return loads_adapter(project, program) and files.isdisjoint(files_with_npu_init(project))


def _is_helped(project: Project, program: str) -> bool:
    """Whether a function of npu_init, which switches both off, may get the config."""
    files = project.programs.by_entry[program].files
    helped = [*helper_calls(project), *(call for name in _HELPERS for call in calls_of(project, name))]
    return any(call.key in files for call in helped)


def _switched_off(project: Project, name: str, value: Ref) -> Rewrite:
    if name == PRUNING:
        return Rewrite(
            Applicability.SAFE, TITLE.format(name=name), (ReplaceExpression(value.place, "False"),)
        )
    spelling = off_spelling(project, value.key)
    intents: list[Intent] = [ReplaceExpression(value.place, spelling.code)]
    if spelling.imported is not None:
        intents.append(AddImport(value.key, spelling.imported))
    return Rewrite(Applicability.SAFE, TITLE.format(name=name), tuple(intents))


def _inserted(project: Project, entry: Entry, missing: tuple[str, ...]) -> Rewrite | None:
    """Writes the options behind the statement that adds the entry."""
    func = entry.added.expr.func if isinstance(entry.added.expr, Call) else None
    optimizers = func.value if isinstance(func, Attribute) else None
    options = spelled(optimizers.value) if isinstance(optimizers, Attribute) else None
    statement = project.statement(entry.added)
    if options is None or statement.kind != "Assign":
        return None
    spelling = off_spelling(project, entry.added.key)
    place = entry.added._replace(expr=Constant(None, statement.span)).place
    intents: list[Intent] = [
        InsertStatement(place, Side.AFTER, f"{options}.{name} = {spelling.code}", rank)
        for rank, name in enumerate(missing)
    ]
    if spelling.imported is not None:
        intents.append(AddImport(entry.added.key, spelling.imported))
    return Rewrite(Applicability.SAFE, TITLE.format(name=" and ".join(missing)), tuple(intents))


RULE = Rule(
    code=CODE,
    name="rewriter-option",
    summary="A session config that leaves TensorFlow's remapping or memory optimization on.",
    severity="warning",
    fix="safe",
    sources=("DOC-PORT", "CODE", "[TF]"),
    documentation=__doc__ or "",
    check=check,
)
