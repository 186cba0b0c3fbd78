#!/usr/bin/env python3
"""The loops of this folder for longer than the tests take:

    python tests/robustness/long.py [LOOP…] --minutes 10

LOOP is `mutations` (all of them on all cases), `chains` (three times as long as in the tests), `kills` (100
killed runs) or `programs` (random ones for the time that is left); without one, all of these in this order.
Says what it did, and ends with exit code 1 after a failure. `fuzzing.py` is run by itself.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from command import folder_with  # noqa: E402 - after the path is known
from fixture_cases import Case, all_cases  # noqa: E402

from npu_migrate import check  # noqa: E402
from robustness.chains import CHAINS, Chain, require_found_beside  # noqa: E402
from robustness.circles import circular_program  # noqa: E402
from robustness.killing import require_whole_files, undisturbed  # noqa: E402
from robustness.mutations import MUTATIONS, Mutation  # noqa: E402
from robustness.same_program import require_same  # noqa: E402
from robustness.sprinkling import HEADERS, OURS, is_python, require_faithful, sprinkled  # noqa: E402

KILLED_RUNS = 100


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("loops", nargs="*", metavar="LOOP", help=f"one of {', '.join(LOOPS)} (default: all)")
    parser.add_argument("--minutes", type=float, default=10, help="time for everything (default: 10)")
    parser.add_argument("--seed", type=int, default=0, help="another seed tries other programs")
    options = parser.parse_args()
    unknown = [name for name in options.loops if name not in LOOPS]
    if unknown:
        parser.error(f"no such loop: {', '.join(unknown)}")
    end = time.monotonic() + options.minutes * 60
    failed = 0
    for name in options.loops or LOOPS:
        done: Counter[str] = Counter()
        for label, attempt in LOOPS[name](options.seed):
            if time.monotonic() > end:
                break
            try:
                done[attempt()] += 1
            except Exception:
                failed += 1
                print(f"FAILED: {label}", flush=True)
                traceback.print_exc(limit=-3)
        print(
            f"{name}: {done.total()} ({', '.join(f'{count} {kind}' for kind, count in done.items())})",
            flush=True,
        )
    print(f"{failed} failed")
    return 1 if failed else 0


Attempt = tuple[str, Callable[[], str]]
"""What is tried, and what does it and tells in a word what came of it."""


def mutated_cases(_: int) -> Iterator[Attempt]:
    for case in all_cases():
        for mutation in MUTATIONS:
            yield f"{case.name}, {mutation.name}", lambda c=case, m=mutation: _mutated(c, m)


def _mutated(case: Case, mutation: Mutation) -> str:
    return "the same" if require_same(case, mutation) else "not to be mutated"


def long_chains(_: int) -> Iterator[Attempt]:
    for name, chain in CHAINS.items():
        yield f"a chain of {name}", lambda c=chain: _longer(c)


def _longer(chain: Chain) -> str:
    require_found_beside(chain, 3 * chain.length)
    return "checked"


def killed_runs(seed: int) -> Iterator[Attempt]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        course = undisturbed(folder)
        random = Random(seed)

        def attempt() -> str:
            return f"with {require_whole_files(folder, course, random)} of the files written"

        for number in range(KILLED_RUNS):
            yield f"killed run {number}", attempt


def random_programs(seed: int) -> Iterator[Attempt]:
    random = Random(seed)
    found = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    texts = [path for path in found if 500 < path.stat().st_size < 20_000]
    for number in count(seed):
        yield f"circular program {number}", lambda n=number: _circular(n)
        path = random.choice(texts)
        yield f"{path} with seed {number}", lambda p=path, n=number: _sprinkled(p, n)


def _circular(seed: int) -> str:
    with folder_with(circular_program(seed)):
        found = check(["."]).diagnostics
    failures = [one.message for one in found if one.code in ("NPU901", "NPU902", "NPU903")]
    assert not failures, failures
    return "circular"


def _sprinkled(path: Path, seed: int) -> str:
    random = Random(seed)
    try:
        text = path.read_text(encoding="utf-8")
    except ValueError:
        return "no UTF-8"
    if not is_python(text):
        return "no Python"
    rate = random.choice((0.3, 0.05, 0.01))
    program = random.choice(HEADERS) + sprinkled(
        text, lambda _: random.choice(OURS) if random.random() < rate else None
    )
    if not is_python(program):
        return "no Python"
    return "with fixes" if require_faithful(program) else "without fixes"


LOOPS: dict[str, Callable[[int], Iterator[Attempt]]] = {
    "mutations": mutated_cases,
    "chains": long_chains,
    "kills": killed_runs,
    "programs": random_programs,
}


if __name__ == "__main__":
    sys.exit(main())
