#!/usr/bin/env python3
"""Tries the executable where there is no Python:  python3 executable/trial.py EXECUTABLE

Makes a root file system that has the executable, the C library and a small project, and nothing else, and
runs the commands there. It needs Linux, and root or user namespaces. `--tensorflow PYTHON` also rehearses a
script with this Python, outside of that file system. The exit code is 1 if anything is not as it should be,
and 2 if no such file system can be used here.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

OF_THE_C_LIBRARY = ("libdl.so.2", "libm.so.6", "libpthread.so.0", "librt.so.1", "libutil.so.1")
"""What belongs to glibc, and programs find on each system beside its libc."""

PROGRAMS = 80
"""So many that it pays to start processes."""

INPUT = """\
import tensorflow as tf


def input_fn():
    dataset = tf.data.Dataset.range(8).repeat().batch(2)
    return dataset.make_one_shot_iterator().get_next()
"""
TRAIN = """\
import tensorflow as tf
from npu_bridge.npu_init import *
from 数据 import input_fn

loss = tf.reduce_mean(tf.cast(input_fn(), tf.float32) * tf.get_variable("w", ()))
train_op = npu_tf_optimizer(tf.train.AdamOptimizer()).minimize(loss)  # 训练
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op)
"""
BESIDE_TENSORFLOW = """\
import os

import tensorflow as tf
from npu_bridge.npu_init import *

print("libraries:", os.environ.get("LD_LIBRARY_PATH"))
config = tf.compat.v1.ConfigProto()
config.graph_options.rewrite_options.custom_optimizers.add().name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.compat.v1.Session(config=config) as sess:
    print("sum:", sess.run(tf.constant(1) + 1))
"""
_INSIDE = 'mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && exec chroot "$@"'

Files = Mapping[str, str]


class Trial(NamedTuple):
    """What is asked, and what has to come of it: the exit code, and patterns in what is printed."""

    words: tuple[str, ...]
    code: int
    printed: tuple[str, ...]
    given: str = ""


def message(identifier: int, method: str) -> str:
    """A message to the language server."""
    params: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": {}}
    request = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
    text = json.dumps(request if method == "initialize" else {**request, "params": None})
    return f"Content-Length: {len(text)}\r\n\r\n{text}"


TRIALS = (
    Trial(("/npu-migrate", "--version"), 0, (r"^npu-migrate \d+\.\d+\.\d+$",)),
    Trial(("/npu-migrate", "--explain", "NPU101"), 0, ("^# NPU101", r"make_one_shot_iterator")),
    Trial(("/npu-migrate", "--language", "zh", "--explain", "NPU101"), 0, ("^# NPU101", "迭代器")),
    Trial(("/npu-migrate", "--language", "zh", "/project"), 1, ("NPU101", "迭代器")),
    Trial(("/npu-migrate", "--list-rules"), 0, ("NPU101", "NPU738", "NPU905")),
    Trial(("/npu-migrate", "/project"), 1, (r"数据\.py:6", "NPU101", "1 fixable with --write")),
    # From the cache.
    Trial(("/npu-migrate", "/project"), 1, (r"数据\.py:6", "NPU101", "1 fixable with --write")),
    Trial(("/npu-migrate", "--format", "json", "/project"), 1, ('"NPU101"',)),
    Trial(("/npu-migrate", "--format", "html", "/project"), 1, ("<html", "NPU101", "</html>")),
    Trial(("/npu-migrate", "--format", "sarif", "/project"), 1, ('"NPU101"',)),
    Trial(("/npu-migrate", "--no-cache", "--jobs", "2", "/many"), 1, (rf"Found: {PROGRAMS} warnings?",)),
    Trial(("/npu-migrate", "--initialize", "first-use", "--diff", "/project"), 1, (r"^\+\+\+ .*\.py",)),
    Trial(("/npu-migrate", "--write", "/project"), 0, ("Fixed",)),
    Trial(("/npu-migrate", "/no-such-path"), 2, ("^npu-migrate: error: ",)),
    Trial(("/npu-migrate", "npu-rehearse", "--version"), 0, (r"^npu-rehearse \d",)),
    Trial(("/npu-rehearse", "/project/train.py"), 2, ("no Python with TensorFlow was found",)),
    Trial(("/npu-migrate", "npu-migrate-lsp", "--version"), 0, (r"^npu-migrate-lsp \d",)),
    Trial(
        ("/npu-migrate-lsp",),
        0,
        ('"codeActionProvider"',),
        given=message(1, "initialize") + message(2, "shutdown"),
    ),
)


def main(words: Sequence[str]) -> int:
    """Try what the options name; returns the exit code."""
    parser = argparse.ArgumentParser(description="Tries the executable where there is no Python.")
    parser.add_argument("executable", type=Path)
    parser.add_argument("--tensorflow", metavar="PYTHON", help="a Python to rehearse a script with")
    options = parser.parse_args(words)
    if (trouble := no_root()) is not None:
        print(f"executable/trial.py: {trouble}", file=sys.stderr)
        return 2
    executable = options.executable.resolve()
    with tempfile.TemporaryDirectory(prefix="npu-migrate-trial-") as name:
        root = Path(name, "root")
        make_root(root, executable)
        wrong = [*tried(root), *left_behind(root)]
        if options.tensorflow is not None:
            wrong += rehearsed(executable, options.tensorflow, Path(name, "beside"))
    print("\n".join(wrong) or "All is as it should be.", file=sys.stderr if wrong else sys.stdout)
    return 1 if wrong else 0


def no_root() -> str | None:
    """Why no other root file system can be used here."""
    missing = [one for one in ("unshare", "mount", "chroot", "ldd") if shutil.which(one) is None]
    if missing:
        return f"found no {missing[0]}"
    asked = subprocess.run([*in_namespaces(), "true"], capture_output=True, text=True)
    return None if asked.returncode == 0 else asked.stderr.strip()


def in_namespaces() -> list[str]:
    """The words that let a command mount what it likes, unseen by others."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *user, "--mount", "--pid", "--fork"]


