"""150 programs of the grid: safe fixes keep what they print, and so does initialization on first use.

Each runs in one of the two versions of TensorFlow, in turn, which keeps this below three minutes of one
processor. `run_all.py` tries all programs, in both.
"""

from __future__ import annotations

from itertools import cycle

import pytest
from runtime.worlds import Worlds, available_worlds

from grid.programs import AXES, Program, files_of, programs, sample, senseless
from grid.trying import migration, tried

CHOSEN = sample(150, seed=2026)
RUNS = tuple(zip(CHOSEN, cycle(available_worlds()), strict=False)) if available_worlds() else ()

pytestmark = pytest.mark.long


@pytest.mark.parametrize(("program", "world"), RUNS, ids=[f"{one.name}, {world}" for one, world in RUNS])
def test_goes_on_as_before(program: Program, world: str, worlds: Worlds) -> None:
    (trial,) = tried([(program, worlds[world])])
    assert trial.faults == {}


def test_nine_of_ten_are_safe() -> None:
    left = [one.name for one in CHOSEN if migration(files_of(one)).treated != "safe"]
    assert len(left) <= len(CHOSEN) // 10, left


def test_every_way_is_in_a_program() -> None:
    grid = list(programs())
    assert [set(ways) for ways in zip(*grid, strict=True)] == [set(ways) for ways in AXES.values()]
    assert not any(map(senseless, grid))
