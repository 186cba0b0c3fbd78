"""A script in its own process: what it sees of itself, how it ends, and what is written of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from runtime.worlds import available_worlds, interpreter

from npu_migrate.rehearsal.processes import INSIDE, run_script
from npu_migrate.rehearsal.protocol import Mode, Recording, RunRequest
from npu_migrate.rehearsal.tables import tables

WORLDS = available_worlds()

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
SELF = """\
import os
import sys

print(sys.argv, __name__, os.path.basename(__file__), sys.path[0] == os.path.dirname(__file__))
print(sys.modules["__main__"].__dict__ is globals(), os.getcwd() == os.path.dirname(__file__))
import hccl, mx_rec, npu_bridge, helper, places

print(npu_bridge.__doc__.split(":")[0], helper.NAME, places.NAME)
sys.exit(int(sys.argv[1]))
"""


def run(
    world: str,
    folder: Path,
    text: str,
    mode: Mode = "judge",
    max_runs: int | None = None,
    arguments: tuple[str, ...] = (),
) -> Recording:
    script = folder / "train.py"
    script.write_text(text, encoding="utf-8")
    python = interpreter(world)
    assert python is not None
    request = RunRequest(str(script), arguments, str(folder), str(folder), mode, max_runs)
    return run_script(str(python), request, tables())


WORKER = (
    TRAINING
    + """
with tf.Session(config=npu_config_proto()) as sess:
    sess.run([tf.global_variables_initializer(), iterator.initializer])
    sess.run(step)
    print("trained")
"""
)
STARTS_WORKER = """\
import os
import subprocess
import sys

print(subprocess.check_output([sys.executable, "worker.py"]).decode().strip(), flush=True)
print(subprocess.check_output([sys.executable, "-c", "print(6 * 7)"]).decode().strip(), flush=True)
code = "from hccl.manage.api import get_rank_size; print(get_rank_size())"
print(subprocess.check_output([sys.executable, "-c", code]).decode().strip(), flush=True)
"""
SPAWNS_WORKER = """\
import multiprocessing


def work(queue):
    import worker

    queue.put(worker.tf.__name__)


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    print(queue.get(timeout=100))
    process.join()
"""


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("text", [STARTS_WORKER, SPAWNS_WORKER])
def test_processes_that_the_script_starts_are_judged(
    world: str, text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "worker.py").write_text(WORKER)
    recording = run(world, tmp_path, text)
    out, err = capfd.readouterr()
    assert (recording.status, recording.exit, recording.mishaps) == ("finished", 0, ()), err
    assert out.count("trained") == 1
    assert (recording.on_npu, recording.runs) == (True, 2)
    found = [one for one in recording.verdicts if one.code == "NPU108"]
    assert [Path(one.place.path).name for one in found if one.place] == ["worker.py"]
    if text is STARTS_WORKER:
        assert out.endswith("42\n1\n")
        assert [one.code for one in recording.verdicts] == ["NPU108", "NPU801"]


@pytest.mark.parametrize("world", WORLDS)
def test_the_script_is_itself(world: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its own modules win over those of the rehearsal; the NPU's packages are the imitations."""
    for name in ("helper", "places"):
        (tmp_path / f"{name}.py").write_text(f"NAME = 'own {name}'\n")
    real = tmp_path / "npu_bridge"
    real.mkdir()
    (real / "__init__.py").write_text("raise ImportError('the real one')\n")
    recording = run(world, tmp_path, SELF, arguments=("7", "--flag"))
    printed = capfd.readouterr().out.splitlines()
    assert printed == [
        f"['{tmp_path / 'train.py'}', '7', '--flag'] __main__ train.py True",
        "True True",
        "An imitation of the Ascend adapter `npu_bridge` own helper own places",
    ]
    assert (recording.status, recording.exit, recording.on_npu) == ("failed", 7, False)


INSIDE_NAMES = sorted(
    {one.stem for one in INSIDE.rglob("*.py") if "imitations" not in one.parts}
    | {one.name for one in INSIDE.rglob("*") if one.is_dir() and "imitations" not in one.parts[:-1]}
    - {"__pycache__"}
)
"""What the modules and folders of `inside` are called, but for those of the imitated packages."""

