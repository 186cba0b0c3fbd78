"""The lines that long texts have in common."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from npu_migrate.reports.diff import unified_diff
from npu_migrate.reports.matching import AnchoredMatcher


def rebuilt(old: list[bytes], new: list[bytes]) -> list[bytes]:
    """`new`, with all lines that are said to be equal taken from `old`."""
    lines: list[bytes] = []
    for tag, start, end, other, other_end in AnchoredMatcher(None, old, new).get_opcodes():
        lines += old[start:end] if tag == "equal" else new[other:other_end]
    return lines


@pytest.mark.parametrize("seed", range(200))
def test_equal_lines_are_equal_and_in_order(seed: int) -> None:
    chance = random.Random(seed)
    letters = [b"%d" % number for number in range(chance.choice((2, 5, 40)))]
    old = chance.choices(letters, k=chance.randrange(40))
    new = list(old)
    for _ in range(chance.randrange(8)):
        first, second = sorted(chance.choices(range(len(new) + 1), k=2))
        new[first:second] = chance.choice((chance.choices(letters, k=2), [], new[second : second + 3]))
    assert rebuilt(old, new) == new
    blocks = AnchoredMatcher(None, old, new).get_matching_blocks()
    assert blocks[-1] == (len(old), len(new), 0)
    assert all(one.size for one in blocks[:-1])
    assert all(one.a + one.size <= two.a and one.b + one.size <= two.b for one, two in pairwise(blocks))
    assert all((one.a + one.size, one.b + one.size) != two[:2] for one, two in pairwise(blocks[:-1]))


def test_a_line_that_both_have_once_is_found() -> None:
    old = [b"a", b"b", b"x", b"c", b"a"]
    new = [b"b", b"a", b"x", b"a", b"c"]
    assert AnchoredMatcher(None, old, new).get_matching_blocks()[0:3] == [(1, 0, 1), (2, 2, 1), (3, 4, 1)]
    assert AnchoredMatcher(None, [], []).get_matching_blocks() == [(0, 0, 0)]


def test_a_long_text_has_the_hunks_of_a_short_one() -> None:
    block = b"def f%d():\n    a\n\n    b\n    c\n    d\n    e\n    f\n\n\n"
    short, long = (b"".join(block % number for number in range(count)) for count in (100, 1000))
    before, after = (
        unified_diff("a.py", text, text.replace(b"    d\n", b"    g\n    d\n")) for text in (short, long)
    )
    assert before.count(b"@@") == 200
    assert after.count(b"@@") == 2000
    # At the end of a text `difflib` has no line to hold on to.
    assert after.startswith(before[: before.rindex(b"@@ -")])
