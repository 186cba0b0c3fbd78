"""
## What it does

Finds iteration offload that is only half there where the session config is your own:

- `iterations_per_loop` in the config of a session or Estimator that trains, but nothing in the program that
  makes the device repeat the train op: `set_iteration_per_loop`, the pair `create_iteration_per_loop_var` and
  `load_iteration_per_loop_var`, or `SetIterationsVarHook` with a `tf.group(..., name="IterationOp")`;
- one of these, but no `iterations_per_loop` in the config;
- half of a pair.

`NPUEstimator` with `NPURunConfig` sets up both halves by itself.

## Why

The session config announces how many iterations each `sess.run` trains, the loop carries them out. With one
half only, the two disagree: steps are counted wrongly or the training goes wrong.

## Example

```python
train_op = optimizer.minimize(loss)
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 10
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op)
```

## Use instead

```python
train_op = optimizer.minimize(loss)
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 10
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    train_op = util.set_iteration_per_loop(sess, train_op, 10)
    sess.run(train_op)
```

## Fix safety

There is no edit: the missing half belongs to another place, and the Python loop has to change with it.

## Sources

DOC-ITER; DOC-SETIT; DOC-LOADIT.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call, Constant, argument
from npu_migrate.knowledge import npu
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import described, one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Value, related
from npu_migrate.training.npu.configs import (
    CONFIG_LEVELS,
    entries,
    is_filled_as_a_whole,
    is_known_to_callees,
    is_offloading,
    is_out_of_sight,
    run_configs,
    stray_writes,
)
from npu_migrate.training.npu.device_loop import (
    LoopPart,
    is_complete,
    loop_parts,
    optimizes,
    parts_in,
    sessions_created,
)
from npu_migrate.training.npu.offload import (
    Offload,
    iterations,
    offloading,
    offloads,
    readers_in,
    switch,
    trainings_under,
    writes_of,
)

CODE = "NPU209"
NO_LOOP = "the session config says {n}, but nothing makes the device repeat the train op: {missing}"
NO_KEY = (
    "the train op is repeated on the device, but the session config does not say so: set "
    'parameter_map["iterations_per_loop"].i to the same value'
)
HALF = "{given} does nothing without {missing}"
CALL_SET = "call set_iteration_per_loop and run what it returns"
ADD_HOOK = "give the training a SetIterationsVarHook and name the group of the train op IterationOp"

_CONFIG_POSITION = 2
_NAMES = {
    "create": "create_iteration_per_loop_var",
    "load": "load_iteration_per_loop_var",
    "hook": "SetIterationsVarHook",
    "group": 'tf.group(..., name="IterationOp")',
}
_OTHER_HALF = {"create": "load", "load": "create", "hook": "group", "group": "hook"}
_FOR_ESTIMATORS = frozenset({"hook", "group"})
_MAKES_CONFIG = frozenset({"tensorflow.ConfigProto", npu.CONFIG_PROTO_HELPER})


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per half that is there without the other."""
    return one_per_place([*_of_configs(project), *_of_loops(project)])


# -- the config without the loop -----------------------------------------------------------------------


def _of_configs(project: Project) -> Iterator[Finding]:
    for offload in offloads(project):
        given = iterations(project, offload).given
        if offload.entry is not None and given is not None and not is_out_of_sight(project, offload.entry):
            yield from judged(project, CODE, given.place, partial(_judge_config, project, offload))


def _judge_config(project: Project, offload: Offload, program: str) -> Verdict | None:
    """What is missing for a value of N; in mixed computing that value is the mistake (NPU205)."""
    n = offloading(project, offload, program)
    mixed = switch(project, offload, npu.MIX_COMPILE_MODE, program)
    if not n.is_known or parts_in(project, program) or mixed.every(bool):
        return None
    kinds = {reader.kind for reader in readers_in(project, offload, program)}
    if "estimator" in kinds and trainings_under(project, offload):
        missing = ADD_HOOK
    elif "session" in kinds and optimizes(project, program):
        missing = CALL_SET
    else:
        return None
    known = telling(n)
    message = NO_LOOP.format(n=described(project, known), missing=missing)
    return Verdict(lowered_for(Severity.ERROR, [known]), message, related(known))


