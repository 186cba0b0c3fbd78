#!/usr/bin/env python3
"""What the tool costs where code for the NPU is dense:  python benchmarks/dense.py [--copies N…] [--rounds N]

The tree has 1,500 files, of which two thirds matter: the runnable cases of `tests/fixtures` and the
programs that `tests/assembled.py` and `tests/grid` put together, each in a folder of its own as a project,
and in these folders plain modules of the open corpus, which no rule has anything to say about. The tree is
written --copies times, side by side.

All commands run in fresh processes, those of a tree in turns; medians of --rounds (3) turns of the time on
the processor, ratios within a turn. With several processes it is the time by the clock that counts. For the
review, three files of a repository are changed, and the cache holds all the others.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from fetch_corpus import corpus_files, fetch
from speed import REPOSITORY, python, run, tool
from table import PARSE, READ_AND_HASH, names, verdict

sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY)]

from assembled import scripts  # noqa: E402 - after the path is known
from fixture_cases import runnable_cases  # noqa: E402
from grid.programs import files_of, sample  # noqa: E402

from npu_migrate.index.gate import mentions_ours, plays_role  # noqa: E402

FILES = 1500
THAT_MATTER = 1000
SEED = 16
CHANGED = 3

PARSING, HASHING, REPORT = "`ast.parse`", "reading and hashing", "report, no cache"


class Measured(NamedTuple):
    """One command: seconds on the processor and by the clock, and its peak memory in MB."""

    processor: float
    clock: float
    megabytes: float


class Line(NamedTuple):
    """A line of the table: a command, and what its time (`by` the clock or the processor) must not exceed:
    `limit` times that of the command `against`."""

    name: str
    command: list[str]
    against: str = ""
    limit: float | None = None
    by: str = "processor"
    before: Callable[[], None] = lambda: None


def main(copies: list[int], rounds: int) -> None:
    print("| tree | run | processor, s | clock, s | memory, MB | compared with | ratio | target |")
    print("|---|---|---|---|---|---|---|---|")
    for number in copies:
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name).resolve()
            os.environ["NPU_MIGRATE_CACHE_DIR"] = str(scratch / "cache")
            folder = scratch / "tree"
            for copy in range(number):
                write_dense_tree(folder / f"copy{copy}")
            lines = list(runs(folder, scratch))
            turns = [{line.name: measured(line) for line in lines} for _ in range(rounds)]
            for line in lines:
                print(f"| dense, {number * FILES:,} files | {row(line, turns)} |", flush=True)


def write_dense_tree(folder: Path) -> None:
    """Writes the tree of `FILES` files below `folder`."""
    plain = islice(cycle(plain_modules()), FILES - THAT_MATTER)
    written = 0
    for number, project in enumerate(projects()):
        files = dict(islice(project.items(), THAT_MATTER - written))
        if not files:
            break
        for path, content in files.items():
            write(folder / f"project{number:04}" / path, content)
        written += len(files)
        # As many plain modules as half of what matters, spread evenly.
        for index in range(written // 2 - (written - len(files)) // 2):
            write(folder / f"project{number:04}" / f"plain{index}.py", next(plain).read_bytes())
    if len(corpus_files(folder)) != FILES:
        raise RuntimeError(f"{folder} has {len(corpus_files(folder))} files instead of {FILES}")


def projects() -> Iterator[Mapping[str, bytes]]:
    """The Python files of each project, again and again with other programs of the grid."""
    for case in runnable_cases():
        if all(path.endswith(".py") for path in case.before):
            yield case.before
    for script in scripts():
        yield script.files
    for program in sample(THAT_MATTER, SEED):
        yield files_of(program)


def plain_modules() -> list[Path]:
    """The files of the open corpus that mention nothing of ours, nor anything that rules weigh."""
    found = [path for path in corpus_files(fetch()) if path.name != "__init__.py"]
    return [path for path in found if not matters(path.read_bytes())]


def matters(data: bytes) -> bool:
    return mentions_ours(data) or plays_role(data)


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


# -- runs ----------------------------------------------------------------------------------------------


def runs(folder: Path, scratch: Path) -> Iterator[Line]:
    listed = names(scratch / "names", corpus_files(folder))
    one = ("--jobs", "1", str(folder))
    yield Line(PARSING, python("-c", PARSE, listed))
    yield Line(HASHING, python("-c", READ_AND_HASH, listed))
    yield Line(REPORT, tool("--no-cache", *one), PARSING, 2.0)
    yield Line("the same as JSON", tool("--no-cache", "--format", "json", *one), REPORT, 1.1)
    two = tool("--no-cache", "--jobs", "2", str(folder))
    yield Line("report, no cache, `--jobs 2`", two, REPORT, 0.6, by="clock")
    empty = partial(shutil.rmtree, os.environ["NPU_MIGRATE_CACHE_DIR"], ignore_errors=True)
    yield Line("report, empty cache", tool(*one), REPORT, before=empty)
    yield Line("report, second run", tool(*one), HASHING, 3)
    repository = scratch / "repository"
    shutil.copytree(folder, repository)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "As it was"]):
        git(repository, *words)
    review = tool("--jobs", "1", "--changed-since", "HEAD", str(repository))
    changing = changes(repository)
    yield Line(f"`--changed-since`, {CHANGED} files", review, HASHING, 2, before=lambda: next(changing))


def changes(repository: Path) -> Iterator[None]:
    """Has all files looked at, as an earlier line has emptied the cache; then changes some of those that
    matter, others each time."""
    entries = cycle(path for path in corpus_files(repository) if mentions_ours(path.read_bytes()))
    while True:
        git(repository, "checkout", "-q", ".")
        run(tool("--jobs", "1", str(repository)))
        for path in islice(entries, CHANGED):
            path.write_text(path.read_text(encoding="utf-8") + f"\nLAST_CHANGED = {time.time_ns()}\n")
        yield


def git(repository: Path, *words: str) -> None:
    author = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@example.org")
    subprocess.run(["git", "-C", str(repository), *author, *words], check=True)


def measured(line: Line) -> Measured:
    line.before()
    started = time.perf_counter()
    cost = run(line.command)
    clock = time.perf_counter() - started
    print(f"{line.name}: {cost.seconds:.2f} s, {clock:.2f} s by the clock", file=sys.stderr)
    return Measured(cost.seconds, clock, cost.megabytes)


# -- the table -----------------------------------------------------------------------------------------


def row(line: Line, turns: list[dict[str, Measured]]) -> str:
    median = Measured(*map(statistics.median, zip(*(turn[line.name] for turn in turns), strict=True)))
    cells = [line.name, f"{median.processor:.2f}", f"{median.clock:.2f}", f"{median.megabytes:.0f}"]
    ratio = None
    if line.against:
        ratio = statistics.median(
            getattr(turn[line.name], line.by) / getattr(turn[line.against], line.by) for turn in turns
        )
    cells += [line.against, "" if ratio is None else f"{ratio:.2f}"]
    met = ratio is not None and line.limit is not None and ratio <= line.limit
    cells.append("" if line.limit is None else f"≤ {line.limit:g}: {verdict(met)}")
    return " | ".join(cells)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--copies", nargs="+", type=int, default=[1, 10])
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    main(asked.copies, asked.rounds)
