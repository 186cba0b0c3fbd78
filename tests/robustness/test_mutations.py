"""A case of `fixtures/` in other words has the same findings, and fixes that mean the same.

Here each case is put in one other way; `long.py` tries all ways on all cases.
"""

from __future__ import annotations

from zlib import crc32

import pytest
from fixture_cases import Case, all_cases

from robustness.mutations import MUTATIONS, Mutation
from robustness.same_program import is_plain, require_same

# By name: a new case changes nothing for the others.
CHOICES = tuple((case, MUTATIONS[crc32(case.name.encode()) % len(MUTATIONS)]) for case in all_cases())


@pytest.mark.parametrize(
    ("case", "mutation"), CHOICES, ids=[f"{case.name}, {mutation.name}" for case, mutation in CHOICES]
)
def test_other_words_change_nothing(case: Case, mutation: Mutation) -> None:
    ways = (mutation, *MUTATIONS)
    assert any(require_same(case, way) for way in ways) or not any(
        is_plain(path, content) for path, content in case.before.items()
    )
