"""The inside of a world: imports TensorFlow once, then runs each script in a fork of itself.

Runs on Python 3.7 (TensorFlow 1.15) and 3.9-3.11 (TensorFlow 2.15), with the standard library only.
Reads one JSON job per line from standard input and answers with one JSON result per line:

    {"folder": "/x/before", "entry": "train.py", "eager": false, "seconds": 60}
    {"stdout": "...", "stderr": "...", "code": 0}

`code` is the exit code, or minus the signal that ended the script.
"""

import importlib
import json
import os
import runpy
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

STUBS = str(Path(__file__).resolve().with_name("stubs"))

WARM = {
    1: ("tensorflow.contrib", "tensorflow.python.data.ops.dataset_ops", "tensorflow.python.platform.test"),
    2: (
        "tensorflow.compat.v1",
        "tensorflow.compat.v1.data",
        "tensorflow.compat.v1.estimator",
        "tensorflow.python.data.ops.dataset_ops",
    ),
}
"""What scripts commonly import, by TensorFlow's major version: loaded before the first fork."""


def major_version():
    return int(importlib.import_module("tensorflow").__version__.split(".")[0])


def warm_up(major):
    for name in WARM[major]:
        importlib.import_module(name)
    # Lazy parts that nearly every script touches.
    tf = importlib.import_module("tensorflow")
    v1 = tf if major == 1 else tf.compat.v1
    for part in (v1.estimator.Estimator, v1.train.MonitoredTrainingSession, v1.test.TestCase):
        assert part


def become_graph_mode(major):
    """Makes ``import tensorflow`` mean TensorFlow 1 in graph mode, with variables that race with nothing."""
    tf = importlib.import_module("tensorflow")
    if major == 1:
        tf.compat.v1.enable_resource_variables()
        return
    v1 = tf.compat.v1
    v1.disable_v2_behavior()
    v1.enable_resource_variables()
    v1.__path__ = list(v1.__path__) + list(tf.__path__)
    sys.modules["tensorflow"] = v1


def run_script(job, major, scratch):
    """The child's life: becomes the script and never returns."""
    code = 1
    try:
        os.chdir(scratch)
        tempfile.tempdir = scratch
        sys.path[:0] = [str(Path(job["folder"], job["entry"]).parent), STUBS]
        sys.argv = [str(Path(job["folder"], job["entry"]))]
        if not job["eager"]:
            become_graph_mode(major)
        if job["entry"].endswith(".ipynb"):
            run_notebook(sys.argv[0])
        else:
            runpy.run_path(sys.argv[0], run_name="__main__")
        code = 0
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            code = stop.code or 0
        else:
            sys.stderr.write(str(stop.code) + "\n")
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Leave without TensorFlow's exit handlers: they may wait for threads that did not survive the fork.
        os._exit(code)


def run_notebook(path):
    """Runs the code cells in their order, without their magics and commands."""
    namespace = {"__name__": "__main__"}
    for number, cell in enumerate(json.loads(Path(path).read_text(encoding="utf-8"))["cells"], 1):
        lines = "".join(cell["source"]).splitlines(True)
        if cell["cell_type"] == "code" and lines and not lines[0].startswith("%%"):
            code = "".join(line for line in lines if not line.startswith(("%", "!")))
            exec(compile(code, f"cell {number}", "exec"), namespace)


def wait_for(child, seconds):
    """The child's exit code; a child that takes longer than `seconds` is killed."""
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            end = float("inf")
        time.sleep(0.01)


def run(job, major):
    scratch = tempfile.mkdtemp(prefix="npu-migrate-run-")
    try:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if child == 0:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                run_script(job, major, scratch)
            code = wait_for(child, job["seconds"])
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read().decode("utf-8", "replace"))
        return {"stdout": texts[0], "stderr": texts[1], "code": code}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.dont_write_bytecode = True
    warnings.simplefilter("ignore")
    major = major_version()
    warm_up(major)
    for line in sys.stdin:
        answers.write(json.dumps(run(json.loads(line), major)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
