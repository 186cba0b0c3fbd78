"""Which tests one process runs one after another, and when: tells xdist, with ``--dist loadfile``.

Most files stay whole. The tests of all fixtures are divided by their case and not by their file: what one of
these files has the tool find out about a case, the next one is told by the cache. These parts are small and
come last, so that no process is left without work while another one is in the midst of a file of minutes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import SupportsIndex
from zlib import crc32

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

PARTS = 64
"""Into how many parts the cases are divided: each takes seconds."""

BY_CASE = (
    "tests/cli/test_cache.py",
    "tests/review/test_github_review.py",
    "tests/robustness/test_mutations.py",
    "tests/test_fixtures.py",
    "tests/test_forms.py",
)
"""Files that have tests of all cases; each is whole for whoever runs it alone."""

ONE_FOLDER = "tests/reports/"
"""Its files ask for reports on all fixtures together: what one has the tool find out, the others are told."""

_OF_A_CASE = re.compile(r"\[(?:safe-|unsafe-)?(NPU\d{3}-[^/\]]+/[^\],]+)")


class CasesTogether(LoadFileScheduling):
    """Keeps the tests of a file together, those of `ONE_FOLDER`, and in `BY_CASE` those of some cases.

    xdist has no other places than these methods, some of which are its own, where that can be said. For each
    test that it hands out it looks through the names of all, and for each that has ended through all that
    were handed out; with some ten thousands of tests the processes would wait for that.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        super().add_node_collection(node, collection)
        self.registered_collections[node] = Names(collection)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Forgets the test, so that only those are kept that have not ended."""
        name = self.registered_collections[node][item_index]
        unit = unit_of(name)
        given = self.assigned_work[node]
        del given[unit][name]
        if not given[unit]:
            del given[unit]
        self._reschedule(node)

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        return sum(map(len, workload.values()))


class Names(list[str]):
    """The names of all tests, which knows at once where one is."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(names)
        self._places = {name: place for place, name in enumerate(self)}

    def index(self, name: str, *_: SupportsIndex) -> int:
        return self._places[name]


def unit_of(nodeid: str) -> str:
    """The name of what is run together with that test: its file, a folder, or a part of the cases."""
    file = nodeid.split("::", 1)[0]
    if file.startswith(ONE_FOLDER):
        return ONE_FOLDER
    case = _OF_A_CASE.search(nodeid) if file in BY_CASE else None
    return file if case is None else f"cases {crc32(case[1].encode()) % PARTS}"


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Tests that wait for a TensorFlow come first, since others can run beside them; parts of cases last."""
    waiting = {item.path for item in items if "worlds" in getattr(item, "fixturenames", ())}
    return sorted(items, key=lambda item: (is_of_a_case(item), item.path not in waiting))


def is_of_a_case(item: pytest.Item) -> bool:
    return unit_of(item.nodeid).startswith("cases ")
