"""A run of ``--write`` that is killed while it writes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

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
    """A process that writes the fixes of all scripts in `folder`.

    From the second one on, the cache knows what has to be written, and hardly anything else takes time.
    """
    environment = os.environ | {
        "PYTHONPATH": str(REPOSITORY),
        "NPU_MIGRATE_CACHE_DIR": str(folder / ".cache"),
    }
    words = [sys.executable, "-m", "npu_migrate", "scripts", "--write", "--quiet", "--jobs", "1"]
    return subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


class Course(NamedTuple):
    """How a run goes that nobody disturbs.

    `after` is what the scripts become. All new texts are made ready beside the files first, which takes
    `preparing` seconds; then the files are replaced one after the other, from `first` on, in `replacing`
    seconds.
    """

    after: Tree
    first: str
    preparing: float
    replacing: float


def undisturbed(folder: Path) -> Course:
    """Lets one run do everything, and looks on."""
    scripts = folder / "scripts"
    write_tree(scripts, BEFORE)
    assert migrate(folder).wait() == 0
    # A file that is renamed has a new time of change.
    changed = {path: (scripts / path).stat().st_ctime_ns for path in BEFORE if path.endswith(".py")}
    first, last = min(changed, key=changed.__getitem__), max(changed, key=changed.__getitem__)
    after = _again(scripts)
    process = migrate(folder)
    start = _wait(process, lambda: _has_temporary_file(scripts / first))
    middle = _wait(process, _is_replaced(scripts / first))
    end = _wait(process, _is_replaced(scripts / last))
    assert process.wait() == 0
    return Course(after, first, middle - start, end - middle)


def require_whole_files(folder: Path, course: Course, random: Random) -> str:
    """Kills a run at any moment while it writes; tells how many files had been written: none, some or all.

    One kill in four comes while the texts are made ready, the others while files are replaced. Raises
    `AssertionError` unless each file is the old or the new one, and a later run makes everything as it would
    have been, with nothing left behind.
    """
    scripts = folder / "scripts"
    _again(scripts)
    first = scripts / course.first
    early = random.random() < 0.25
    process = migrate(folder)
    _wait(process, (lambda: _has_temporary_file(first)) if early else _is_replaced(first))
    time.sleep(random.random() * (course.preparing if early else course.replacing))
    process.send_signal(signal.SIGKILL)
    process.wait()
    found = {path: data for path, data in read_tree(scripts).items() if "/.npu-migrate-" not in path}
    assert found.keys() == BEFORE.keys()
    assert all(data in (BEFORE[path], course.after[path]) for path, data in found.items())
    assert migrate(folder).wait() == 0
    assert read_tree(scripts) == course.after
    written = sum(data != BEFORE[path] for path, data in found.items())
    return "none" if written == 0 else "all" if written == FILES else "some"


def _again(scripts: Path) -> Tree:
    """The scripts as they are; on the disk they are what they were before."""
    found = read_tree(scripts)
    shutil.rmtree(scripts)
    write_tree(scripts, BEFORE)
    return found


def _wait(process: subprocess.Popen[bytes], happened: Callable[[], bool]) -> float:
    """The time when something has happened, or the process has ended."""
    while process.poll() is None and not happened():
        time.sleep(0.0005)
    return time.monotonic()


def _is_replaced(path: Path) -> Callable[[], bool]:
    before = path.stat().st_ino
    return lambda: path.stat().st_ino != before


def _has_temporary_file(path: Path) -> bool:
    return any(name.startswith(".npu-migrate-") for name in os.listdir(path.parent))  # noqa: PTH208 - often
