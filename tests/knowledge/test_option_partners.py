"""Options that exclude or need each other: the tables name what exists, and mean what they say."""

from __future__ import annotations

import pytest

from npu_migrate.knowledge.option_partners import CONFLICTS, DYNAMIC_TRIO, PARTNERS, Conflict, Part, Partner
from npu_migrate.knowledge.option_values import is_legal
from npu_migrate.knowledge.run_config import PARAMETERS
from npu_migrate.knowledge.session_keys import SESSION_KEYS

PARTS = [
    *(part for row in CONFLICTS for part in (row.one, row.other)),
    *(part for row in PARTNERS for part in (row.one, *row.needed)),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_options_and_their_values_exist(part: Part) -> None:
    assert part.name in SESSION_KEYS or part.name in PARAMETERS
    key = SESSION_KEYS.get(part.name)
    assert key is None or all(is_legal(part.name, key, value) for value in part.values)


@pytest.mark.parametrize(
    ("part", "value", "holds"),
    [
        (Part("dump_path"), "/tmp", True),
        (Part("dump_path"), "", False),
        (Part("dump_path"), None, False),
        (Part("enable_dump", (True,)), True, True),
        (Part("enable_dump", (True,)), 1, False),
        (Part("graph_run_mode", (1,)), True, False),
        (Part("dynamic_node_type"), 0, True),
        (Part("dynamic_node_type"), -1, False),
        (Part("enable_compress_weight", present=True), False, True),
        (Part("precision_mode", present=True), None, False),
        (Part("op_debug_config", pattern="(.*,)?oom"), "ccec_g,oom", True),
        (Part("op_debug_config", pattern="(.*,)?oom"), "/root/room.cfg", False),
        (Part("op_debug_config", pattern="(.*,)?oom"), 1, False),
    ],
)
def test_when_a_part_holds(part: Part, value: object, holds: bool) -> None:
    assert part.holds(value) is holds


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Part("dump_path"), "dump_path"),
        (Part("enable_dump", (True,)), "enable_dump = True"),
        (Part("a", ("b", "c", "d")), "a = b, c or d"),
    ],
)
def test_parts_in_words(part: Part, words: str) -> None:
    assert part.in_words() == words


def test_each_of_the_trio_needs_another() -> None:
    rows = {row.one.name: row.needed[0].name for row in PARTNERS if row.one.name in DYNAMIC_TRIO}
    assert set(rows) == set(rows.values()) == set(DYNAMIC_TRIO)


@pytest.mark.parametrize("row", [*CONFLICTS, *PARTNERS], ids=lambda row: row.one.name)
def test_where_the_runtime_stops_it_is_an_error(row: Conflict | Partner) -> None:
    assert row.stops is None or row.weight == "error"
