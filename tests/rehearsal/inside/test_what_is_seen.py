"""What is seen of a script, whatever goes wrong meanwhile: under TensorFlows that are there already.

What a script's own process is like is tried in `test_script_process.py` and `test_script_surroundings.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from runtime.worlds import Job, Outcome, Worlds, available_worlds

WORLDS = available_worlds()
Run = Callable[..., Outcome]
"""From a world, the text of a script and perhaps whether fetched numbers are kept."""

TRAINING = """\
import tensorflow as tf
from npu_bridge.npu_init import *

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).repeat()
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
count = tf.train.get_or_create_global_step()
weight = tf.Variable(5.0, name="weight")
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(weight * x - x), count)
"""
WORKER = (
    TRAINING
    + """
with tf.Session(config=npu_config_proto()) as sess:
    sess.run([tf.global_variables_initializer(), iterator.initializer])
    sess.run(step)
    print("trained")
"""
)


@pytest.fixture
def run(worlds: Worlds, tmp_path: Path) -> Run:
    def ran(world: str, text: str, record: bool = False) -> Outcome:
        (tmp_path / "train.py").write_text(text, encoding="utf-8")
        return worlds[world].submit(Job(str(tmp_path), "train.py", "judge", False, record=record)).result()

    return ran


@pytest.mark.parametrize("world", WORLDS)
def test_what_is_fetched_is_recorded(world: str, run: Run) -> None:
    text = (
        TRAINING
        + """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    sess.run({"a": [weight, x * float("nan")], "b": tf.no_op(), "c": tf.constant([["x", "y"]])})
    sess.run(tf.range(1000))
    sess.run([tf.constant([True, False]), tf.constant(float("-inf")), tf.constant(3, tf.int64)])
"""
    )
    recording = run(world, text, record=True).recording
    values = [list(one.fetches.values()) for one in recording.fetched]
    assert values[:3] == [[], [], [5.0, "nan", [["x", "y"]]]]
    assert values[3][0].keys() == {"shape", "digest"}
    assert values[3][0]["shape"] == [1000]
    assert values[4] == [[True, False], "-inf", 3]
    assert [one.place.line for one in recording.fetched if one.place] == [12, 13, 14, 15, 16]


ESTIMATOR = """\
import numpy as np
import tempfile
import tensorflow as tf
from npu_bridge.npu_init import *

def model_fn(features, labels, mode):
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(w - features))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

def input_fn():
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0]).repeat().batch(2)

"""
NUMPY_STEPS = (
    ESTIMATOR
    + """
folder = tempfile.mkdtemp()
config = NPURunConfig(
    model_dir=folder, iterations_per_loop=4, save_checkpoints_steps=np.int64(6), enable_data_pre_proc=True
)
NPUEstimator(model_fn, config=config).train(input_fn, max_steps=np.int64(8))
print("trained")
"""
)
NUMPY_STEPS_OF_REC = (
    ESTIMATOR
    + """
from mx_rec.util.initialize import init

init(max_steps=4)
config = tf.estimator.RunConfig(tempfile.mkdtemp(), save_checkpoints_steps=None, save_checkpoints_secs=None)
tf.estimator.Estimator(model_fn, config=config).train(input_fn, max_steps=np.int64(8))
print("trained")
"""
)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("script", "code"), [(NUMPY_STEPS, "NPU203"), (NUMPY_STEPS_OF_REC, "NPU508")])
def test_numbers_of_numpy_are_numbers(world: str, run: Run, script: str, code: str) -> None:
    outcome = run(world, script)
    assert (outcome.recording.status, outcome.recording.mishaps) == ("finished", ())
    assert "trained" in outcome.stdout
    assert code in {one.code for one in outcome.verdicts}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    "judge",
    [
        "loops.judge_checkpoints",
        "loops.judge_settings",
        "loops.judge_steps",
        "loops.judge_loaded",
        "inputs.judge",
    ],
)
def test_a_judge_that_fails_is_not_the_failure_of_the_script(world: str, run: Run, judge: str) -> None:
    broken = "from npu_rehearsal.judging import inputs, loops\n\ndef fail(*seen):\n    yield 1 / 0\n\n"
    broken += f"{judge} = fail\n"
    outcome = run(world, broken + NUMPY_STEPS)
    assert outcome.recording.status == "finished"
    assert "trained" in outcome.stdout
    (mishap,) = outcome.recording.mishaps
    assert "ZeroDivisionError" in mishap


@pytest.mark.parametrize("world", WORLDS)
def test_a_run_that_cannot_be_described_is_not_judged(world: str, run: Run) -> None:
    broken = "from npu_rehearsal.watching import watcher\n\n"
    broken += "watcher.describe = watcher.graph_on_device = watcher.lost_values = lambda *seen: 1 / 0\n"
    outcome = run(world, broken + WORKER)
    assert outcome.recording.status == "finished"
    assert "trained" in outcome.stdout
    assert len(outcome.recording.mishaps) == 1


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("import npu_bridge.nowhere", "npu_bridge has no `nowhere`"),
        ("from npu_bridge.npu_init import nothing", "npu_bridge.npu_init has no `nothing`"),
        ("from npu_bridge import npu_init; npu_init.nothing", "npu_bridge.npu_init has no `nothing`"),
        ("import json; json.nothing", None),
        ("import nowhere", None),
    ],
)
def test_what_an_imitation_lacks_is_told_in_a_line(world: str, line: str, told: str | None, run: Run) -> None:
    outcome = run(world, line + "\n")
    assert outcome.code == 1
    last = outcome.stderr.splitlines()[-1]
    assert last.startswith(f"npu-rehearse: the rehearsal's imitation of {told};") == (told is not None)
