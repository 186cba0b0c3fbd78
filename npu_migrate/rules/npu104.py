"""
## What it does

Finds configurations that leave the offload of data preprocessing off although the program reads from
`tf.data`:

- a session config whose `NpuOptimizer` entry never sets `enable_data_pre_proc`, or sets it in a field other
  than `.b`;
- a config made by `npu_config_proto()` or `npu_run_config_init()`, which do not set it either;
- an `NPURunConfig` that sets `iterations_per_loop` and does not say `enable_data_pre_proc` (advice only: its
  default is True).

A config counts only if a session that gets it runs something that is made from what a `tf.data` iterator
gives, or if an Estimator that gets it has an input function that reads from `tf.data`. What only restores,
exports or initializes, is fed through placeholders, or reads arrays by `numpy_input_fn` has nothing to
offload. Where batches are fetched to the host and fed back, the switch alone would change nothing: advice
only.

## Why

In a session config the switch is off unless it is set. Data preprocessing then stays on the host, and
`iterations_per_loop` > 1 cannot work: several steps per `sess.run` need input that the device fetches by
itself. A value in another field than `.b` is read as False.

## Example

```python
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 100
```

## Use instead

```python
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["use_off_line"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 100
```

## Fix safety

Safe: the setting has no effect on the CPU, and on the NPU the offload is what a program with `tf.data` input
asks for. No edit where the entry has no name of its own, and where batches are fetched and fed back.

The two helpers keep an entry that is there already. So the fix adds one to what they are given: to the
`ConfigProto`, wherever it is made, or to a new one that becomes the `session_config` of the `RunConfig`:

```python
npu_config = tf.ConfigProto()
custom_op = npu_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
run_config = tf.estimator.RunConfig(model_dir="model", session_config=npu_config)
estimator = tf.estimator.Estimator(model_fn, config=npu_run_config_init(run_config=run_config))
```

That is unsafe where something else gets the same config without the helper, or code that cannot be seen,
where code overwrites parts of the config, and where TensorFlow would make a session config for a cluster
(`TF_CONFIG`). There is no edit where the config is made out of sight, and where no statement can stand
before.

## Sources

SEED-ITER; DOC-ITER; CODE:npu_attrs.cc; CODE:npu_init.py; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Attribute, Call, Constant, Expr
from npu_migrate.index.names import spelled
from npu_migrate.intents import InsertStatement, Intent, Rename, ReplaceExpression, Side
from npu_migrate.knowledge import npu
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import call_from_last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, lowered_for, weigh
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.calls.signatures import added
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.objects import Identity
from npu_migrate.semantics.values.value import Known, describe, related
from npu_migrate.training.npu.config_reach import Reader, config_objects, readers_of
from npu_migrate.training.npu.configs import (
    Entry,
    ParameterWrite,
    calls_of,
    entries,
    entry_iterations,
    helper_calls,
    is_known_to_callees,
    is_offloading,
    is_out_of_sight,
    least,
    parameter_writes,
    run_config_iterations,
    run_config_setting,
    run_configs,
    stray_writes,
)
from npu_migrate.training.npu.readings import Reading, reading, run_config_reading
from npu_migrate.training.npu.switching.plan import Plan, plan_switch

CODE = "NPU104"
TITLE = "Set enable_data_pre_proc to True"
MISSING = (
    "the session config never sets enable_data_pre_proc, which is off by default: "
    "reading from tf.data is not offloaded"
)
WRONG_FIELD = (
    "enable_data_pre_proc is set in field .{field}, only .b is read: reading from tf.data is not offloaded"
)
NEEDED = "{message}, but {n} needs it"
HELPER = (
    "{name}() does not set enable_data_pre_proc, which is off by default: reading from tf.data is not "
    "offloaded; add an NpuOptimizer entry with it to the config that is passed in"
)
HELPER_TITLE = "Give it a config with enable_data_pre_proc"
OBSTACLES = {
    "hidden": "; where the config comes from is not in sight",
    "place": "; no statement can stand where the config is made",
    "entry": "; the config has custom optimizers whose names cannot be told",
    "name": "; the file has no name for TensorFlow",
}
DOUBTS = {
    "shared": "; the fix assumes that this suits everything else that gets the config, too",
    "cluster": "; the fix assumes that there is no cluster, of which TensorFlow's own session config depends",
    "replaced": "; the fix assumes that the code that overwrites parts of the config keeps its entries",
}
RUN_CONFIG = "{n} needs enable_data_pre_proc: say so instead of relying on the default"
WRITTEN_HERE = "set here, in field .{field}"
FED_BACK = (
    "the session config never sets enable_data_pre_proc, and batches from tf.data are fetched to the host "
    "and fed back: the offload needs steps that take them from the iterator"
)
READ_HERE = "this reads from tf.data with the config"

_FIELD = "b"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per config that leaves the switch off."""
    for entry in entries(project):
        if entry.added.key in project.targets:
            yield from _check_entry(project, entry)
    for call in helper_calls(project):
        if call.key in project.targets:
            yield from _check_helper(project, call)
    for call in run_configs(project):
        if call.key in project.targets:
            yield from _check_run_config(project, call)