LOOKS_FOR_NAMES = """\
import importlib.util
import subprocess
import sys
import tensorflow


def ours():
    specs = {name: importlib.util.find_spec(name) for name in NAMES if name != "__main__"}
    found = {name for name, spec in specs.items() if spec and str(spec.origin or "").startswith(INSIDE)}
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(INSIDE):
            found.add(name.split(".")[0])
    return sorted(found | {path for path in sys.path if path.startswith(INSIDE)})


print(ours(), flush=True)
if len(sys.argv) == 1:
    subprocess.run([sys.executable, __file__, "again"])
"""


@pytest.mark.parametrize("world", WORLDS)
def test_modules_of_the_rehearsal_have_no_bare_names(
    world: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither the script finds them, nor what TensorFlow imports, nor a process that the script starts."""
    assert {"requests", "events", "script", "child", "sitecustomize"} <= set(INSIDE_NAMES)
    assert not set(INSIDE_NAMES) & (sys.stdlib_module_names - {"__main__"})
    text = f"NAMES = {INSIDE_NAMES}\nINSIDE = {str(INSIDE)!r}\n{LOOKS_FOR_NAMES}"
    assert run(world, tmp_path, text).exit == 0
    assert capfd.readouterr().out.splitlines() == [
        "['npu_rehearsal']",
        "['npu_rehearsal', 'sitecustomize']",
    ]


@pytest.mark.parametrize("world", WORLDS)
def test_what_tensorflow_imports_lies_beside_the_script(
    world: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """TensorFlow's Keras imports `requests`, where there is one."""
    (tmp_path / "requests.py").write_text("class Session:\n    own = True\n")
    text = "import tensorflow\nfrom requests import Session\n\nprint(Session.own)\n"
    assert run(world, tmp_path, text).exit == 0
    assert capfd.readouterr().out == "True\n"


@pytest.mark.parametrize("world", WORLDS)
def test_a_traceback_is_the_scripts_own(
    world: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = TRAINING + "\nwith tf.Session() as sess:\n    sess.run(step)\n"
    recording = run(world, tmp_path, text, "imitate")
    shown = capfd.readouterr().err
    assert (recording.status, recording.exit) == ("failed", 1)
    assert "Traceback (most recent call last):" in shown
    assert 'train.py", line 12, in <module>' in shown
    assert "rehearsal/inside" not in shown
    assert "runpy" not in shown


@pytest.mark.parametrize("world", WORLDS)
def test_a_monitored_training_is_stopped(
    world: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = (
        "import atexit\natexit.register(print, 'exit handler')\n"
        + TRAINING
        + """
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
try:
    with tf.train.MonitoredTrainingSession() as sess:
        while not sess.should_stop():
            try:
                sess.run(step)
            except Exception as error:
                print("caught", error)
finally:
    print("finally")
print("never")
"""
    )
    recording = run(world, tmp_path, text, max_runs=20)
    assert (recording.status, recording.exit, recording.runs) == ("stopped", 0, 20)
    assert capfd.readouterr().out == "finally\nexit handler\n"


@pytest.mark.parametrize("world", WORLDS)
def test_who_cannot_be_stopped_is_ended(world: str, tmp_path: Path) -> None:
    text = (
        TRAINING
        + """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    while True:
        try:
            sess.run(weight)
        except BaseException:
            pass
"""
    )
    recording = run(world, tmp_path, text, max_runs=5)
    assert (recording.status, recording.exit, recording.runs) == ("stopped", 0, 5)


@pytest.mark.parametrize("world", WORLDS)
def test_variables_without_resources(world: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """TensorFlow 1's own variables, which are references; the tests' worlds have resources."""
    text = (
        TRAINING
        + """
with tf.Session() as sess:
    sess.run([tf.variables_initializer([weight, count]), iterator.initializer])
    print(weight.dtype.name, *sess.run([weight, count]))
"""
    )
    recording = run(world, tmp_path, text, "imitate")
    assert capfd.readouterr().out == "float32_ref 0.0 0\n"
    (verdict,) = recording.verdicts
    assert (verdict.code, verdict.arguments["variables"]) == ("NPU108", ["weight:0"])
    assert [one.role for one in verdict.related] == ["iterator", "variable"]
