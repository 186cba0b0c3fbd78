#!/usr/bin/env python3
"""Moves a copy of the open corpus to the NPU, and looks at what became of it:

    python benchmarks/port_corpus.py [FOLDER] [--diffs FILE]

Runs ``--port --write --unsafe-fixes`` on the copy. No run may crash, no file may break or lose a comment,
and a second run may change nothing. Ends with exit code 1 otherwise. FOLDER is that of `corpus.py`; each
distinct diff of a file goes to FILE, to be read. Last it tells what a report with ``--port`` costs, beside
TensorFlow's own `tf_upgrade_v2` on the same files, which the vendor's converter was once timed beside too.
"""

from __future__ import annotations

import argparse
import difflib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from fidelity import Tree, changed_paths, compile_python, lost_comments, read_tree  # noqa: E402
from speed import TENSORFLOW, upgrade_seconds  # noqa: E402

CONVERTER = (11.3, 12.3)
"""How many times as long as `tf_upgrade_v2` the vendor's converter took, by the clock, on two samples of real
files: 3 min 46 s beside 20 s, and about 16 min beside 78 s."""

PORTING = ("--no-cache", "--port", "--write", "--unsafe-fixes", "--fail-on", "never")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".cache" / "corpus")
    parser.add_argument("--diffs", type=Path, help="where the distinct diffs are written to")
    options = parser.parse_args()
    faults = []
    diffs = []
    with tempfile.TemporaryDirectory() as temporary:
        for package in sorted(one for one in options.folder.iterdir() if one.is_dir()):
            copy = Path(temporary, package.name)
            shutil.copytree(package, copy)
            before = read_tree(copy, "*.py")
            started = time.monotonic()
            faults += port(copy)
            seconds = time.monotonic() - started
            after = read_tree(copy, "*.py")
            faults += port(copy)
            again = read_tree(copy, "*.py")
            changed = changed_paths(before, after)
            print(f"{package.name}: {len(before)} files, {len(changed)} changed, {seconds:.1f} s", flush=True)
            faults += [f"{copy}: a second run changes {path}" for path in changed_paths(after, again)]
            faults += [fault for path in changed for fault in faults_of(path, before, after)]
            diffs += [diff_of(f"{package.name}/{path}", before, after, path) for path in changed]
    distinct = {tuple(diff.splitlines()[2:]): diff for diff in diffs}
    if options.diffs:
        options.diffs.write_text("\n".join(distinct.values()), encoding="utf-8")
    print(f"{len(diffs)} files changed, {len(distinct)} distinct diffs, {len(faults)} faults")
    for fault in faults:
        print(fault)
    files = sum(1 for _ in options.folder.rglob("*.py"))
    processor, _ = report_seconds(options.folder, "--jobs", "1")
    _, clock = report_seconds(options.folder)
    for seconds, by in (
        (processor, "on the processor, one process"),
        (clock, f"by the clock, {os.cpu_count()} processors"),
    ):
        print(f"report: {seconds:.1f} s {by}, {1000 * seconds / files:.1f} ms for each of {files} files")
    if TENSORFLOW.exists():
        compare_upgrade(options.folder, processor, clock)
    return bool(faults)


def compare_upgrade(folder: Path, processor: float, clock: float) -> None:
    """Tells how many times as long `tf_upgrade_v2` takes, and by that the converter."""
    upgrade = upgrade_seconds(sorted(folder.rglob("*.py")))
    print(f"tf_upgrade_v2: {upgrade:.1f} s on the processor")
    for seconds, by in ((processor, "on the processor, one process"), (clock, "by the clock")):
        times = upgrade / seconds
        converter = " to ".join(f"{times * one:.0f}" for one in CONVERTER)
        print(f"against the report {by}: {times:.1f} times; the converter {converter} times")


def report_seconds(folder: Path, *options: str) -> tuple[float, float]:
    """The time of a report on all packages, without a cache: on the processor, and by the clock."""
    packages = sorted(one.name for one in folder.iterdir() if one.is_dir())
    command = [sys.executable, "-m", "npu_migrate", "--no-cache", "--port", "--fail-on", "never", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*command, *packages], cwd=folder, env=environment, capture_output=True, check=True)
    clock = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def port(folder: Path) -> list[str]:
    """Ports a folder in place; what is to be said of a run that ends otherwise than well."""
    command = [sys.executable, "-m", "npu_migrate", *PORTING, "."]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    fine = done.returncode == 0 and "bug in npu-migrate" not in done.stderr
    return [] if fine else [f"{folder.name}: exit code {done.returncode}: {done.stderr[-2000:]}"]


def faults_of(path: str, before: Tree, after: Tree) -> list[str]:
    """What is wrong with a changed file."""
    found = []
    if _compiles(before.get(path, b""), path) and not _compiles(after[path], path):
        found.append(f"{path} is broken")
    lost = lost_comments(before.get(path, b""), after[path])
    return [*found, *(f"{path} has lost the comment {comment!r}" for comment in lost)]


def _compiles(content: bytes, path: str) -> bool:
    try:
        compile_python(content, path)
    except SyntaxError:
        return False
    return True


def diff_of(name: str, before: Tree, after: Tree, path: str) -> str:
    old, new = (tree.get(path, b"").decode("utf-8", "replace").splitlines() for tree in (before, after))
    return "\n".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm=""))


if __name__ == "__main__":
    sys.exit(main())
