#!/usr/bin/env python3
"""What the abstract run says of safe fixes, and what it costs:  python benchmarks/abstract_run.py

The fixes are those of the fixtures, and of the scripts that tests put together from parts; all of them are
right. Prints how many are verified, lost and refuted, and of the milliseconds on the processor that a program
takes the median, the 95th percentile and the worst. What the open corpus costs tells `speed.py`.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from abstract_run.judged import verdict_of  # noqa: E402 (the test helpers are reachable only now)
from assembled import scripts  # noqa: E402
from command import folder_with, tool  # noqa: E402
from fidelity import Tree, read_tree  # noqa: E402
from fixture_cases import all_cases  # noqa: E402

from npu_migrate.findings import VERIFIABLE  # noqa: E402

Edit = tuple[str, Tree, Tree]
"""The name of a program, and its files before and after the safe fixes."""


def main() -> None:
    for title, edits in (("fixtures", of_fixtures()), ("assembled scripts", of_scripts())):
        said: Counter[str] = Counter()
        cost: list[float] = []
        for name, before, after in edits:
            start = time.process_time()
            verdict = verdict_of(before, after)
            cost.append((time.process_time() - start) * 1000)
            said[verdict.kind] += 1
            if verdict.kind != "verified":
                print(f"  {name}: {verdict.kind}: {verdict.reason}")
        shares = ", ".join(f"{count} {kind}" for kind, count in sorted(said.items()))
        print(f"{title}: {len(cost)} programs: {shares}; {of_all(cost)}")


def of_fixtures() -> Iterator[Edit]:
    for case in all_cases():
        before, after = of_python(case.before), of_python(case.after)
        if case.name.startswith(tuple(VERIFIABLE)) and before != after:
            yield case.name, before, after


def of_scripts() -> Iterator[Edit]:
    for script in scripts():
        with folder_with(script.files) as folder:
            tool(".", "--write", "--no-cache")
            after = read_tree(folder)
        if after != script.files:
            yield script.name, script.files, after


def of_python(tree: Tree) -> Tree:
    return {name: text for name, text in tree.items() if name.endswith(".py")}


def of_all(cost: list[float]) -> str:
    ordered = sorted(cost)
    middle, late = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    return f"median {middle:.1f} ms, 95th percentile {late:.1f} ms, worst {ordered[-1]:.1f} ms"


if __name__ == "__main__":
    main()
