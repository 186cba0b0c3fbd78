#!/usr/bin/env python3
"""The loops of this folder for longer than the tests take:

    python tests/robustness/long.py [LOOP…] --minutes 10

LOOP is `mutations` (all of them on all cases), `kills` (100 killed runs) or `programs` (random ones for the
time that is left); without one, all three in this order. Says what it did, and ends with exit code 1 after a
failure. `fuzzing.py` is run by itself.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from command import folder_with  # noqa: E402 - after the path is known
from fixture_cases import all_cases  # noqa: E402

from npu_migrate import check  # noqa: E402
from robustness.circles import circular_program  # noqa: E402
from robustness.killing import require_whole_files, undisturbed  # noqa: E402
from robustness.mutations import MUTATIONS  # noqa: E402
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
        done = 0
        for label, attempt in LOOPS[name](options.seed):
            if time.monotonic() > end:
                break
            try:
                done += attempt()
            except Exception:
                failed += 1
                print(f"FAILED: {label}", flush=True)
                traceback.print_exc(limit=-3)
        print(f"{name}: {done}", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


Attempt = tuple[str, Callable[[], int]]


def mutated_cases(_: int) -> Iterator[Attempt]:
    for case in all_cases():
        for mutation in MUTATIONS:
            yield f"{case.name}, {mutation.name}", lambda c=case, m=mutation: require_same(c, m)


def killed_runs(seed: int) -> Iterator[Attempt]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        after, duration = undisturbed(folder)
        random = Random(seed)

        def attempt() -> int:
            require_whole_files(folder, after, duration, random)
            return 1

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


def _circular(seed: int) -> int:
    with folder_with(circular_program(seed)):
        found = check(["."]).diagnostics
    failures = [one.message for one in found if one.code in ("NPU901", "NPU902", "NPU903")]
    assert not failures, failures
    return 1


def _sprinkled(path: Path, seed: int) -> int:
    random = Random(seed)
    try:
        text = path.read_text(encoding="utf-8")
    except ValueError:
        return 0
    if not is_python(text):
        return 0
    rate = random.choice((0.3, 0.05, 0.01))
    program = random.choice(HEADERS) + sprinkled(
        text, lambda _: random.choice(OURS) if random.random() < rate else None
    )
    if is_python(program):
        require_faithful(program)
    return 1


LOOPS: dict[str, Callable[[int], Iterator[Attempt]]] = {
    "mutations": mutated_cases,
    "kills": killed_runs,
    "programs": random_programs,
}


if __name__ == "__main__":
    sys.exit(main())
