#!/usr/bin/env python3
"""What a run costs where, and what the cache and more processors save:  python benchmarks/scaling.py [ROUNDS]

On the open corpus; seconds on the processor unless a line says otherwise, medians of ROUNDS (5):

- a run with an empty cache, a second run, a run after one file has changed, and a script that does nothing
  but read and hash the files;
- the steps of a run: finding the files, the gates, the facts, the rules; and what facts weigh when they are
  sent to another process;
- the same run in one process and in as many as there are processors, by the clock, and how its work is
  divided: no more processes help than there is work besides the largest part.
"""

from __future__ import annotations

import gc
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from fetch_corpus import fetch
from rounds import rounds_asked
from speed import REPOSITORY, in_turns, output, python, tool

READ_AND_HASH = """
import hashlib, os, sys
for folder, _, names in (walked for top in sys.argv[1:] for walked in os.walk(top)):
    for name in names:
        if name.endswith(".py"):
            with open(f"{folder}/{name}", "rb") as file:
                hashlib.sha256(file.read()).digest()
"""

CHANGED = (
    "deepctr/deepctr/estimator/inputs.py",
    "tensor2tensor/tensor2tensor/utils/video_metrics.py",
)
"""A file of a small part, and one of the largest part."""

STEPS = "steps"

_Result = TypeVar("_Result")


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch, "corpus")
        shutil.copytree(fetch(), corpus)
        packages = [str(path) for path in sorted(corpus.iterdir())]
        os.environ["NPU_MIGRATE_CACHE_DIR"] = str(Path(scratch, "cache"))
        processors = len(os.sched_getaffinity(0))
        compare_cache(corpus, packages, rounds)
        print(output(python(__file__, STEPS, *packages)), end="")
        compare_processes(packages, processors, rounds)


def compare_cache(corpus: Path, packages: list[str], rounds: int) -> None:
    alone = ["--jobs", "1", *packages]
    script = python("-c", READ_AND_HASH, *packages)
    cold, hashed = in_turns([tool("--no-cache", *alone), script], rounds)
    output(tool(*alone))
    warm, hashed = in_turns([tool(*alone), script], rounds)
    print(f"no cache: {cold.seconds:.2f} s, peak {cold.megabytes:.0f} MB")
    print(f"second run: {warm.seconds * 1000:.0f} ms, peak {warm.megabytes:.0f} MB")
    print(f"reading and hashing alone: {hashed.seconds * 1000:.0f} ms")
    print(f"ratio: {warm.seconds / hashed.seconds:.2f}")
    for name in CHANGED:
        turns = [after_a_change(corpus / name, number, tool(*alone)) for number in range(rounds)]
        print(f"after a change of {name}: {statistics.median(turns):.2f} s")


def after_a_change(file: Path, number: int, command: list[str]) -> float:
    file.write_bytes(file.read_bytes() + b"# changed %d\n" % number)
    (cost,) = in_turns([command], 1)
    return cost.seconds


def compare_processes(packages: list[str], processors: int, rounds: int) -> None:
    for jobs in sorted({1, processors}):
        seconds = statistics.median(
            by_the_clock(tool("--no-cache", "--jobs", str(jobs), *packages)) for _ in range(rounds)
        )
        print(f"{jobs} processes: {seconds:.2f} s by the clock")


def by_the_clock(command: list[str]) -> float:
    started = time.monotonic()
    output(command)
    return time.monotonic() - started


def steps(packages: list[str]) -> None:
    """The steps of one run, in this process."""
    from npu_migrate.engine.installed import installed_machinery
    from npu_migrate.engine.processes.shipping import pack, unpack
    from npu_migrate.engine.request import Request, prepare
    from npu_migrate.index.indexing import index_sheet
    from npu_migrate.programs.programs import relevant_files

    gc.disable()
    list(installed_machinery().rules)
    job = timed("finding the files", lambda: prepare(Request(tuple(packages)), installed_machinery()))
    tree = job.discovery.tree
    files = len(tree.targets)
    size = sum(len(tree.data(key)) for key in tree.targets)
    before = memory()
    what = f"gates, imports, programs ({files} files, {size / 1e6:.1f} MB)"
    relevance = timed(what, lambda: relevant_files(tree))
    print(f"  memory: {(memory() - before) / files:.0f} bytes for a file")
    before = memory()
    parts = job.split(tree)
    sheets = [sheet for part in parts for sheet in part.sheets()]
    text = sum(len(sheet.text) for sheet in sheets)
    facts = timed(
        f"facts ({len(sheets)} files, {text / 1e6:.1f} MB)", lambda: [index_sheet(sheet) for sheet in sheets]
    )
    print(f"  memory: {(memory() - before) / text:.0f} bytes for a byte of text")
    packed = timed("packing facts", lambda: [pack(one) for one in facts])
    print(
        f"  {sum(map(len, packed)) / 1e6:.1f} MB, {sum(map(len, packed)) / text:.1f} bytes for a byte of text"
    )
    timed("unpacking facts", lambda: [unpack("", one) for one in packed])
    analyses = timed("facts and rules of all parts", lambda: [part.analyser()(tree) for part in parts])
    print(f"  {sum(len(one.findings) for one in analyses)} findings")
    weights = [sum(len(sheet.text) for sheet in part.sheets()) / 1e6 for part in parts]
    print(f"parts: {', '.join(f'{weight:.1f}' for weight in weights)} MB")
    assert relevance.ours


def timed(what: str, work: Callable[[], _Result]) -> _Result:
    started = time.process_time()
    result = work()
    print(f"{what}: {time.process_time() - started:.3f} s")
    return result


def memory() -> float:
    """The most memory that this process has used, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY))
    if sys.argv[1:2] == [STEPS]:
        steps(sys.argv[2:])
    else:
        main(rounds_asked(__doc__))
