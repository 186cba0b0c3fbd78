"""``npu-rehearse`` as a user calls it: what goes where, what it ends with, and its one-line errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import pytest
from fidelity import Tree, read_tree, write_tree
from runtime.worlds import available_worlds, interpreter

from npu_migrate.commands.rehearsing.command import command
from npu_migrate.rehearsal.processes import INSIDE
from npu_migrate.reports.json import report_schema

REPOSITORY = Path(__file__).resolve().parents[2]
WORLD = next(iter(available_worlds()), None)
"""The oldest TensorFlow, which takes half the time to start; `inside/` is started under each."""

with_tensorflow = pytest.mark.parametrize("world", [WORLD] if WORLD else [])

RIGHT = b"""\
import sys

import tensorflow as tf
from npu_bridge.npu_init import *

tf.logging.set_verbosity(tf.logging.ERROR)
iterator = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 4.0]).repeat().make_initializable_iterator()
w = tf.get_variable("w", [], initializer=tf.ones_initializer())
loss = tf.square(w - iterator.get_next())
train_op = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
config = tf.ConfigProto()
entry = config.graph_options.rewrite_options.custom_optimizers.add()
entry.name = "NpuOptimizer"
entry.parameter_map["enable_data_pre_proc"].b = True
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    for _ in range(int(sys.argv[1]) if sys.argv[1:] else 3):
        print("%.4f" % sess.run([loss, train_op])[0])
