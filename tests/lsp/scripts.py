"""Scripts with findings, for the tests of the server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ITERATOR = """\
import tensorflow as tf

title = "迭代器😀"
dataset = tf.data.Dataset.range(8).batch(2, drop_remainder=True)
iterator = dataset.make_one_shot_iterator()
batch = iterator.get_next()
train_op = tf.train.AdamOptimizer().minimize(tf.get_variable("w", []) * tf.to_float(batch))
with tf.Session() as sess:
    print(title, sess.run([batch, train_op]))
"""
"""NPU101, with a safe fix."""

LOOP = """\
from npu_bridge.npu_init import *
import settings

config = NPURunConfig(iterations_per_loop=settings.LOOP, save_checkpoints_steps=100)
estimator = NPUEstimator(model_fn=model_fn, config=config)
"""
"""NPU104, with a safe fix, and NPU203, with an unsafe one, where ``settings.LOOP`` does not divide 100."""

READER = """\
import tensorflow as tf


def inputs(batch_size):
    dataset = tf.data.Dataset.range(40).batch(batch_size, drop_remainder=True)
    numbers = dataset.make_one_shot_iterator()
    return numbers.get_next()
"""
TRAINER = """\
import reader
import tensorflow as tf

batch = reader.inputs(5)
train_op = tf.train.AdamOptimizer().minimize(tf.get_variable("w", []) * tf.to_float(batch))
session = tf.Session()
session.run(tf.global_variables_initializer())
print(session.run([batch, train_op]))
"""
"""The session for the iterator in `READER`: the fix changes both files."""


def project(folder: Path, files: Mapping[str, str]) -> Path:
    """A project with these files; returns its folder."""
    for name, text in {"pyproject.toml": "", **files}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return folder
