"""What runs only in a file that is started, and what certainly runs in it or in one that is imported."""

from __future__ import annotations

import pytest
from facts_text import facts_of

from npu_migrate.index.guards import certainly_runs, is_for_scripts

MAIN = '__name__ == "__main__"'
OTHER = '__name__ != "__main__"'
BODY_ONLY = (True, False)
ELSE_ONLY = (False, True)
NEITHER = (False, False)


@pytest.mark.parametrize(
    ("test", "only", "certainly"),
    [
        (MAIN, BODY_ONLY, BODY_ONLY),
        ('"__main__" == __name__', BODY_ONLY, BODY_ONLY),
        (OTHER, ELSE_ONLY, ELSE_ONLY),
        (f"not {MAIN}", ELSE_ONLY, ELSE_ONLY),
        (f"not {OTHER}", BODY_ONLY, BODY_ONLY),
        (f"{MAIN} and c", BODY_ONLY, NEITHER),
        (f"c and {MAIN}", BODY_ONLY, NEITHER),
        (f"{MAIN} or c", NEITHER, BODY_ONLY),
        (f"{OTHER} or c", ELSE_ONLY, NEITHER),
        (f"{OTHER} and c", NEITHER, ELSE_ONLY),
        (f"{MAIN} and (c or {MAIN})", BODY_ONLY, BODY_ONLY),
        ("__name__", NEITHER, NEITHER),
        ("not c", NEITHER, NEITHER),
        ('__name__ == "train"', NEITHER, NEITHER),
        ('name == "__main__"', NEITHER, NEITHER),
        ('__name__ in ("__main__",)', NEITHER, NEITHER),
        (f"f({MAIN})", NEITHER, NEITHER),
    ],
)
def test_blocks(test: str, only: tuple[bool, bool], certainly: tuple[bool, bool]) -> None:
    (asked,) = facts_of(f"if {test}:\n    a\nelse:\n    b\n").statements[0].values
    assert (is_for_scripts(asked, "body"), is_for_scripts(asked, "orelse")) == only
    assert tuple(certainly_runs(asked, block, started=True) for block in ("body", "orelse")) == certainly


@pytest.mark.parametrize(
    ("test", "certainly"),
    [
        (MAIN, ELSE_ONLY),
        (OTHER, BODY_ONLY),
        (f"{MAIN} and c", ELSE_ONLY),
        (f"{OTHER} or c", BODY_ONLY),
        (f"{OTHER} and c", NEITHER),
        ("c", NEITHER),
    ],
)
def test_blocks_of_a_file_that_is_imported(test: str, certainly: tuple[bool, bool]) -> None:
    (asked,) = facts_of(f"if {test}:\n    a\nelse:\n    b\n").statements[0].values
    assert tuple(certainly_runs(asked, block, started=False) for block in ("body", "orelse")) == certainly
