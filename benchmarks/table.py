#!/usr/bin/env python3
"""What the tool costs beside others, as one table:  python benchmarks/table.py [--inputs corpus large script]

All commands run in fresh processes, those of an input in turns (--rounds, 3); the figures are medians of the
time on the processor, user and system, of the process and its children, their start included, and of the peak
memory of its largest process. A ratio is the median of the ratios of single rounds. The inputs:

- corpus: the open corpus; what is rewritten is a copy;
- large: the open corpus 20 times;
- script: a generated script of 10,000 lines.

LibCST, Fixit and ruff come from an environment that is made below .cache/benchmarks. tf_upgrade_v2 needs the
environment that `tests/run.py` prepares. It, Fixit and LibCST run in the first round only, as they take long.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from editor import HEAD, LAYER, TAIL
from fetch_corpus import FILES, corpus_files, fetch
from speed import REPOSITORY, TENSORFLOW, UPGRADE_EACH, Cost, output, python, run, tool

PEERS = REPOSITORY / ".cache" / "benchmarks" / "peers"
PINS = ("libcst==1.9.0", "fixit==2.2.1", "ruff==0.17.6")

COPIES = 20
LINES = 10_000
SAMPLE = 100
"""How many files Fixit gets: it takes too long for all of them."""

PARSE = """
import ast, sys
for path in open(sys.argv[1]).read().splitlines():
    with open(path, "rb") as file:
        ast.parse(file.read())
"""
READ_AND_HASH = """
import hashlib, sys
for path in open(sys.argv[1]).read().splitlines():
    with open(path, "rb") as file:
        hashlib.sha256(file.read()).digest()
"""
CODEMOD = """
import os, sys
from libcst.codemod import VisitorBasedCodemodCommand, parallel_exec_transform_with_prettyprint
class Visit(VisitorBasedCodemodCommand):
    def leave_Call(self, original_node, updated_node):
        return updated_node
root = os.path.commonpath([os.path.dirname(path) for path in sys.argv[1:]])
done = parallel_exec_transform_with_prettyprint(
    Visit, sys.argv[1:], jobs=1, hide_progress=True, repo_root=root
)
sys.exit(done.failures)
"""
FIXIT = """
import pathlib, sys
from fixit import fixit_paths
from fixit.ftypes import Options, QualifiedRule
rule = QualifiedRule("fixit.rules", "NoStaticIfCondition")
for result in fixit_paths(map(pathlib.Path, sys.argv[1:]), options=Options(rules=[rule])):
    pass
"""

COLD = "report, no cache"
WARM = "report, second run"
PARSING = "`ast.parse`"
HASHING = "reading and hashing"
WRITE = "`--write`, no cache"
LIBCST = "LibCST codemod, one empty visitor, the same files"


class Run(NamedTuple):
    """One line of the table."""

    name: str
    command: list[str]
    against: str = ""
    """The line it is compared with."""
    times: int = 1
    """How often that line's cost is allowed for."""
    limit: float | None = None
    """The target: at most so many times that cost."""
    megabytes: float | None = None
    """The target for its peak memory."""
    before: Callable[[], object] = lambda: None
    """What prepares each round."""
    once: bool = False


class Input(NamedTuple):
    """Files that everybody gets, below `folder`, and what to call them with."""

    folder: Path
    paths: list[str]
    files: list[Path]


def main(inputs: list[str], rounds: int) -> None:
    prepare_peers()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name).resolve()
        os.environ["NPU_MIGRATE_CACHE_DIR"] = str(scratch / "cache")
        print("| input | run | processor, s | memory, MB | compared with | ratio | target |")
        print("|---|---|---|---|---|---|---|")
        for kind in inputs:
            title, runs = INPUTS[kind](scratch / kind)
            for line in table(runs, [turn(runs, number) for number in range(rounds)]):
                print(f"| {title} {line}", flush=True)