def make_root(root: Path, executable: Path) -> None:
    """Fill a root file system."""
    for folder in ("dev", "proc", "tmp", "home"):
        (root / folder).mkdir(parents=True)
    for library in libraries(executable):
        target = root / library.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library, target)
        target.chmod(0o755)
    shutil.copy(executable, root / "npu-migrate")
    for name in ("npu-rehearse", "npu-migrate-lsp"):
        (root / name).symlink_to("npu-migrate")
    project = {"train.py": TRAIN, "数据.py": INPUT}
    write(root / "project", project)
    for number in range(PROGRAMS):
        write(root / "many" / str(number), project)


def libraries(executable: Path) -> list[Path]:
    """What the system has to have: the libraries that the file itself names, and the rest of glibc."""
    told = subprocess.run(["ldd", executable], check=True, capture_output=True, text=True).stdout
    named = [Path(path) for path in re.findall(r"(?:=> |^\t)(/\S+) \(0x", told, re.MULTILINE)]
    libc = next(path for path in named if path.name == "libc.so.6")
    rest = (libc.with_name(name) for name in OF_THE_C_LIBRARY)
    return sorted({*named, *(path for path in rest if path.exists())})


def write(folder: Path, files: Files) -> None:
    """Write a project."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def tried(root: Path) -> Iterator[str]:
    """What is wrong, of all `TRIALS`."""
    inside = [*in_namespaces(), "sh", "-c", _INSIDE, "sh", str(root)]
    for trial in TRIALS:
        yield from differences([*inside, *trial.words], trial, {"HOME": "/home", "PATH": os.environ["PATH"]})


def differences(command: Sequence[str], trial: Trial, environment: Mapping[str, str]) -> Iterator[str]:
    """What is not as `trial` wants it when `command` runs."""
    done = subprocess.run(
        command,
        input=trial.given,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
    )
    missing = [one for one in trial.printed if not re.search(one, done.stdout, re.MULTILINE)]
    shown = " ".join(trial.words)
    if done.returncode == trial.code and not missing:
        print(f"ok: {shown}", flush=True)
        return
    yield f"{shown}: exit code {done.returncode}, not {trial.code}; without {missing}:\n{done.stdout}"


def left_behind(root: Path) -> Iterator[str]:
    """What is wrong with the files after all commands."""
    written = (root / "project" / "数据.py").read_text(encoding="utf-8")
    if "make_initializable_iterator()" not in written:
        yield f"--write has not written:\n{written}"
    if left := [*(root / "tmp").iterdir()]:
        yield f"what was unpacked is still there: {left}"
    if not [*(root / "home" / ".cache" / "npu-migrate").glob("*.answer")]:
        yield "no answer is kept"


def rehearsed(executable: Path, python: str, folder: Path) -> Iterator[str]:
    """What is wrong with a rehearsal with this Python, which must find its own libraries."""
    write(folder, {"sums.py": BESIDE_TENSORFLOW})
    words = ("npu-rehearse", "--python", python, str(folder / "sums.py"))
    trial = Trial(words, 0, ("^sum: 2$", "^libraries: None$", "No findings in 1 session run "))
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    yield from differences([str(executable), *words], trial, environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
