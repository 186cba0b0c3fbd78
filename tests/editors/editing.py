"""Projects that editors open in the tests, and what the command line makes of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from command import folder_with, tool
from fidelity import Tree, read_tree
from fixture_cases import FIXTURES

PATIENCE = 300
"""Seconds after which an editor that says nothing counts as dead."""

FIX_TITLE = "Make the iterator initializable and run its initializer"

WIDE = """\
import tensorflow as tf

dataset = tf.data.Dataset.range(8).batch(2, drop_remainder=True)
title = "迭代器😀"; iterator = dataset.make_one_shot_iterator()  # 取一批😀
batch = iterator.get_next()
train_op = tf.train.AdamOptimizer().minimize(tf.get_variable("w", []) * tf.to_float(batch))
with tf.Session() as sess:
    print(title, sess.run([batch, train_op]))
""".replace("\n", "\r\n")
"""NPU101 behind characters that take several units in every encoding but one; lines end as on Windows."""

LOOP = """\
from npu_bridge.npu_init import *
import settings

config = NPURunConfig(iterations_per_loop=settings.LOOP, save_checkpoints_steps=100)
estimator = NPUEstimator(model_fn=model_fn, config=config)
"""
"""NPU203 where ``settings.LOOP`` does not divide 100; NPU104 always."""

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


def project(**files: str) -> Tree:
    """The files of a project: modules by their names."""
    return {"pyproject.toml": b"", **{f"{name}.py": text.encode() for name, text in files.items()}}


PROJECTS = {
    "wide": project(train=WIDE),
    "two files": project(reader=READER, train=TRAINER),
    "windows": {
        "pyproject.toml": b"",
        **read_tree(FIXTURES / "NPU101-one-shot-iterator" / "windows-newlines-and-bom" / "before"),
    },
}
"""Projects with a ``train.py`` whose fixes the editors apply."""


def written(tree: Tree, *options: str) -> Tree:
    """What ``npu-migrate --write`` makes of a project."""
    with folder_with(tree) as folder:
        tool(".", "--write", *options)
        return read_tree(folder)


def path_with_server() -> str:
    """The search path of an editor that finds the server of this Python's environment first."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def is_running(process: int) -> bool:
    """Whether a process does anything; one that has ended and waits for its parent does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


@contextmanager
def started(command: list[str], folder: Path, home: Path) -> Iterator[subprocess.Popen[str]]:
    """A running editor in `folder`, whose user has nothing at home; it is killed at the end."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
        "PATH": path_with_server(),
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
    }
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def run_editor(command: list[str], folder: Path, home: Path, answers: str = "") -> None:
    """Run an editor until it ends, which must be well; `answers` is what its user types."""
    with started(command, folder, home) as process:
        output, _ = process.communicate(answers, timeout=PATIENCE)
    assert process.returncode == 0, output
