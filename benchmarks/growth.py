#!/usr/bin/env python3
"""How time and memory grow with the number of files:  python benchmarks/growth.py [--copies 1 2 5 10 20]

Reports without a cache on the open corpus, as it is and copied side by side, in one process and in two. One
table: the time on the processor, user and system, of all processes, and how it compares with that of the
smallest input, file by file, in the same round; and the peak memory of the largest process. Medians of
--rounds (1).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from fetch_corpus import corpus_files, fetch
from speed import Cost, run, tool

JOBS = (1, 2)


class Input(NamedTuple):
    """A folder with so many files."""

    folder: Path
    files: int


def main(copies: list[int], rounds: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        inputs = [copied(number, Path(scratch, str(number))) for number in sorted(copies)]
        turns = [{(one, jobs): cost(one, jobs) for one in inputs for jobs in JOBS} for _ in range(rounds)]
    print("| files | processes | processor, s | for a file, against the first line | memory, MB |")
    print("|---|---|---|---|---|")
    for one in inputs:
        for jobs in JOBS:
            seconds = statistics.median(turn[one, jobs].seconds for turn in turns)
            growth = statistics.median(
                turn[one, jobs].seconds / one.files / (turn[inputs[0], 1].seconds / inputs[0].files)
                for turn in turns
            )
            memory = max(turn[one, jobs].megabytes for turn in turns)
            print(f"| {one.files:,} | {jobs} | {seconds:.1f} | {growth:.2f} | {memory:.0f} |")


def copied(number: int, folder: Path) -> Input:
    """The corpus `number` times below `folder`; the files are links where that is possible."""
    corpus = fetch()
    linked = os.link if corpus.stat().st_dev == folder.parent.stat().st_dev else shutil.copy2
    for copy in range(number):
        shutil.copytree(corpus, folder / f"copy{copy}", copy_function=linked)
    return Input(folder, len(corpus_files(folder)))


def cost(one: Input, jobs: int) -> Cost:
    found = run(tool("--no-cache", "--jobs", str(jobs), str(one.folder)))
    print(f"{one.files:,} files, {jobs}: {found.seconds:.1f} s, {found.megabytes:.0f} MB", file=sys.stderr)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="How time and memory grow with the number of files.")
    parser.add_argument("--copies", nargs="+", type=int, default=[1, 2, 5, 10, 20])
    parser.add_argument("--rounds", type=int, default=1)
    asked = parser.parse_args()
    main(asked.copies, asked.rounds)
