"""``--ranks``: whether all ranks send the same graphs to their devices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from runtime.worlds import available_worlds, interpreter

from npu_migrate.rehearsal.protocol import DeviceGraph, Line, Recording, Status
from npu_migrate.rehearsal.ranks import compare_ranks, joined

REPOSITORY = Path(__file__).resolve().parents[2]

SCRIPT = """\
import os

import tensorflow as tf
from npu_bridge.npu_init import *

tf.logging.set_verbosity(tf.logging.ERROR)
rank = int(os.environ["RANK_ID"])
w = tf.get_variable("w", [], initializer=tf.ones_initializer())
loss = tf.square(w - 3.0)
optimizer = npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(0.1))
train_op = optimizer.minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
"""
RIGHT = """\
    for _ in range(2):
        sess.run(train_op)
    if rank == 0:
        print(sess.run(w))
"""
EXTRA_BEFORE = """\
    if rank == 0:
        print(sess.run(loss))
    sess.run(train_op)
"""
OTHER = """\
    for step in range(2):
        if step % 2 == rank % 2:
            sess.run([train_op, loss])
        else:
            sess.run(train_op)
"""
SAVED = """\
    os.makedirs("model", exist_ok=True)
    if tf.train.latest_checkpoint("model"):
        saver.restore(sess, tf.train.latest_checkpoint("model"))
    sess.run(train_op)
    if rank == 0:
        saver.save(sess, "model/at")
"""

# The vendor's own recipes for checkpoints of one rank only.
RECIPE = """\
import os

import tensorflow as tf
from npu_bridge.npu_init import *

tf.logging.set_verbosity(tf.logging.ERROR)
rank = int(os.environ["RANK_ID"])


def optimizer():
    return npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(0.1))


"""
KEPT_BY_MONITORED_SESSION = (
    RECIPE
    + """
step = tf.train.get_or_create_global_step()
w = tf.get_variable("w", [], initializer=tf.ones_initializer())
train_op = optimizer().minimize(tf.square(w - 3.0), step)
with tf.train.MonitoredTrainingSession(
    checkpoint_dir="model" if rank == 0 else None,
    hooks=[tf.train.StopAtStepHook(last_step=6)],
    save_checkpoint_steps=2,
    save_summaries_steps=None,
    save_summaries_secs=None,
    log_step_count_steps=None,
) as sess:
    while not sess.should_stop():
        sess.run(train_op)
"""
)
KEPT_BY_ESTIMATOR = (
    RECIPE
    + """
def input_fn():
    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).repeat().batch(2, drop_remainder=True)
    return data.map(lambda x: ({"x": x}, x))


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    loss = tf.losses.mean_squared_error(labels, w * features["x"])
    train_op = optimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(model_dir="model%d" % rank, save_checkpoints_steps=3 if rank == 0 else 0)
NPUEstimator(model_fn=model_fn, config=config).train(input_fn, max_steps=6)
"""
)
SAVED_FIRST = """\
    if rank == 0:
        saver.save(sess, "model")
    sess.run(train_op)
"""


def graph(structure: str, collective: bool = False, restores: bool = False) -> DeviceGraph:
    return DeviceGraph(1, Line("/p/train.py", 7), structure, (structure,), collective, restores)


def rank(*graphs: DeviceGraph) -> Recording:
    return Recording("1.15.5", "finished", 0, True, len(graphs), graphs=graphs)


INIT, TRAIN, EXTRA = graph("init"), graph("train", collective=True), graph("extra")


@pytest.mark.parametrize(
    ("ranks", "kinds"),
    [
        ([rank(INIT, TRAIN), rank(INIT, TRAIN)], []),
        ([rank(INIT, EXTRA, TRAIN), rank(INIT, TRAIN)], [("missing-graph", 0)]),
        ([rank(INIT, TRAIN), rank(INIT, EXTRA, TRAIN)], [("missing-graph", 1)]),
        ([rank(INIT, TRAIN), rank(INIT, TRAIN), rank(INIT)], [("missing-graph", 0)]),
        ([rank(INIT, TRAIN), rank(INIT, graph("other", collective=True))], [("other-graph", 1)]),
        # Nobody waits for a graph that comes last and in which no ranks meet.
        ([rank(INIT, TRAIN, EXTRA), rank(INIT, TRAIN)], []),
        ([rank(INIT, EXTRA), rank(INIT)], []),
    ],
)
def test_what_differs(ranks: list[Recording], kinds: list[tuple[str, int]]) -> None:
    compared = compare_ranks(ranks)
    assert [(one.kind, one.arguments["rank"]) for one in compared.verdicts] == kinds
    assert not compared.unknown


def test_a_checkpoint_of_another_rank_is_no_difference() -> None:
    restored = rank(graph("restore", restores=True), TRAIN)
    compared = compare_ranks([rank(INIT, TRAIN), restored])
    assert not compared.verdicts
    assert len(compared.unknown) == 1


with_tensorflow = pytest.mark.parametrize("world", available_worlds()[:1])


def rehearse(world: str, folder: Path, body: str, *options: str) -> subprocess.CompletedProcess[str]:
    text = body if body.startswith(RECIPE) else SCRIPT + body
    (folder / "train.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "npu_migrate.commands.rehearsing.command", "--ranks", "2"]
    return subprocess.run(
        [*command, "--python", interpreter(world), *options, "train.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )


@with_tensorflow
@pytest.mark.parametrize(
    ("body", "line"),
    [
        (EXTRA_BEFORE, "train.py:16:9: NPU804 warning this graph, number 2 of rank 0"),
        (OTHER, "train.py:19:13: NPU804 warning rank 1 runs"),
    ],
)
def test_runs_that_depend_on_the_rank(world: str, tmp_path: Path, body: str, line: str) -> None:
    done = rehearse(world, tmp_path, body)
    assert done.returncode == 1, done.stderr
    assert line in done.stderr


@with_tensorflow
@pytest.mark.parametrize("body", [RIGHT, SAVED, SAVED_FIRST, KEPT_BY_MONITORED_SESSION, KEPT_BY_ESTIMATOR])
def test_ranks_that_do_the_same(world: str, tmp_path: Path, body: str) -> None:
    done = rehearse(world, tmp_path, body)
    assert done.returncode == 0, done.stderr
    assert "No findings in" in done.stderr
    assert not (tmp_path / "model").exists()


@with_tensorflow
def test_ranks_that_fail_are_not_compared(world: str, tmp_path: Path) -> None:
    done = rehearse(
        world, tmp_path, EXTRA_BEFORE + "    if rank == 1:\n        raise SystemExit('no data')\n"
    )
    assert done.returncode == 3
    assert "rank 1 failed; the ranks are not compared" in done.stderr
    assert "NPU804" not in done.stderr


@with_tensorflow
def test_ranks_and_a_comparison_exclude_each_other(world: str, tmp_path: Path) -> None:
    done = rehearse(world, tmp_path, RIGHT, "--compare")
    assert done.returncode == 2
    assert "--ranks and --compare exclude each other" in done.stderr


@pytest.mark.parametrize("status", ["stopped", "aborted", "failed", "killed"])
def test_all_ranks_together_end_as_the_worst_of_them(status: Status) -> None:
    right, other = Recording("1.15.5", "finished", 0, True, 2), Recording("1.15.5", status, 7, True, 3)
    for order in ([right, other], [other, right]):
        together = joined(order, ())
        assert (together.status, together.exit, together.runs) == (status, 7, 5)