# -- session configs -----------------------------------------------------------------------------------


def _check_entry(project: Project, entry: Entry) -> Iterator[Finding]:
    writes = [w for w in parameter_writes(project, entry) if w.key in (None, npu.DATA_PRE_PROC)]
    wrong = [write for write in writes if write.key is not None and write.field != _FIELD and write.value]
    if len(wrong) < len(writes) or is_out_of_sight(project, entry):
        return
    readers = _readers(project, entry.configs)
    message = WRONG_FIELD.format(field=wrong[0].field) if wrong else MISSING

    def judge(program: str) -> Verdict | None:
        if not _concerns(project, program, readers, "reads"):
            return _of_fed_back(project, program, readers)
        value = entry_iterations(project, entry, program).value
        if not value.every(is_offloading):
            return Verdict(Severity.WARNING, message)
        n = least(value)
        severity = lowered_for(Severity.ERROR, [n])
        return Verdict(severity, NEEDED.format(message=message, n=_described(project, n)), related(n))

    weighed = weigh(project, entry.added.key, judge)
    if weighed is None:
        return
    assert isinstance(entry.added.expr, Call)
    is_advice = weighed.verdict.severity is Severity.INFO
    places = tuple(Related(write.target.place, WRITTEN_HERE.format(field=write.field)) for write in wrong)
    yield Finding(
        CODE,
        weighed.verdict.severity,
        weighed.verdict.message,
        call_from_last_token(entry.added.key, entry.added.expr),
        (*places, *weighed.verdict.related, *_reading(readers)),
        None if is_advice else _corrected(wrong) if wrong else _inserted(project, entry),
        weighed.programs,
    )


class _Readers(NamedTuple):
    """What runs with a config: those that read from ``tf.data``, and those that fetch and feed batches."""

    configs: frozenset[Identity]
    reading: list[Reader]
    feeding: list[Reader]


def _readers(project: Project, configs: frozenset[Identity]) -> _Readers:
    found = [(reader, reading(project, reader, configs)) for reader in readers_of(project, configs)]
    return _Readers(
        configs,
        [reader for reader, what in found if what == "reads"],
        [reader for reader, what in found if what == "fed back"],
    )


def _of_fed_back(project: Project, program: str, readers: _Readers) -> Verdict | None:
    is_advice = _concerns(project, program, readers, "fed back")
    return Verdict(Severity.INFO, FED_BACK) if is_advice else None


def _concerns(project: Project, program: str, readers: _Readers, what: Reading) -> bool:
    """Whether one of `readers` does so in the program, and nothing else there may set the switch."""
    files = project.programs.by_entry[program].files
    set_elsewhere = any(w.key in (None, npu.DATA_PRE_PROC) for w in stray_writes(project, program))
    return not set_elsewhere and any(
        reader.ref.key in files and reading(project, reader, readers.configs, program) == what
        for reader in (*readers.reading, *readers.feeding)
    )


def _inserted(project: Project, entry: Entry) -> Rewrite | None:
    """Sets the switch where the entry gets its name, in the spelling that is used there."""
    intents: list[Intent] = []
    for named in entry.named or (entry.added,):
        statement = project.statement(named)
        name = _name_of_entry(statement.targets[0]) if len(statement.targets) == 1 else None
        if name is None or statement.kind not in ("Assign", "AnnAssign"):
            return None
        code = f'{name}.parameter_map["{npu.DATA_PRE_PROC}"].{_FIELD} = True'
        place = named._replace(expr=Constant(None, statement.span)).place
        intents.append(InsertStatement(place, Side.AFTER, code))
    return Rewrite(Applicability.SAFE, TITLE, tuple(dict.fromkeys(intents)))


def _name_of_entry(target: Expr | None) -> str | None:
    """``entry`` in ``entry.name = …`` and in ``entry = ….add(name=…)``; None for anything but names."""
    if isinstance(target, Attribute):
        return spelled(target.value) if target.attr == "name" else None
    return None if target is None else spelled(target)


