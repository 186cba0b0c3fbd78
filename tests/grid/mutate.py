#!/usr/bin/env python3
"""Spoils right migrations and asks the judge:  python tests/grid/mutate.py [--sample N --seed S]

Takes programs of the grid, and all fixtures of the rules on iterators that start with `train.py`, migrates
them, and deletes, moves or repeats each line that initializes. Prints for each way how many of these mutants
the judge refuses (`refuted` or `lost`), and how many that it bears out do the same as before under
TensorFlow. One that does something else is printed, and the command ends with 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from abstract_run.judged import JUDGED, scripts  # noqa: E402 (the test helpers are reachable only now)
from fidelity import Tree  # noqa: E402
from runtime.worlds import World, available_worlds  # noqa: E402

from grid.programs import files_of, sample  # noqa: E402
from grid.spoiling import judged_mutants  # noqa: E402
from grid.trying import migration  # noqa: E402

COLUMNS = ("mutants", "refuted", "lost", "the same", "wrong")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=150, metavar="N", help="so many programs of the grid")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="draws the sample")
    parser.add_argument("--no-fixtures", action="store_true", help="programs of the grid alone")
    parser.add_argument("--world", choices=available_worlds(), default=available_worlds()[-1])
    options = parser.parse_args(arguments)
    counts: Counter[tuple[str, str]] = Counter()
    world = World(options.world)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NPU_MIGRATE_CACHE_DIR"] = cache
        try:
            for name, before, after in _migrations(options.sample, options.seed, not options.no_fixtures):
                for one in judged_mutants(name, before, after, world):
                    passed = "wrong" if one.fault else "the same"
                    word = passed if one.verdict == "verified" else one.verdict
                    for way in ("all", one.mutant.way):
                        counts.update(((way, "mutants"), (way, word)))
                    if one.fault:
                        text = f"{one.name}, {one.mutant.way}, {one.mutant.place}"
                        print(f"{text}\n    {one.fault}", flush=True)
        except KeyboardInterrupt:
            print("not all of them", flush=True)
        finally:
            world.close()
    print(f"\n{'':24}" + "".join(f"{column:>10}" for column in COLUMNS))
    for way in sorted({way for way, _ in counts}):
        print(f"{way:24}" + "".join(f"{counts[way, column]:10}" for column in COLUMNS))
    return int(bool(counts["all", "wrong"]))


def _migrations(count: int, seed: int, fixtures: bool) -> Iterator[tuple[str, Tree, Tree]]:
    """Names of programs, and their files before and after."""
    for program in sample(count, seed):
        made = migration(files_of(program))
        if made.treated == "safe":
            yield program.name, made.before, made.safe
    for case in JUDGED if fixtures else ():
        if case.runnable and case.run.entries == ("train.py",):
            yield case.name, scripts(case.before), scripts(case.after)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
