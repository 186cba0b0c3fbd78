#!/usr/bin/env python3
"""Tries the programs of the grid:  python tests/grid/run_all.py [--sample N --seed S] [--world 1.15]

Prints each program that goes wrong, and for each way of each axis how many programs it has, how many of them
the safe fixes migrate, how many iterators are left unsafe or manual, and what is wrong. `verified` and
`lost` are what the abstract run says of the programs with safe fixes alone. Ends with 1 if anything is
wrong. Ctrl-C ends it early, with the table of those that were tried; `--skip` goes on from there.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import cycle
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from runtime.worlds import World, available_worlds  # noqa: E402 (the test helpers are reachable only now)

from grid.programs import AXES, programs, sample  # noqa: E402
from grid.trying import Trial, migrated, tried  # noqa: E402

COLUMNS = (
    "programs",
    "safe",
    "unsafe",
    "manual",
    "verified",
    "lost",
    "wrong before",
    "wrong",
    "first use refused",
    "first use wrong",
)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, metavar="N", help="only N programs")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="draws the sample")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="not the first N of them")
    parser.add_argument("--no-runs", action="store_true", help="migrate them, and run none")
    parser.add_argument("--world", choices=available_worlds(), help="one TensorFlow; else they take turns")
    parser.add_argument("--only", default="", metavar="WORDS", help="programs with all of these pieces: a, b")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NPU_MIGRATE_CACHE_DIR"] = cache
        chosen = sample(options.sample, options.seed) if options.sample else list(programs())
        pieces = {one.strip() for one in options.only.split(",") if one.strip()}
        chosen = [program for program in chosen[options.skip :] if pieces <= set(program)]
        if options.no_runs:
            return table_of(migrated(chosen))
        worlds = [World(version) for version in ([options.world] if options.world else available_worlds())]
        try:
            return table_of(tried(zip(chosen, cycle(worlds), strict=False)))
        finally:
            for world in worlds:
                world.close()


def table_of(trials: Iterable[Trial]) -> int:
    """Prints what is wrong with each trial, then the table of all; 1 if anything is wrong."""
    counts: Counter[tuple[str, str, str]] = Counter()
    reasons: Counter[str] = Counter()
    try:
        for trial in trials:
            told(trial)
            reasons.update(set(trial.migration.reasons))
            reasons.update(f"first use: {one}" for one in set(trial.migration.refused))
            for axis, way in zip(("all", *AXES), ("", *trial.program), strict=True):
                counts.update((axis, way, word) for word in ("programs", *words_for(trial)))
    except KeyboardInterrupt:
        print("not all of them", flush=True)
    for axis, ways in {"all": ("",), **AXES}.items():
        print(f"\n{axis:20}" + "".join(f"{column:>{len(column) + 2}}" for column in COLUMNS))
        for way in ways:
            row = (f"{counts[axis, way, column]:{len(column) + 2}}" for column in COLUMNS)
            print(f"{way:20}" + "".join(row))
    print()
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    return int(any(counts["all", "", f"{word}wrong"] for word in ("", "first use ")))


def words_for(trial: Trial) -> list[str]:
    """The columns in which a program counts."""
    made = trial.migration
    words = [made.treated] if "safe" not in trial.faults else []
    if made.treated == "safe":
        words.append("verified" if made.verified else "lost")
    if made.refused:
        words.append("first use refused")
    columns = {"before": "wrong before", "safe": "wrong", "first_use": "first use wrong"}
    return words + [columns[stage] for stage in trial.faults]


def told(trial: Trial) -> None:
    """Prints what went wrong with a program."""
    for stage, fault in trial.faults.items():
        print(f"{stage}, {trial.world}: {trial.program.name}\n    {fault.splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
