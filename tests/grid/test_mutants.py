"""Migrations of some programs of the grid, spoilt: none that does something else is borne out.

`mutate.py` does the same with more programs.
"""

from __future__ import annotations

import pytest
from runtime.worlds import Worlds, available_worlds

from grid.mutants import mutants
from grid.programs import Program, files_of, sample
from grid.spoiling import judged_mutants
from grid.trying import migration

CHOSEN = sample(10, seed=12)


@pytest.mark.long
@pytest.mark.parametrize("program", CHOSEN, ids=[one.name for one in CHOSEN])
@pytest.mark.parametrize("world", available_worlds()[-1:])
def test_what_is_borne_out_does_the_same(program: Program, world: str, worlds: Worlds) -> None:
    made = migration(files_of(program))
    found = list(judged_mutants(program.name, made.before, made.safe, worlds[world]))
    assert {f"{one.mutant.way}, {one.mutant.place}": one.fault for one in found if one.fault} == {}


def test_the_ways_to_spoil_a_migration() -> None:
    before = b"it = ds.make_one_shot_iterator()\nx = it\nfor _ in range(3):\n    sess.run(x)\nprint(1)\n"
    after = before.replace(b"one_shot", b"initializable").replace(
        b"for _", b"add_to_collection(T, it.initializer)\nsess.run(tables_initializer())\nfor _"
    )
    found = {
        one.way: one.files["train.py"].decode() for one in mutants({"train.py": before}, {"train.py": after})
    }
    assert found["registration deleted"].count("pass") == found["run deleted"].count("pass") == 1
    assert found["run moved down"].endswith("sess.run(x)\nsess.run(tables_initializer())\nprint(1)\n")
    assert found["run moved up"].index("tables_init") < found["run moved up"].index("add_to")
    assert found["run repeated in a loop"].count("    sess.run(tables_initializer())") == 1
    assert found["run moved to the end"].endswith("print(1)\nsess.run(tables_initializer())\n")