# -- the loop without the config -----------------------------------------------------------------------


def _of_loops(project: Project) -> Iterator[Finding]:
    for part in loop_parts(project):
        assert isinstance(part.call.expr, Call)
        place = last_token(part.call.key, part.call.expr.func)
        yield from judged(project, CODE, place, partial(_judge_loop, project, part))


def _judge_loop(project: Project, part: LoopPart, program: str) -> Verdict | None:
    value = _n_of_program(project, program) if part.n is None else evidence(project, part.n, program)
    if not value.every(is_offloading) or (part.kind in _FOR_ESTIMATORS and _has_run_config(project, program)):
        return None
    n = telling(value)
    severity = lowered_for(Severity.ERROR, [n])
    if not is_complete(parts_in(project, program)):
        missing = _NAMES[_OTHER_HALF[part.kind]]
        return Verdict(severity, HALF.format(given=_NAMES[part.kind], missing=missing), related(n))
    if part.n is not None and not _says_n(project, program) and _is_in_sight(project, part):
        return Verdict(severity, NO_KEY, related(n))
    return None


def _n_of_program(project: Project, program: str) -> Value:
    """An N > 1 of a program, for a part that does not give one."""
    found = (offloading(project, offload, program) for offload in offloads(project))
    return next((n for n in found if n.is_known), UNKNOWN)


def _has_run_config(project: Project, program: str) -> bool:
    """Whether the program has an ``NPURunConfig``: NPUEstimator adds its own hook and group."""
    files = project.programs.by_entry[program].files
    return any(call.key in files for call in run_configs(project))


def _says_n(project: Project, program: str) -> bool:
    """Whether any config of the program sets ``iterations_per_loop``, or may."""
    files = project.programs.by_entry[program].files
    return (
        any(write.key in (None, npu.ITERATIONS_PER_LOOP) for write in stray_writes(project, program))
        or any(
            entry.added.key in files and writes_of(project, entry, npu.ITERATIONS_PER_LOOP)
            for entry in entries(project)
        )
        or _has_run_config(project, program)
    )


def _is_in_sight(project: Project, part: LoopPart) -> bool:
    """Whether the session of the loop, and all that makes its config, can be seen."""
    if part.session is None:
        return part.kind == "hook"
    made = sessions_created(project, part.session)
    return bool(made) and all(_has_plain_config(project, session) for session in made)


def _has_plain_config(project: Project, session: Ref) -> bool:
    assert isinstance(session.expr, Call)
    config = argument(session.expr, "config", _CONFIG_POSITION)
    if config is None:
        return all(keyword.name is not None for keyword in session.expr.keywords)
    return all(_is_plain(project, origin) for origin in origins(project, session._replace(expr=config)))


def _is_plain(project: Project, config: Ref) -> bool:
    """Whether a config gets its entries, if any, by ``custom_optimizers.add()``, as `entries` knows them."""
    call = config.expr
    if isinstance(call, Constant) and call.value is None:
        return True
    if not isinstance(call, Call) or not externals_called(project, config) & _MAKES_CONFIG:
        return False
    if any(keyword.name in (None, *CONFIG_LEVELS) for keyword in call.keywords):
        return False
    given = argument(call, "config_proto", 0)
    inner = () if given is None else origins(project, config._replace(expr=given))
    return (
        is_known_to_callees(project, config)
        and not is_filled_as_a_whole(project, config)
        and all(_is_plain(project, one) for one in inner)
    )


RULE = Rule(
    code=CODE,
    name="offload-half-configured",
    summary="iterations_per_loop in the session config or in the loop on the device, but not in both.",
    severity="error",
    fix="manual",
    sources=("DOC-ITER", "DOC-SETIT", "DOC-LOADIT"),
    documentation=__doc__ or "",
    check=check,
)
