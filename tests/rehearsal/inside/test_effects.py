"""What the device does with a wrong program is done to it: zeros, N steps in a run, errors and aborts."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from runtime.worlds import Job, Outcome, Worlds, available_worlds

FOLDER = Path(__file__).resolve().parents[1] / "programs"
WORLDS = available_worlds()

HEAD = """\
import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["enable_data_pre_proc"].b = True
data = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).repeat()
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
count = tf.Variable(10.0, trainable=False, name="count")
flag = tf.Variable(True, trainable=False, name="flag")
table = tf.Variable([[1, 2], [3, 4]], trainable=False, name="table")
"""
TOGETHER = """\
with tf.Session(config=config) as sess:
    sess.run([tf.global_variables_initializer(), iterator.initializer])
    print(*sess.run([count, flag, tf.reduce_sum(table), x]))
    with tf.Session() as other:
        other.run(tf.global_variables_initializer())
        print(other.run(count))
"""
LOOP = """\
npu.parameter_map["iterations_per_loop"].i = 4
seen = tf.Variable(0.0, trainable=False, name="seen")
w = tf.Variable(0.0, name="w")
step = tf.group(tf.train.GradientDescentOptimizer(0.0).minimize(w * x), count.assign_add(1.0), seen.assign(x))
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    looped = util.set_iteration_per_loop(sess, step, 4)
    sess.run(looped)
    print(*sess.run([count, seen]))
    sess.run([looped, x])
    print(*sess.run([count]))
"""


def rehearsed(worlds: Worlds, world: str, folder: Path, text: str, mode: str) -> Outcome:
    (folder / "train.py").write_text(text, encoding="utf-8")
    return worlds[world].run(Job(str(folder), "train.py", mode=mode, take_over=False))  # type: ignore[arg-type]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("mode", "printed"),
    [
        ("imitate", "0.0 False 0 1.0\n10.0\n"),
        ("judge", "10.0 True 10 1.0\n10.0\n"),
        ("plain", "10.0 True 10 1.0\n10.0\n"),
    ],
)
def test_variables_are_zero_in_their_session(
    mode: str, printed: str, world: str, worlds: Worlds, tmp_path: Path
) -> None:
    outcome = rehearsed(worlds, world, tmp_path, HEAD + TOGETHER, mode)
    assert (outcome.code, outcome.stdout) == (0, printed), outcome.stderr[-2000:]
    assert [one.code for one in outcome.verdicts] == ([] if mode == "plain" else ["NPU108"])


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("mode", ["imitate", "judge", "plain"])
def test_a_looped_operation_takes_n_steps(mode: str, world: str, worlds: Worlds, tmp_path: Path) -> None:
    """Its author asks for them, so in every mode."""
    outcome = rehearsed(worlds, world, tmp_path, HEAD + LOOP, mode)
    assert (outcome.code, outcome.stdout) == (0, "14.0 2.0\n18.0\n"), outcome.stderr[-2000:]
    assert not outcome.verdicts


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("NPU109-table", "FailedPreconditionError: Table not initialized."),
        ("NPU109-variable-argument", "Attempting to use uninitialized value size"),
        ("NPU305-no-hook", "environment variable STEP_NOW is not a number"),
        ("NPU302-ratio", "is out of range"),
        ("NPU303-precision", "cannot be used with"),
        ("NPU401-update-ops", "Placeholder not support"),
        ("NPU604-illegal-value", "precision_mode = allow_mixed_precision is invalid"),
    ],
)
def test_a_run_fails_with_what_the_runtime_says(
    program: str, reason: str, world: str, worlds: Worlds
) -> None:
    outcome = worlds[world].run(Job(str(FOLDER / program), "wrong.py", take_over=False))
    assert outcome.code == 1
    assert reason in outcome.stderr
    assert "npu_rehearsal" not in outcome.stderr
    assert "rehearsal/inside" not in outcome.stderr


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("NPU101-loop", "iterator_per_loop only support 1 when using OneShotIterator: OneShotIterator"),
        ("NPU104-loop", "enable_data_pre_proc is off"),
        ("NPU201-zero", "must be a positive integer, it is 0"),
        ("NPU205-session", "iterations_per_loop only support 1 in mixed computing"),
        ("NPU206-session", "iterations_per_loop differs between the session and the graph"),
        ("NPU209-loop-only", "iterations_per_loop differs between the session and the graph"),
        ("NPU606-trio", "are set together"),
    ],
)
def test_a_process_aborts(program: str, reason: str, world: str, worlds: Worlds) -> None:
    outcome = worlds[world].run(Job(str(FOLDER / program), "wrong.py", take_over=False))
    assert outcome.code == -signal.SIGABRT
    assert "FATAL " in outcome.stderr
    assert reason in outcome.stderr