"""
LINE = b"""\
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
"""
WRONG = RIGHT.replace(LINE, b"    sess.run([tf.global_variables_initializer(), iterator.initializer])\n")
UNPORTED = b"""\
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
x = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 4.0]).repeat().make_one_shot_iterator().get_next()
w = tf.get_variable("w", [], initializer=tf.random_normal_initializer())
loss = tf.square(w - x)
train_op = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print("%.4f" % sess.run([loss, train_op])[0])
"""
TRAINED = "0.0000\n1.0000\n6.7600\n"


def rehearse(
    folder: Path, *arguments: str, world: str | None = WORLD, python: str | None = None
) -> subprocess.CompletedProcess[str]:
    named = python or (str(interpreter(world)) if world else "")
    return subprocess.run(
        words(*(("--python", named) if named else ()), *arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
    )


def words(*arguments: str) -> Sequence[str]:
    return [sys.executable, "-m", command.callback.__module__, *arguments]  # type: ignore[union-attr]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONWARNINGS": "ignore"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    tree: Tree = {"right.py": RIGHT, "wrong.py": WRONG, "unported.py": UNPORTED}
    write_tree(tmp_path, tree)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def last_lines(text: str, number: int) -> list[str]:
    return text.splitlines()[-number:]


# -- one run -----------------------------------------------------------------------------------------------


@with_tensorflow
def test_a_right_script(project: Path, world: str) -> None:
    done = rehearse(project, "--imitate", "right.py")
    assert (done.returncode, done.stdout) == (0, TRAINED), done.stderr
    assert last_lines(done.stderr, 1)[0].startswith("No findings in 5 session runs (TensorFlow ")


@with_tensorflow
def test_a_wrong_script(project: Path, world: str) -> None:
    """The verdict stands on the line of the run; without --imitate the numbers are those of a CPU."""
    done = rehearse(project, "wrong.py")
    assert (done.returncode, done.stdout) == (1, TRAINED), done.stderr
    assert "wrong.py:16:5: NPU108 error" in done.stderr
    assert "Found: 1 error in 1 file, in 4 session runs (TensorFlow " in done.stderr


@with_tensorflow
def test_a_wrong_script_imitated(project: Path, world: str) -> None:
    done = rehearse(project, "--imitate", "wrong.py")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "1.0000"


@with_tensorflow
def test_arguments_behind_the_script_are_its_own(project: Path, world: str) -> None:
    text = "import os, sys\nprint(os.path.basename(sys.argv[0]), sys.argv[1:], __name__, sys.path[0])\n"
    (project / "echo.py").write_text(text)
    done = rehearse(project, "echo.py", "--compare", "-h", "--", "x")
    assert done.stdout == f"echo.py ['--compare', '-h', '--', 'x'] __main__ {project}\n"
    assert done.returncode == 0


@with_tensorflow
def test_what_never_reaches_the_npu_was_not_judged(project: Path, world: str) -> None:
    done = rehearse(project, "unported.py")
    assert done.returncode == 0
    assert "Nothing was judged: none of 4 session runs" in done.stderr


@with_tensorflow
def test_a_long_training_is_ended(project: Path, world: str) -> None:
    done = rehearse(project, "--max-runs", "4", "right.py", "1000")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2), done.stderr
    assert "Stopped after 4 session runs, as --max-runs asks." in done.stderr


@with_tensorflow
@pytest.mark.parametrize(
    ("text", "seen"),
    [("raise KeyError('mine')", "KeyError: 'mine'"), ("import sys; sys.exit(5)", "failed with exit code 5")],
)
def test_a_script_that_fails_by_itself(project: Path, world: str, text: str, seen: str) -> None:
    (project / "bad.py").write_text(f"def f():\n    {text}\n\n\nf()\n")
    done = rehearse(project, "bad.py")
    assert done.returncode == 3
    assert seen in done.stderr
    assert str(INSIDE) not in done.stderr


@with_tensorflow
def test_a_script_that_is_killed(project: Path, world: str) -> None:
    (project / "bad.py").write_text("import os\nos.kill(os.getpid(), 9)\n")
    done = rehearse(project, "bad.py")
    assert done.returncode == 3
    assert "npu-rehearse: the script was ended by signal 9" in done.stderr


@with_tensorflow
def test_ctrl_c(project: Path, world: str) -> None:
    (project / "long.py").write_text("import time\nprint('started', flush=True)\ntime.sleep(600)\n")
    process = subprocess.Popen(
        words("--python", str(interpreter(world)), "long.py"),
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    os.killpg(process.pid, signal.SIGINT)
    started = time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert last_lines(errors, 1) == ["npu-rehearse: interrupted after 0 session runs"]
    assert time.monotonic() - started < 15


# -- reports -----------------------------------------------------------------------------------------------


@with_tensorflow
def test_the_json_report(project: Path, world: str) -> None:
    done = rehearse(project, "--format", "json", "--output-file", "report.json", "wrong.py")
    assert done.returncode == 1
    assert "NPU108" not in done.stderr
    document = json.loads((project / "report.json").read_text())
    jsonschema.Draft202012Validator(report_schema()).validate(document)
    (finding,) = document["findings"]
    assert (finding["code"], finding["path"], finding["seen"]) == ("NPU108", "wrong.py", "run")
    assert document["runs"] == 4


@with_tensorflow
@pytest.mark.parametrize("form", ["text", "sarif", "rdjson", "github", "gitlab", "junit", "csv", "html"])
def test_every_format_has_the_verdict(project: Path, world: str, form: str) -> None:
    done = rehearse(project, "--max-runs", "1", "--format", form, "--output-file", "report", "wrong.py")
    assert done.returncode == 1, done.stderr
    report = (project / "report").read_text()
    assert "NPU108" in report or "variables-initialized-with-iterator" in report
    assert "\x1b" not in report


@with_tensorflow
@pytest.mark.parametrize(
    "accepted",
    [
        {"wrong.py": WRONG.replace(b"initializer])", b"initializer])  # npu-migrate: ignore[NPU108]")},
        {"pyproject.toml": b'[tool.npu-migrate]\nignore = ["NPU1"]\n'},
    ],
    ids=["comment", "setting"],
)
def test_a_verdict_can_be_accepted(project: Path, world: str, accepted: Tree) -> None:
    write_tree(project, accepted)
    done = rehearse(project, "wrong.py")
    assert done.returncode == 0, done.stderr


@with_tensorflow
def test_the_python_of_the_settings(project: Path, world: str) -> None:
    python = str(interpreter(world))
    (project / "pyproject.toml").write_text(f"[tool.npu-migrate]\nrehearsal-python = {json.dumps(python)}\n")
    done = rehearse(project, "right.py", world=None)
    assert (done.returncode, done.stdout) == (0, TRAINED)


# -- copies ------------------------------------------------------------------------------------------------


@with_tensorflow
def test_a_migrated_copy(project: Path, world: str) -> None:
    before = read_tree(project)
    done = rehearse(project, "--migrate", "unported.py")
    assert done.returncode == 0, done.stderr
    assert "Rehearsed a migrated copy: 1 fix in 1 file." in done.stderr
    assert read_tree(project) == before


@with_tensorflow
def test_a_script_for_a_gpu_is_ported_first(project: Path, world: str) -> None:
    before = read_tree(project)
    plain, ported = (rehearse(project, *options, "unported.py") for options in ([], ["--port"]))
    assert "Nothing was judged" in plain.stderr
    assert ported.returncode == 0, ported.stderr
    assert "Rehearsed a migrated copy" in ported.stderr
    assert "No findings in" in ported.stderr
    assert read_tree(project) == before


@with_tensorflow
def test_a_script_that_trains_the_same(project: Path, world: str) -> None:
    """It draws its first value at random, without a seed: both runs get the same."""
    before = read_tree(project)
    report = project.parent / "report.json"
    done = rehearse(project, "--compare", "--format", "json", "--output-file", str(report), "unported.py")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 6 and lines[:3] == lines[3:]
    assert json.loads(report.read_text())["compared"] == {"steps": 3, "first_difference": None}
    assert "The same as on plain TensorFlow: 3 session runs that fetch numbers, and 3 printed lines." in (
        done.stderr
    )
    assert "Both runs had the seeds of the rehearsal" in done.stderr
    assert read_tree(project) == before


@with_tensorflow
def test_a_mistake_that_a_fix_mends(project: Path, world: str) -> None:
    done = rehearse(project, "--compare", "wrong.py")
    assert done.returncode == 0, done.stderr
    assert "Rehearsed a migrated copy: 1 fix in 1 file." in done.stderr


@with_tensorflow
def test_a_script_that_trains_otherwise(project: Path, world: str) -> None:
    (project / "pyproject.toml").write_text('[tool.npu-migrate]\nignore = ["NPU108"]\n')
    done = rehearse(project, "--compare", "wrong.py")
    assert done.returncode == 1
    assert "The first difference is in Square:0, session run 1 (wrong.py:18):" in done.stderr
    assert "  as it is:    0.0\n  on the NPU:  1.0\n" in done.stderr


@with_tensorflow
def test_two_runs_that_are_compared_do_not_meet(project: Path, world: str) -> None:
    """The second would go on from the checkpoint of the first."""
    (project / "counts.py").write_text(
        "import os\nnumber = len(os.listdir('kept')) if os.path.isdir('kept') else 0\n"
        "os.makedirs('kept/%d' % number)\nprint(number, os.path.exists('right.py'))\n"
    )
    done = rehearse(project, "--compare", "counts.py")
    assert (done.returncode, done.stdout) == (0, "0 True\n0 True\n"), done.stderr
    assert not (project / "kept").exists()


@with_tensorflow
def test_a_script_that_fails_as_it_is_is_not_compared(project: Path, world: str) -> None:
    (project / "bad.py").write_text("raise KeyError('mine')\n")
    done = rehearse(project, "--compare", "bad.py")
    assert done.returncode == 3
    assert last_lines(done.stderr, 1) == ["npu-rehearse: the script, as it is, failed with exit code 1"]


# -- wrong use ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name the script to run (see --help)"),
        (["nothing.py"], "nothing.py: does not exist"),
        (["."], ". is a folder; name the script that is started"),
        (["a.ipynb"], "a.ipynb is a notebook; export it as a script first"),
        (["--unsafe-fixes", "right.py"], "--unsafe-fixes goes with --migrate, --port or --compare"),
        (["--max-runs", "0", "right.py"], "Invalid value for '--max-runs'"),
        (["--format", "github-review", "right.py"], "Invalid value for '--format'"),
        (["--output-file", "a/b", "right.py"], "--output-file: the folder of a/b does not exist"),
        (["--output-file", ".", "right.py"], "--output-file: . is a folder"),
        (["--config", "none.toml", "right.py"], "none.toml: does not exist"),
        (["--python", "/nowhere/python", "right.py"], "--python: /nowhere/python is no program"),
        (["--python", sys.executable, "right.py"], f"--python: {sys.executable} has no TensorFlow"),
    ],
)
def test_wrong_use_takes_one_line(project: Path, arguments: list[str], message: str) -> None:
    (project / "a.ipynb").write_text("{}")
    done = rehearse(project, *arguments, world=None)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"npu-rehearse: error: {message}")
    assert done.stderr.count("\n") == 1


def test_the_version_and_the_help() -> None:
    for option in ("--version", "--help"):
        done = rehearse(REPOSITORY, option, world=None)
        assert (done.returncode, done.stderr) == (0, "")
