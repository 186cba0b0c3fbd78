"""
## What it does

Finds sessions that train a model and whose config has no `NpuOptimizer` entry: `tf.Session`,
`tf.InteractiveSession`, monitored sessions, those of a `tf.train.Supervisor`, `slim.learning.train` and
`tf.contrib.training.train`.

With `--port` the rule looks at all programs, without it at those in which another config has the entry
already.

## Why

TensorFlow runs a graph on the NPU only if the config of its session has a custom optimizer of that name.
Without it the training runs on the CPU, and nothing says so. Since version 1.9 npu_bridge changes `Session`
when it is imported, so that every session gets the entry, but it does not switch `enable_data_pre_proc` on.

## Example

```python
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op)
```

## Use instead

```python
npu_config = tf.ConfigProto()
custom_op = npu_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
npu_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
npu_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
npu_config.allow_soft_placement = True
with tf.Session(config=npu_config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op)
```

A config that the program makes itself gets the entry where it is made. One that comes from elsewhere, that
may be None, that is taken out of an unpacked dictionary, or that also belongs to a session that is not to
be moved, is copied. `enable_data_pre_proc` is switched on where the session takes its batches from a
`tf.data` iterator.

Where a program trains, and no session was recognised that runs this, nothing can be moved: then the place
that trains is named, once per program, and the entry is to be given by hand. So is a function such as
`slim.learning.train` where it is handed on to be called elsewhere, and a call of a library that trains in a
session of its own: TFLearn, tensorpack, stable-baselines, TF-GAN, Edward, GPflow, OpenNMT-tf, tensor2tensor,
Ludwig.

These sessions are left alone: those that only read, restore, export or evaluate; those of test cases; those
with `device_count={"GPU": 0}`, unless an option of the program decides over that; all of a program that sets
`CUDA_VISIBLE_DEVICES` to nothing or to `-1`; those that talk to a server; those whose name gets another
session before anything reads it. So are, where the
program has a config with the entry, the sessions and configs in branches for other devices, as of
`if chip == "gpu"` or the `else` of `if use_npu`. Classes of other libraries that are called `Session` are
never looked at. A session of a class that the program derives from `tf.Session` gets the entry in the call
that makes it, or in the one that its constructor makes of TensorFlow's. Where it is not certain which call
that is, the session is named, and not changed.

A config that the program chooses by itself, one with the entry or another, stays as it is.

## Fix safety

Safe: TensorFlow on the CPU ignores an optimizer that it does not know, and computes the same. Unsafe where
the program needs more than a session to run on the NPU, such as a replacement for Horovod: the message names
the rules. Unsafe, too, where no statement fits before the call and a helper of npu_bridge has to make the
config although the session reads from `tf.data`,
and where the program lists the names of a function or file that gets one more (`locals()`, `globals()`).

## Sources

DOC-PORT; DOC-QUICK; CODE:npu_config.py; CODE:npu_init.py; CODE:npu_attrs.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import Call
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.rules.porting import (
    moving_finding,
    of_ported_programs,
    programs_to_move,
    unrecognized_findings,
)
from npu_migrate.rules.rule import Rule
from npu_migrate.training.porting.features.derived_sessions import derived_training_sessions
from npu_migrate.training.porting.movable import training_sessions
from npu_migrate.training.porting.session_edits import plan_derived, plan_session
from npu_migrate.training.porting.session_openings import SessionOpening, is_local
from npu_migrate.training.porting.trains import is_of_keras

CODE = "NPU701"
TITLE = "Give the session an NpuOptimizer entry"
ON_CPU = "this session trains, and its config has no NpuOptimizer entry: it stays on the CPU"
ONLY_PATCHED = (
    "this session trains, and its config has no NpuOptimizer entry: "
    "only npu_bridge 1.9 or later moves it to the NPU, without enable_data_pre_proc"
)
KERAS_ON_CPU = "Keras trains in this session, and its config has no NpuOptimizer entry: it stays on the CPU"
KERAS_ONLY_PATCHED = (
    "Keras trains in this session, and its config has no NpuOptimizer entry: "
    "only npu_bridge 1.9 or later moves it to the NPU, without enable_data_pre_proc"
)


UNRECOGNIZED = (
    "this program trains here, and the session that runs it was not recognised, so nothing is moved: find "
    "where the session is opened, and give the config that it gets an NpuOptimizer entry by hand"
)
HANDED_ON = (
    "this function trains in a session that it opens, and here it is handed on, to where its arguments "
    "cannot be seen, so nothing is moved: give its session a config with an NpuOptimizer entry by hand"
)
BY_LIBRARY = (
    "this program trains by {library}, which opens the session itself, so nothing is moved: give that "
    "session a config with an NpuOptimizer entry by hand"
)
DERIVED = (
    "this session trains; its class is derived from tf.Session, and no config with an NpuOptimizer entry is "
    "seen to get to it: it stays on the CPU; give the entry to the config that the class hands to tf.Session"
)


@of_ported_programs
def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per session that trains without the entry, or where such a session is missed."""
    for made in derived_training_sessions(project):
        if made.key in project.targets:
            yield from _check_derived(project, made)
    for opening in training_sessions(project):
        if opening.call.key in project.targets and is_local(project, opening) is not False:
            yield from _check_session(project, opening)
    yield from unrecognized_findings(
        project, CODE, "session", UNRECOGNIZED, handed_on=HANDED_ON, by_library=BY_LIBRARY
    )


def _check_derived(project: Project, made: Ref) -> Iterator[Finding]:
    moved = programs_to_move(project, made.key)
    if moved is None or not isinstance(made.expr, Call):
        return
    edit = plan_derived(project, made)
    message = DERIVED
    if edit.intents:
        message = ONLY_PATCHED if moved.severity is Severity.WARNING else ON_CPU
    yield moving_finding(project, CODE, last_token(made.key, made.expr.func), moved, message, TITLE, edit)


def _check_session(project: Project, opening: SessionOpening) -> Iterator[Finding]:
    moved = programs_to_move(project, opening.call.key)
    if moved is None:
        return
    assert isinstance(opening.call.expr, Call)
    on_cpu, only_patched = (
        (KERAS_ON_CPU, KERAS_ONLY_PATCHED) if is_of_keras(project, opening) else (ON_CPU, ONLY_PATCHED)
    )
    yield moving_finding(
        project,
        CODE,
        last_token(opening.call.key, opening.call.expr.func),
        moved,
        only_patched if moved.severity is Severity.WARNING else on_cpu,
        TITLE,
        plan_session(project, opening),
    )


RULE = Rule(
    code=CODE,
    name="session-not-on-npu",
    summary="A session that trains without an NpuOptimizer entry in its config.",
    severity="error; warning in programs that have something of npu_bridge already",
    fix="safe; unsafe where the program needs more to run on the NPU",
    sources=("DOC-PORT", "DOC-QUICK", "CODE"),
    documentation=__doc__ or "",
    check=check,
)