def _corrected(wrong: list[ParameterWrite]) -> Rewrite | None:
    """Moves a value that means True into the field that is read."""
    intents: list[Intent] = []
    for write in wrong:
        value = write.value.expr if write.value is not None else None
        if not isinstance(value, Constant) or value.value not in (True, "True", b"True"):
            return None
        assert write.value is not None
        if write.value.statement != write.target.statement:
            return None  # a turn of a loop: its target serves the other turns too
        intents.append(Rename(write.target.place, write.field, _FIELD))
        if value.value is not True:
            intents.append(ReplaceExpression(write.value.place, "True"))
    return Rewrite(Applicability.SAFE, TITLE, tuple(intents))


# -- npu_config_proto and npu_run_config_init ----------------------------------------------------------


def _check_helper(project: Project, call: Ref) -> Iterator[Finding]:
    objects = config_objects(project, call)
    if any(entry.configs & objects for entry in entries(project)) or not is_known_to_callees(project, call):
        return
    inside = any(
        other.expr is not call.expr and (id(call.expr), ()) in config_objects(project, other)
        for other in helper_calls(project)
    )
    if inside:
        return
    if any(config.expr is made.expr for made in run_configs(project) for config in _passed(project, call)):
        return  # an NPURunConfig, which says by itself what the NPUEstimator does
    readers = _readers(project, objects)
    assert isinstance(call.expr, Call)
    place = call_from_last_token(call.key, call.expr)
    of_run_config = any(other.expr is call.expr for other in calls_of(project, npu.RUN_CONFIG_HELPER))
    name = npu.RUN_CONFIG_HELPER if of_run_config else npu.CONFIG_PROTO_HELPER
    message = HELPER.format(name=name.rpartition(".")[2])

    def judge(program: str) -> Verdict | None:
        if _concerns(project, program, readers, "reads"):
            return Verdict(Severity.WARNING, message)
        return _of_fed_back(project, program, readers)

    weighed = weigh(project, call.key, judge)
    if weighed is not None:
        verdict, programs = weighed
        is_advice = verdict.severity is Severity.INFO
        plan = Plan() if is_advice else plan_switch(project, call)
        text = verdict.message + (DOUBTS[plan.doubt] if plan.doubt else "")
        text += OBSTACLES[plan.obstacle] if plan.obstacle else ""
        rewrite = Rewrite(plan.applicability, HELPER_TITLE, plan.intents) if plan.intents else None
        yield Finding(CODE, verdict.severity, text, place, _reading(readers), rewrite, programs)


def _passed(project: Project, helper: Ref) -> tuple[Ref, ...]:
    """What may be the run config that the helper gets."""
    assert isinstance(helper.expr, Call)
    given = passed_objects(project, helper, "run_config", 0).values
    return tuple(origin for value in given for origin in origins(project, value))


# -- NPURunConfig --------------------------------------------------------------------------------------


def _is_not_one(n: object) -> bool:
    """Whether N is given and is not 1; None is an N that was never given."""
    return n is not None and n != 1


def _check_run_config(project: Project, call: Ref) -> Iterator[Finding]:
    given = run_config_setting(project, call, npu.DATA_PRE_PROC)
    if given is not None or run_config_reading(project, call) == "nothing":
        return

    def judge(program: str) -> Verdict | None:
        value = run_config_iterations(project, call, program).value
        if not value.every(_is_not_one):
            return None
        n = value.alternatives[0]
        return Verdict(Severity.INFO, RUN_CONFIG.format(n=_described(project, n)), related(n))

    weighed = weigh(project, call.key, judge)
    if weighed is not None:
        assert isinstance(call.expr, Call)
        intents = added(call, [(npu.DATA_PRE_PROC, "True")])
        yield Finding(
            CODE,
            weighed.verdict.severity,
            weighed.verdict.message,
            call_from_last_token(call.key, call.expr),
            weighed.verdict.related,
            None if intents is None else Rewrite(Applicability.SAFE, TITLE, intents),
            weighed.programs,
        )


def _described(project: Project, n: Known) -> str:
    return describe(project, npu.ITERATIONS_PER_LOOP, n)


def _reading(readers: _Readers) -> tuple[Related, ...]:
    found = readers.reading or readers.feeding
    return tuple(Related(reader.ref.place, READ_HERE) for reader in found[:1])


RULE = Rule(
    code=CODE,
    name="data-pre-proc-missing",
    summary="A config that leaves the offload of data preprocessing off.",
    severity="session config: error if iterations_per_loop > 1, else warning, info where batches are fed "
    "back; NPURunConfig: info",
    fix="safe, or unsafe where others share the config; manual where it is out of sight",
    sources=("SEED-ITER", "DOC-ITER", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