def prepare_peers() -> None:
    """Makes the environment of the tools to compare with, unless it is there with these versions."""
    done = PEERS / "installed.txt"
    if not done.exists() or done.read_text() != "\n".join(PINS):
        venv.create(PEERS, with_pip=True, clear=True)
        install = [str(PEERS / "bin" / "python"), "-m", "pip", "install", "--quiet", *PINS]
        subprocess.run(install, check=True, stdout=sys.stderr)
        done.write_text("\n".join(PINS))


# -- inputs --------------------------------------------------------------------------------------------


def corpus(folder: Path) -> tuple[str, list[Run]]:
    found = copy_of(fetch(), folder / "original")
    return f"corpus, {len(found.files):,} files", list(all_runs(found, folder))


def script(folder: Path) -> tuple[str, list[Run]]:
    original = folder / "original"
    original.mkdir(parents=True)
    layers = (LINES - count(HEAD + TAIL)) // count(LAYER)
    text = HEAD + "".join(LAYER.format(n=n) for n in range(layers)) + TAIL
    Path(original, "train.py").write_text(text + "# The end.\n" * (LINES - count(text)))
    return f"script, {LINES:,} lines", list(all_runs(found_below(original), folder))


def large(folder: Path) -> tuple[str, list[Run]]:
    """The copies are links. A run without a cache fills one here, as another long run would be needed."""
    one = copy_of(fetch(), folder / "one")
    for number in range(COPIES):
        shutil.copytree(one.folder, folder / "many" / f"copy{number}", copy_function=os.link)
    files = corpus_files(folder / "many")
    paths = [str(path) for path in sorted(Path(folder, "many").glob("*/*"))]
    cold = f"{COLD}, {FILES:,} files"
    empty = partial(shutil.rmtree, os.environ["NPU_MIGRATE_CACHE_DIR"], ignore_errors=True)
    report = tool("--jobs", "1", *paths)
    listed = names(folder / "names", files)
    return f"corpus {COPIES} times, {len(files):,} files", [
        Run(cold, tool("--no-cache", "--jobs", "1", *one.paths)),
        Run(PARSING, python("-c", PARSE, listed)),
        Run(HASHING, python("-c", READ_AND_HASH, listed)),
        Run("report, empty cache", report, PARSING, limit=1.5, megabytes=500, before=empty),
        Run("the same, growth", [], cold, times=COPIES, limit=1.1),
        Run(WARM, report, HASHING, limit=3, megabytes=500),
    ]


INPUTS: dict[str, Callable[[Path], tuple[str, list[Run]]]] = {
    "corpus": corpus,
    "large": large,
    "script": script,
}


def copy_of(source: Path, folder: Path) -> Input:
    shutil.copytree(source, folder)
    return found_below(folder)


def found_below(folder: Path) -> Input:
    return Input(folder, [str(path) for path in sorted(folder.iterdir())], corpus_files(folder))


def names(file: Path, paths: list[Path]) -> str:
    """Writes the paths to `file`: they may be too many for a command line."""
    file.write_text("\n".join(map(str, paths)))
    return str(file)


def count(text: str) -> int:
    return text.count("\n")


# -- runs ----------------------------------------------------------------------------------------------


