#!/usr/bin/env python3
"""Moves all assembled programs to the NPU:  python tests/ported/run_all.py [--results FILE] [--sample N]

Prints each program that goes wrong, and for each way of each part how many programs there are, and which
share of them is right. Ends with 1 if anything is wrong. All 1,920 take about a quarter of an hour. FILE gets
a line for each program; one that has a line there already is not tried again, so a run that was ended goes
on where it was. Begin a new FILE when the tool has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from runtime.worlds import World, available_worlds  # noqa: E402 (the test helpers are reachable only now)

from ported.programs import Program, programs, sample  # noqa: E402
from ported.trying import Trial, tried  # noqa: E402


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, metavar="N", help="only N programs")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="draws the sample")
    parser.add_argument("--world", choices=available_worlds(), help="one TensorFlow; else they take turns")
    parser.add_argument("--results", type=Path, metavar="FILE", help="what is known, and is to be known")
    parser.add_argument("--show", action="store_true", help="print what was printed, or written")
    options = parser.parse_args(arguments)
    chosen = sample(options.sample, options.seed) if options.sample else list(programs())
    known = known_trials(options.results)
    trials = {one: known[one] for one in chosen if one in known}
    versions = [options.world] if options.world else list(available_worlds())
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NPU_MIGRATE_CACHE_DIR"] = cache
        for trial in tried_in(versions, (one for one in chosen if one not in known)):
            trials[trial.program] = trial
            if options.results:
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(trial) + "\n")
    for trial in trials.values():
        for fault, text in trial.faults.items():
            print(f"{trial.program.name}: {fault}{': ' + text if options.show else ''}")
    tell(trials.values())
    return any(trial.faults for trial in trials.values())


def known_trials(results: Path | None) -> dict[Program, Trial]:
    """What an earlier run has written. A last line that it did not finish does not count."""
    if results is None or not results.exists():
        return {}
    text = results.read_text(encoding="utf-8")
    complete = text[: text.rfind("\n") + 1]
    results.write_text(complete, encoding="utf-8")
    found = (json.loads(line) for line in complete.splitlines())
    return {Program(*program): Trial(Program(*program), faults) for program, faults in found}


def tried_in(versions: Sequence[str], chosen: Iterable[Program]) -> Iterator[Trial]:
    """Tries each program in one of the worlds, in turns."""
    worlds = [World(version) for version in versions]
    try:
        yield from tried(zip(chosen, cycle(worlds), strict=False))
    finally:
        for world in worlds:
            world.close()


def tell(trials: Iterable[Trial]) -> None:
    """Prints the counts of all ways of all parts, and of all kinds of faults."""
    counts: Counter[tuple[str, bool]] = Counter()
    faults: Counter[str] = Counter()
    for trial in trials:
        one = trial.program
        parts = (
            "all",
            f"pipeline: {one.place}",
            f"session: {one.kind}",
            f"initialization: {one.init}",
            f"spelling: {one.spelling}",
            f"config: {one.config}",
            f"optimizer: {one.optimizer}",
        )
        counts.update((part, not trial.faults) for part in parts)
        faults.update(trial.faults.keys())
    for part in sorted({part for part, _ in counts}):
        right, wrong = counts[part, True], counts[part, False]
        print(
            f"{part:36}{right + wrong:6} programs{wrong:6} wrong{100 * right / (right + wrong):7.1f} % right"
        )
    for fault, number in sorted(faults.items()):
        print(f"{fault:36}{number:6} programs")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
