#!/usr/bin/env python3
"""How soon an editor answers in a large tree:  python benchmarks/large_editor.py [ROUNDS]

The tree is the dense one (`dense.py`), ten times side by side: 15,000 files, two thirds of which matter. An
editor (`editor_client.py`) opens a training script in it, and types a line a second after the first findings
are there:

- with an empty cache, and with that of the session before;
- from the start of the server to the first findings, by the clock, and what the processor has worked for it;
- the first keystroke, and the median of those that follow.

Of each there are ROUNDS (3), and the median is shown. The debounce is 0.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from dense import write_dense_tree
from editor import SERVER, Key, running, type_key
from editor_client import Server
from rounds import rounds_asked

COPIES = 10
READING = 1.0
"""Seconds between the first findings and the first keystroke."""
TYPED = "\nlast_of_the_lines"
NAME = "train.py"


class Start(NamedTuple):
    """A session: seconds to the first findings, by the clock and on the processor, for the first keystroke,
    and for a later one; and the memory at the end in MB."""

    first: float
    processor: float
    keystroke: float
    later: float
    megabytes: float


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        tree = folder / "tree"
        for copy in range(COPIES):
            write_dense_tree(tree / f"copy{copy}")
        (tree / "pyproject.toml").touch()
        script = sorted(tree.rglob(NAME))[COPIES]
        cache = folder / "cache"
        environment = os.environ | {"NPU_MIGRATE_CACHE_DIR": str(cache)}
        print(
            "| cache | first findings, s | processor, s | first keystroke, ms | later ones, ms | memory, MB |"
        )
        print("|---|---|---|---|---|---|")
        started: dict[str, list[Start]] = {"empty": [], "full": []}
        for _ in range(rounds):
            shutil.rmtree(cache, ignore_errors=True)
            for kind, found in started.items():
                found.append(session(script, tree, environment))
                with running(SERVER, script, environment):
                    pass  # its user only reads, and what it has found out stays
                print(kind, found[-1], flush=True)
        for kind, found in started.items():
            one = Start(*map(statistics.median, zip(*found, strict=True)))
            times = (
                f"{one.first:.2f} | {one.processor:.2f} | {1000 * one.keystroke:.0f} | {1000 * one.later:.0f}"
            )
            print(f"| {kind} | {times} | {one.megabytes:.0f} |")


def session(script: Path, tree: Path, environment: dict[str, str]) -> Start:
    """An editor that opens a script and types a number into it."""
    text = script.read_text()
    server = Server(SERVER, tree, environment)
    server.initialize({"debounce": 0})
    server.open(script, text)
    first = server.published(script, 1).at - server.started
    processor = server.cpu_seconds()
    time.sleep(READING)
    passed = []
    for version, letter in enumerate(TYPED, 2):
        text, pair = type_key(server, script, version, text, Key(len(text), "", letter))
        passed.append(pair.ours.passed)
    server.rest()
    megabytes = server.megabytes()
    server.stop()
    return Start(first, processor, passed[0], statistics.median(passed[1:]), megabytes)


if __name__ == "__main__":
    main(rounds_asked(3))
