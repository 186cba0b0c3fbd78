#!/usr/bin/env python3
"""How fast a report is, against what it has to do at least:  python benchmarks/speed.py [ROUNDS]

All commands run in fresh processes on one core, those of a comparison in turns; medians of ROUNDS (5) turns
of the time on the processor, which other work on the machine disturbs least:

- the report on the whole open corpus, against `ast.parse` of all its files, and its peak memory;
- ``npu-migrate --version``, against ``import click``;
- the report on the whole open corpus, against TensorFlow's own `tf_upgrade_v2` on each of its files (once;
  its import of TensorFlow not counted). Needs the environment that `tests/run.py` prepares.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from fetch_corpus import corpus_files, fetch
from rounds import rounds_asked

REPOSITORY = Path(__file__).resolve().parents[1]
TENSORFLOW = REPOSITORY / ".cache" / "tensorflow-2.15" / "bin" / "python"

PARSE_ALL = """
import ast, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    ast.parse(path.read_bytes())
"""

UPGRADE_EACH = """
import os, sys, time
from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2
started = time.process_time()
upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec())
for path in sys.argv[1:]:
    try:
        upgrader.process_file(path, os.devnull)
    except Exception:  # it does not survive every file
        pass
print(time.process_time() - started)
"""


class Cost(NamedTuple):
    """One process: seconds on the processor, and peak memory in MB."""

    seconds: float
    megabytes: float


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch, "corpus")
        shutil.copytree(fetch(), corpus)
        size = sum(path.stat().st_size for path in corpus_files(corpus))
        compare_report(corpus, size, rounds)
        compare_start(rounds)
        compare_upgrade(corpus)


def compare_report(corpus: Path, size: int, rounds: int) -> None:
    packages = [str(path) for path in sorted(corpus.iterdir())]
    report, parse = in_turns([tool("--no-cache", *packages), python("-c", PARSE_ALL, str(corpus))], rounds)
    print(f"report on {size / 1e6:.1f} MB: {report.seconds:.2f} s, peak {report.megabytes:.0f} MB")
    print(f"ast.parse of the same files: {parse.seconds:.2f} s, peak {parse.megabytes:.0f} MB")
    print(f"ratio: {report.seconds / parse.seconds:.2f}")


def compare_start(rounds: int) -> None:
    version, click = in_turns([tool("--version"), python("-c", "import click")], rounds)
    print(f"--version: {version.seconds * 1000:.0f} ms, import click: {click.seconds * 1000:.0f} ms")
    print(f"ratio: {version.seconds / click.seconds:.2f}")


def compare_upgrade(corpus: Path) -> None:
    if not TENSORFLOW.exists():
        print(f"tf_upgrade_v2: left out, {TENSORFLOW} is not there; tests/run.py makes it")
        return
    files = corpus_files(corpus)
    packages = [str(path) for path in sorted(corpus.iterdir())]
    report = run(tool("--no-cache", *packages)).seconds
    upgrade = upgrade_seconds(files)
    print(f"{len(files)} files: report {report:.2f} s, tf_upgrade_v2 {upgrade:.2f} s")
    print(f"ratio: {upgrade / report:.1f} times faster")


def upgrade_seconds(files: list[Path]) -> float:
    """The time on the processor that `tf_upgrade_v2` takes for some files, one by one, in one process.

    The import of TensorFlow is not counted.
    """
    command = [str(TENSORFLOW), "-c", UPGRADE_EACH, *map(str, files)]
    return float(output(command).splitlines()[-1])


def in_turns(commands: list[list[str]], rounds: int) -> list[Cost]:
    """The median cost of each command; turns even out what else the machine does."""
    turns = [[run(command) for command in commands] for _ in range(rounds)]
    return [Cost(*map(statistics.median, zip(*costs, strict=True))) for costs in zip(*turns, strict=True)]


def run(command: list[str]) -> Cost:
    """Runs a command to its end. Raises `RuntimeError` if it fails."""
    child = os.posix_spawn(command[0], command, environment(), file_actions=quiet())
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"failed: {' '.join(command)[:200]}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment()).stdout


def quiet() -> list[tuple[int, int, str, int, int]]:
    return [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]


def tool(*arguments: str) -> list[str]:
    return python("-m", "npu_migrate", "--fail-on", "never", *arguments)


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "NPU_MIGRATE_CACHE_DIR") if name in os.environ}
    return {**kept, "PYTHONPATH": str(REPOSITORY), "TF_CPP_MIN_LOG_LEVEL": "3"}


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    main(rounds_asked(__doc__))
