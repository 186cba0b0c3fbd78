#!/usr/bin/env python3
"""What a rehearsal costs beside the plain run:  python benchmarks/rehearsal.py [ROUNDS]

A script with 200 session runs, whose session reaches the NPU, is run as it is and rehearsed, each in a
process of its own, one after the other. Of each there are ROUNDS (5); a ratio is that of one round, and the
median is shown, by the clock and on the processor.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from rounds import rounds_asked

REPOSITORY = Path(__file__).resolve().parents[1]
TARGET = 1.5
PYTHONS = ("1.15", "2.15")

SCRIPT = """\
import numpy as np
import tensorflow{compat} as tf

{graph_mode}
tf.logging.set_verbosity(tf.logging.ERROR)
x = np.random.RandomState(1).uniform(-1.0, 1.0, [2048, 64]).astype(np.float32)
dataset = tf.data.Dataset.from_tensor_slices((x, np.sin(x[:, :1])))
iterator = dataset.shuffle(2048, seed=2).repeat().batch(256).make_initializable_iterator()
features, labels = iterator.get_next()
for size in (256, 256, 256, 1):
    weights = tf.get_variable("w%d" % len(tf.global_variables()), [features.shape[1], size])
    features = tf.matmul(features, weights)
    features = tf.nn.relu(features) if size > 1 else features
loss = tf.reduce_mean(tf.square(features - labels))
train_op = tf.train.AdamOptimizer(0.001).minimize(loss)
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    for step in range(198):
        sess.run([loss, train_op])
"""


class Cost(NamedTuple):
    """Seconds by the clock and on the processor."""

    clock: float
    processor: float


def main() -> None:
    rounds = rounds_asked(__doc__)
    print("| TensorFlow | run | clock, s | processor, s | ratio, clock | ratio, processor | target |")
    print("|---|---|---|---|---|---|---|")
    for version in PYTHONS:
        python = REPOSITORY / ".cache" / f"tensorflow-{version}" / "bin" / "python"
        if python.exists():
            measure(version, str(python), rounds)


def measure(version: str, python: str, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        script = Path(name, "train.py")
        script.write_text(text_for(version), encoding="utf-8")
        rehearse = [sys.executable, "-m", "npu_migrate.commands.rehearsing.command", "--python", python]
        costs = [(cost([python, str(script)]), cost([*rehearse, str(script)])) for _ in range(rounds)]
    for number, what in enumerate(("as it is", "rehearsed")):
        clock = statistics.median(pair[number].clock for pair in costs)
        processor = statistics.median(pair[number].processor for pair in costs)
        ratios = "|  |  |  |"
        if number:
            by_clock = statistics.median(pair[1].clock / pair[0].clock for pair in costs)
            by_processor = statistics.median(pair[1].processor / pair[0].processor for pair in costs)
            met = "met" if by_clock <= TARGET else "**missed**"
            ratios = f"| {by_clock:.2f} | {by_processor:.2f} | ≤ {TARGET}: {met} |"
        print(f"| {version} | {what} | {clock:.2f} | {processor:.2f} {ratios}", flush=True)


def text_for(version: str) -> str:
    """The script, as it is written for that TensorFlow."""
    if version.startswith("1."):
        return SCRIPT.format(compat="", graph_mode="")
    return SCRIPT.format(compat=".compat.v1", graph_mode="tf.disable_v2_behavior()\n")


def cost(command: list[str]) -> Cost:
    """What a process and those that it starts take. Raises `RuntimeError` if it fails."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "PYTHONPATH": str(REPOSITORY)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
    clock = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return Cost(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


if __name__ == "__main__":
    main()
