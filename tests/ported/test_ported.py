"""Some assembled scripts for GPUs: one run moves them, and they train as before, on the NPU.

`run_all.py` tries all of them.
"""

from __future__ import annotations

from itertools import cycle

import pytest
from runtime.worlds import Worlds, available_worlds

from ported.programs import Program, sample
from ported.trying import tried

CHOSEN = sample(12, seed=2026)
RUNS = tuple(zip(CHOSEN, cycle(available_worlds()), strict=False)) if available_worlds() else ()

pytestmark = pytest.mark.long


@pytest.mark.parametrize(("program", "world"), RUNS, ids=[f"{one.name}, {world}" for one, world in RUNS])
def test_one_run_moves_all_of_it(program: Program, world: str, worlds: Worlds) -> None:
    (trial,) = tried([(program, worlds[world])])
    assert trial.faults == {}
