#!/usr/bin/env python3
"""Mutation testing: changes the code in small ways, one at a time, and looks whether a test notices.

    python tests/mutation.py --rooms rewrite rules --sample 250 --seed 1
    python tests/mutation.py --only rewrite/joining.py rules/npu101.py:57

Works on a copy of the package and the tests in a temporary folder, in an environment below .cache/. A mutant
is run with the tests in which its lines run: those of tests/rewrite (for rewrite/) and the fixture cases, a
rule's own ones first. It survives if all of them pass. `SURVIVORS` has the survivors that were looked at.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parent
REPOSITORY = TESTS.parent
SURVIVORS = "tests/mutation_survivors.md"
ROOMS = ("rewrite", "rules")
CASES = 60
"""No more fixture cases for one mutant; a rule's own ones come first."""
CPU_SECONDS, WALL_SECONDS = 60, 600.0
INSIDE = "NPU_MIGRATE_MUTATION"


def main(words: Sequence[str]) -> int:
    options = parsed(words)
    if INSIDE not in os.environ:
        return again(words)
    copy = Path(os.environ[INSIDE])
    sys.path[:0] = [str(copy), str(copy / "tests"), str(TESTS / "mutants")]
    sys.dont_write_bytecode = True
    os.chdir(copy)
    return tried(copy / "npu_migrate", options)


def parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Mutation testing of the package.")
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS)
    parser.add_argument("--sample", type=int, default=150, help="mutants of each room (default: 150; 0: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--only", nargs="+", default=(), help="mutants whose place begins with one of these")
    return parser.parse_args(words)


def again(words: Sequence[str]) -> int:
    """The same command, inside the environment and with a copy of the repository's code."""
    from run import environment

    project = (REPOSITORY / "pyproject.toml").read_text("utf-8")
    python = environment("mutation", sys.executable, ("-e", ".[dev,mutation]"), stamp=project)
    with tempfile.TemporaryDirectory(prefix="npu-migrate-mutation-") as name:
        copy = Path(name).resolve() / "copy"
        for part in ("npu_migrate", "tests", "docs"):
            ignored = shutil.ignore_patterns("__pycache__", "node_modules")
            shutil.copytree(REPOSITORY / part, copy / part, ignore=ignored)
        for part in ("pyproject.toml", "README.md"):
            shutil.copy(REPOSITORY / part, copy)
        surroundings = os.environ | {INSIDE: str(copy), "NPU_MIGRATE_CACHE_DIR": str(Path(name) / "cache")}
        surroundings["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        subprocess.run([python, "-m", "compileall", "-q", "npu_migrate"], cwd=copy, check=True)
        command = ["nice", "-n", "10", python, str(TESTS / "mutation.py"), *words]
        return subprocess.run(command, env=surroundings).returncode


class Trial(NamedTuple):
    """The tests for one mutant: names for pytest, and fixture cases."""

    tests: list[str]
    cases: list[str]


def tried(package: Path, options: argparse.Namespace) -> int:
    """Tries the chosen mutants; tells of each survivor, and the figures of each room."""
    preload()
    from making import mutants_of
    from trying import by_line

    tests, cases = map(by_line, covered(package, options.rooms))
    counts: dict[str, Counter[str]] = {}
    for room in options.rooms:
        modules = sorted(f"{room}/{file.name}" for file in (package / room).glob("*.py"))
        wanted = [
            mutant
            for module in modules
            if not options.only or any(one.startswith(module) for one in options.only)
            for mutant in mutants_of(package, module)
            if not options.only or mutant.name.startswith(tuple(options.only))
        ]
        random.Random(options.seed).shuffle(wanted)
        print(f"{room}: {len(wanted)} mutants to choose from", flush=True)
        counts[room] = Counter()
        for mutant in wanted:
            if options.sample and counts[room].total() == options.sample:
                break
            if (code := mutant.code) is None:
                continue
            verdict = judged(package, mutant, code, trial_for(mutant, tests, cases))
            counts[room][verdict] += 1
            if not verdict.startswith("killed"):
                print(f"{verdict}: {mutant.name}", flush=True)
    for room, verdicts in counts.items():
        print(f"{room}:", ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))
    return 0


def preload() -> None:
    """Imports what all trials need, except for the package and its tests."""
    import click.testing
    import hypothesis.strategies
    import jinja2
    import libcst.metadata
    import pathspec
    import platformdirs
    import pytest

    assert all(
        (click.testing, hypothesis.strategies, jinja2, libcst.metadata, pathspec, platformdirs, pytest)
    )


def covered(package: Path, rooms: Sequence[str]) -> Iterator[list]:
    """The tests of pytest that are for these rooms, and the fixture cases, each with what it runs."""
    from trying import Covered, cover_case, cover_tests, in_fork

    started = time.monotonic()
    tests: object = []
    if "rewrite" in rooms:
        tests = in_fork(partial(plain, partial(cover_tests, package, ["tests/rewrite"])), 900, 1800.0)
    cases = in_fork(partial(plain, partial(cover_cases, cover_case, package)), 900, 1800.0)
    for found in (tests, cases):
        if not isinstance(found, list):
            sys.exit(f"the tests do not pass without a mutant: {found}")
        yield [Covered(name, frozenset(map(tuple, lines)), seconds) for name, lines, seconds in found]
    print(f"{len(tests)} tests and {len(cases)} cases, {time.monotonic() - started:.0f} s", flush=True)


def cover_cases(cover_case, package: Path) -> list:
    from fixture_cases import all_cases

    return [cover_case(package, case.name) for case in all_cases()]


def plain(work) -> list:
    return [(one.name, sorted(one.lines), one.seconds) for one in work()]


def trial_for(mutant, tests: Mapping, cases: Mapping) -> Trial:
    """The tests in which a mutant runs; for code outside of functions, those in which its module does."""
    places = {(mutant.module, line) for line in mutant.lines}
    if not mutant.function:
        places = {place for place in (*tests, *cases) if place[0] == mutant.module}
    chosen = {one.name: one.seconds for place in places for one in tests.get(place, ())}
    quickest = sorted(chosen, key=chosen.__getitem__)
    found = {one.name: one.seconds for place in places for one in cases.get(place, ())}
    code = Path(mutant.module).stem.upper()
    ordered = sorted(found, key=lambda name: (not name.startswith(code), found[name]))
    own = sum(name.startswith(code) for name in ordered)
    return Trial(quickest, ordered[: max(own, CASES)])


def judged(package: Path, mutant, code: str, trial: Trial) -> str:
    """What becomes of a mutant: "killed by …", "survived", or "not run by any test"."""
    from trying import in_fork, replace_module, run_cases, run_tests

    if not trial.tests and not trial.cases:
        return "not run by any test"

    def work(run, names):
        replace_module(package, mutant.module, code)
        return run(names)

    for kind, run, names in (("a test", run_tests, trial.tests), ("a case", run_cases, trial.cases)):
        if names:
            answer = in_fork(partial(work, run, names), CPU_SECONDS, WALL_SECONDS)
            if answer is not None:
                return "killed by the time limit" if answer == "time" else f"killed by {kind}"
    return "survived"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
