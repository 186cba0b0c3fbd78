"""A script that does as it likes with its process: descriptors, names, threads, forks and sudden ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from runtime.worlds import available_worlds, interpreter

from npu_migrate.rehearsal.processes import run_script
from npu_migrate.rehearsal.protocol import Recording, RunRequest
from npu_migrate.rehearsal.tables import tables

WORLDS = available_worlds()
TRAINING = """\
import os

import tensorflow as tf
from npu_bridge.npu_init import *

iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(3).repeat())
weight = tf.Variable(1.0)
more = weight.assign_add(1.0)


def wrong():
    # A fork has no use for the session of another process.
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), iterator.initializer])
        session.run(more)


"""


def run(world: str, folder: Path, text: str, max_runs: int | None = None) -> Recording:
    script = folder / "train.py"
    script.write_text(text, encoding="utf-8")
    python = interpreter(world)
    assert python is not None
    request = RunRequest(str(script), ("a",), str(folder), str(folder), "judge", max_runs, typed="train.py")
    return run_script(str(python), request, tables())


ENDS = {
    "os._exit": "wrong()\nos._exit(0)\n",
    "a signal": "wrong()\nos.kill(os.getpid(), 9)\n",
    "atexit": "import atexit\n\natexit.register(wrong)\n",
    "a fork": "if os.fork() == 0:\n    wrong()\n    os._exit(0)\nos.wait()\n",
    "a fork that goes on": "if os.fork() == 0:\n    wrong()\nelse:\n    os.wait()\n",
    "execv": """\
import sys

wrong() if sys.argv[1] == "b" else os.execv(sys.executable, [sys.executable, "train.py", "b"])
""",
}


@pytest.mark.parametrize("world", WORLDS[:1])
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_runs_are_counted_whatever_the_process_does(world: str, end: str, tmp_path: Path) -> None:
    recording = run(world, tmp_path, TRAINING + end)
    assert (recording.runs, recording.on_npu) == (2, True)
    assert [one.code for one in recording.verdicts] == ["NPU108"]


CLOSES = """\
os.closerange(3, 256)
log = open("log.txt", "w")
wrong()
log.write("step 1\\n")
log.close()
"""


@pytest.mark.parametrize("world", WORLDS)
def test_a_script_may_close_what_it_has_not_opened(world: str, tmp_path: Path) -> None:
    """Its own files may get the same numbers."""
    recording = run(world, tmp_path, TRAINING + CLOSES)
    assert (recording.status, recording.runs) == ("finished", 2)
    assert [one.code for one in recording.verdicts] == ["NPU108"]
    assert (tmp_path / "log.txt").read_text() == "step 1\n"


NAMES = """\
import os
import sys

print(sys.argv, os.path.isabs(__file__) == (sys.version_info >= (3, 9)), os.path.basename(__file__))
print(type(__builtins__).__name__, type(__loader__).__name__, __spec__, __package__)
__builtins__.profile = lambda function: function


@profile
def doubled(x):
    return 2 * x


print(doubled(21))
"""


@pytest.mark.parametrize("world", WORLDS)
def test_names_are_as_python_gives_them(
    world: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    recording = run(world, tmp_path, NAMES)
    assert recording.status == "finished"
    assert capfd.readouterr().out.splitlines() == [
        "['train.py', 'a'] True train.py",
        "module SourceFileLoader None None",
        "42",
    ]


THREAD = """\
import threading


def train():
    while True:
        session.run(more)


session = tf.Session()
session.run(tf.global_variables_initializer())
thread = threading.Thread(target=train)
thread.start()
thread.join()
print("joined")
"""
FEEDER = """\
import threading

queue = tf.FIFOQueue(2, [tf.float32])
put, got = queue.enqueue(1.0), queue.dequeue()


session = tf.Session()


def feed():
    while True:
        session.run(put)


threading.Thread(target=feed, daemon=True).start()
while True:
    session.run(got)
"""


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("body", [THREAD, FEEDER])
def test_a_training_in_another_thread_is_stopped(
    world: str, body: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    recording = run(world, tmp_path, TRAINING + body, max_runs=20)
    assert (recording.status, recording.exit) == ("stopped", 0)
    assert recording.runs >= 20
    if body is THREAD:
        assert recording.runs == 20
        assert capfd.readouterr().out == "joined\n"


@pytest.mark.parametrize("world", WORLDS[:1])
def test_a_traceback_shows_the_users_own_paths(
    world: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "train.py"
    script.write_text("raise ValueError('mine')\n")
    python = interpreter(world)
    assert python is not None
    request = RunRequest(str(script), (), str(tmp_path), str(tmp_path), "judge", origin="/home/user/project")
    assert run_script(str(python), request, tables()).exit == 1
    shown = capfd.readouterr().err
    assert 'File "/home/user/project/train.py", line 1' in shown
    assert str(tmp_path) not in shown
