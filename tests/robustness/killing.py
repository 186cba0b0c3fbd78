"""A run of ``--write`` that is killed while it writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from fidelity import Tree, read_tree, write_tree

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = 200
_SCRIPT = b"""\
import tensorflow as tf
x = tf.data.Dataset.range(8).repeat().make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print(sess.run(x))
"""
BEFORE: Tree = {
    f"part{number % 10}/train{number}.py": b"# %d\n" % number + _SCRIPT for number in range(FILES)
} | {"part0/notes.txt": b"make_one_shot_iterator\n", "data.bin": bytes(range(256))}


def migrate(folder: Path) -> subprocess.Popen[bytes]:
    """A process that writes the fixes of all scripts in `folder`."""
    environment = os.environ | {
        "PYTHONPATH": str(REPOSITORY),
        "NPU_MIGRATE_CACHE_DIR": str(folder / ".cache"),
    }
    words = [
        sys.executable,
        "-m",
        "npu_migrate",
        "scripts",
        "--write",
        "--quiet",
        "--jobs",
        "1",
        "--no-cache",
    ]
    return subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def wait_for_writing(process: subprocess.Popen[bytes], scripts: Path) -> None:
    """Returns when the first temporary file is there."""
    while process.poll() is None and not any(temporary_files(scripts)):
        time.sleep(0.001)


def temporary_files(scripts: Path) -> list[Path]:
    return [
        Path(folder) / name
        for folder, _, names in os.walk(scripts)
        for name in names
        if name.startswith(".npu-migrate-")
    ]


def undisturbed(folder: Path) -> tuple[Tree, float]:
    """What the scripts become, and how many seconds the writing takes."""
    write_tree(folder / "scripts", BEFORE)
    process = migrate(folder)
    wait_for_writing(process, folder / "scripts")
    start = time.monotonic()
    process.wait()
    duration = time.monotonic() - start
    return read_tree(folder / "scripts"), duration


def require_whole_files(folder: Path, after: Tree, duration: float, random: Random) -> int:
    """Kills a run within the time it takes to write; returns how many files had been written.

    Raises `AssertionError` unless each file is the old or the new one, and a later run makes everything as it
    would have been, with nothing left behind.
    """
    scripts = folder / "scripts"
    write_tree(scripts, BEFORE)
    process = migrate(folder)
    wait_for_writing(process, scripts)
    time.sleep(random.random() * duration)
    process.send_signal(signal.SIGKILL)
    process.wait()
    found = {path: data for path, data in read_tree(scripts).items() if "/.npu-migrate-" not in path}
    assert found.keys() == BEFORE.keys()
    assert all(data in (BEFORE[path], after[path]) for path, data in found.items())
    assert migrate(folder).wait() == 0
    assert read_tree(scripts) == after
    return sum(data != BEFORE[path] for path, data in found.items())