def all_runs(found: Input, folder: Path) -> Iterator[Run]:
    listed = names(folder / "names", found.files)
    sample = [str(path) for path in found.files[:: max(1, len(found.files) // SAMPLE)][:SAMPLE]]
    sampled = f"{COLD}, {len(sample)} of the files"
    peers = str(PEERS / "bin" / "python")
    output(tool("--jobs", "1", *found.paths))
    yield Run(PARSING, python("-c", PARSE, listed))
    yield Run(HASHING, python("-c", READ_AND_HASH, listed))
    yield Run(COLD, tool("--no-cache", "--jobs", "1", *found.paths), PARSING, limit=1.5)
    yield Run(WARM, tool("--jobs", "1", *found.paths), HASHING, limit=3)
    yield Run(f"{COLD}, `--jobs 2`", tool("--no-cache", "--jobs", "2", *found.paths), COLD)
    if TENSORFLOW.exists():
        upgrade = [str(TENSORFLOW), "-c", UPGRADE_EACH, *map(str, found.files)]
        yield Run("tf_upgrade_v2, file by file", upgrade, COLD, once=True)
    else:
        print(f"tf_upgrade_v2: left out, {TENSORFLOW} is not there; tests/run.py makes it", file=sys.stderr)
    ruff = ["check", "--isolated", "--no-cache", "--exit-zero", "--select", "F401", *found.paths]
    yield Run("ruff, one rule", [str(PEERS / "bin" / "ruff"), *ruff], COLD)
    if len(sample) < len(found.files):
        yield Run(sampled, tool("--no-cache", "--jobs", "1", *sample))
    with_fixit = f"Fixit, one rule, {len(sample)} of the files"
    against = sampled if len(sample) < len(found.files) else COLD
    yield Run(with_fixit, [peers, "-c", FIXIT, *sample], against, once=True)
    yield from writing_runs(found, folder / "copy", peers)


def writing_runs(found: Input, copy: Path, peers: str) -> Iterator[Run]:
    """Rewriting the files that `--write` changes. Both sides get a copy of their own for each round."""

    def afresh() -> None:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(found.folder, copy)

    afresh()
    written = [copy / Path(path).relative_to(found.folder) for path in found.paths]
    output(tool("--write", "--no-cache", *map(str, written)))
    changed = [str(path) for path in corpus_files(copy) if differs(path, copy, found.folder)]
    yield Run(LIBCST, [peers, "-c", CODEMOD, *changed], before=afresh, once=True)
    write = tool("--write", "--no-cache", "--jobs", "1", *changed)
    yield Run(f"{WRITE}, {len(changed)} files", write, LIBCST, limit=1, before=afresh)


def differs(path: Path, copy: Path, original: Path) -> bool:
    return path.read_bytes() != (original / path.relative_to(copy)).read_bytes()


def turn(runs: list[Run], number: int) -> dict[str, Cost]:
    """One round: what each run costs."""
    costs: dict[str, Cost] = {}
    for one in runs:
        if not one.command:  # another comparison of the run before it
            costs[one.name] = list(costs.values())[-1]
        elif number == 0 or not one.once:
            one.before()
            costs[one.name] = run(one.command)
            print(f"round {number + 1}: {one.name}: {costs[one.name].seconds:.2f} s", file=sys.stderr)
    return costs


# -- the table -----------------------------------------------------------------------------------------


def table(runs: list[Run], turns: list[dict[str, Cost]]) -> Iterator[str]:
    for one in runs:
        costs = [turn[one.name] for turn in turns if one.name in turn]
        cost = Cost(*map(statistics.median, zip(*costs, strict=True)))
        cells = [one.name, f"{cost.seconds:.2f}", f"{cost.megabytes:.0f}", *judged(one, turns, cost)]
        yield f"| {' | '.join(cells)} |"


def judged(one: Run, turns: list[dict[str, Cost]], cost: Cost) -> tuple[str, str, str]:
    """What it is compared with, the ratio, and the targets with what became of them."""
    ratio = 0.0
    if one.against:
        ratio = statistics.median(
            turn[one.name].seconds / (turn[one.against].seconds * one.times)
            for turn in turns
            if one.name in turn and one.against in turn
        )
    targets = []
    if one.limit is not None:
        targets.append(f"≤ {one.limit:g}: {verdict(ratio <= one.limit)}")
    if one.megabytes is not None:
        targets.append(f"< {one.megabytes:g} MB: {verdict(cost.megabytes < one.megabytes)}")
    against = f"{one.against}, times {one.times}" if one.times > 1 else one.against
    return against, f"{ratio:.2f}" if one.against else "", "; ".join(targets)


def verdict(met: bool) -> str:
    return "met" if met else "**missed**"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What the tool costs beside others.")
    parser.add_argument("--inputs", nargs="+", choices=INPUTS, default=list(INPUTS))
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    main(asked.inputs, asked.rounds)
