"""The inside of a world: imports TensorFlow once, then rehearses each script in a fork of itself.

Runs on Python 3.7 (TensorFlow 1.15) and 3.9-3.11 (TensorFlow 2.15), with the standard library only. What
becomes the script, imitates `npu_bridge` and judges is the product's own (`npu_migrate/rehearsal/inside`).
The first line of standard input are the tables that it is given. Each further line is a job, answered by one
result per line:

    {"folder": "/x", "entry": "a.py", "mode": "imitate", "take_over": false, "record": false, "seconds": 60}
    {"stdout": "...", "stderr": "...", "code": 0, "events": ["...", ...]}

`code` is the exit code, or minus the signal that ended the script; `events` are the lines that the product
wrote.
"""

import gc
import importlib
import importlib.util
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

INSIDE = Path(__file__).resolve().parents[2] / "npu_migrate" / "rehearsal" / "inside"

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


def warm_up():
    major = int(importlib.import_module("tensorflow").__version__.split(".")[0])
    for name in WARM[major]:
        importlib.import_module(name)
    # Lazy parts that nearly every script touches.
    tf = importlib.import_module("tensorflow")
    v1 = tf if major == 1 else tf.compat.v1
    for part in (v1.estimator.Estimator, v1.train.MonitoredTrainingSession, v1.test.TestCase):
        assert part
    # The imitation of npu_bridge, which each job imports, imports this.
    assert v1.keras.layers.Layer


def load_inside():
    """The module of the product that rehearses."""
    spec = importlib.util.spec_from_file_location("inside", str(INSIDE / "__main__.py"))
    main = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(main)
    return main.load()


def run_script(job, tables, rehearsing, scratch):
    """The child's life: becomes the script and never returns."""
    code = 1
    try:
        os.chdir(scratch)
        tempfile.tempdir = scratch
        code = rehearsing.rehearse(request_of(job, tables, scratch))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Leave without TensorFlow's exit handlers: they may wait for threads that did not survive the fork.
        os._exit(code)


def request_of(job, tables, scratch):
    folder, script = job["folder"], Path(job["folder"], job["entry"])
    if script.suffix == ".ipynb":
        sys.path.insert(0, folder)
        folder, script = scratch, as_script(script, Path(scratch, script.stem + ".py"))
    return {
        "version": 1,
        "script": str(script),
        "arguments": [],
        "folder": scratch,
        "root": folder,
        "mode": job["mode"],
        "max_runs": None,
        "record": job["record"],
        "deterministic": True,
        "take_over": job["take_over"],
        "events": str(Path(scratch, EVENTS)),
        "tables": tables,
    }


EVENTS = ".events.jsonl"


def as_script(notebook, script):
    """The code cells in their order, without their magics and commands."""
    lines = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        code = "".join(cell["source"]).splitlines()
        if cell["cell_type"] == "code" and code and not code[0].startswith("%%"):
            lines += (line for line in code if not line.startswith(("%", "!")))
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return script


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
        time.sleep(0.002)


def run(job, tables, rehearsing):
    scratch = tempfile.mkdtemp(prefix="npu-migrate-run-")
    try:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if child == 0:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                run_script(job, tables, rehearsing, scratch)
            code = wait_for(child, job["seconds"])
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read().decode("utf-8", "replace"))
        events = Path(scratch, EVENTS)
        lines = events.read_text(encoding="utf-8").splitlines() if events.exists() else []
        return {"stdout": texts[0], "stderr": texts[1], "code": code, "events": lines}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def main():
    # The folder of this file: what a script imports is not looked for in it.
    del sys.path[0]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.dont_write_bytecode = True
    warnings.simplefilter("ignore")
    warm_up()
    rehearsing = load_inside()
    # What is here now stays as long as the process: no child looks through TensorFlow's objects for garbage,
    # which would also copy the memory that they lie in.
    gc.collect()
    gc.freeze()
    tables = json.loads(sys.stdin.readline())
    for line in sys.stdin:
        answers.write(json.dumps(run(json.loads(line), tables, rehearsing)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
