"""Two runs compared: the first difference, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from npu_migrate.findings import Compared, Difference
from npu_migrate.rehearsal.comparing import Comparison, Run, compare, equal
from npu_migrate.rehearsal.protocol import Line, SessionRun


def run(*values: dict[str, Any], printed: str = "", whole: bool = True) -> Run:
    runs = [SessionRun(number, Line("/a.py", number), one) for number, one in enumerate(values, 1)]
    return Run(runs, printed.splitlines(), whole)


def first(one: Run, other: Run) -> Difference | None:
    return compare(one, other).compared.first_difference


def test_equal_runs() -> None:
    same = run({}, {"loss:0": 0.5}, {"loss:0": 0.25}, printed="a\nb\n")
    assert compare(same, same).compared == Compared(2, None)


def test_initializers_do_not_take_part() -> None:
    """A migrated script has more session runs; those that fetch nothing are no steps."""
    assert first(run({}, {"loss:0": 0.5}), run({}, {}, {"loss:0": 0.5})) is None


def test_the_first_number_that_differs_is_shown() -> None:
    one, other = run({}, {"loss:0": 0.5}, {"loss:0": 0.25}), run({}, {}, {"loss:0": 0.5}, {"loss:0": 8.0})
    assert compare(one, other).compared == Compared(
        1, Difference("fetched", 2, "loss:0", "0.25", "8.0", "/a.py", 4)
    )


def test_the_element_that_differs_is_shown() -> None:
    found = first(run({"w:0": [[1.0, 2.0], [3.0, 4.0]]}), run({"w:0": [[1.0, 2.0], [0.0, 0.0]]}))
    assert found is not None and (found.expected, found.found) == ("3.0", "0.0")


def test_operations_may_have_other_names() -> None:
    assert first(run({"OneShotIterator:0": 3}), run({"IteratorV2:0": 3})) is None


def test_a_run_that_is_missing() -> None:
    assert first(run({"x:0": 1}, {"x:0": 2}), run({"x:0": 1})) == Difference("runs", 2, "x:0", "2", "nothing")


def test_runs_that_were_ended_early_are_compared_as_far_as_both_go() -> None:
    one = run({"x:0": 1}, {"x:0": 2}, printed="1\n2\n", whole=False)
    other = run({}, {"x:0": 1}, printed="1\n", whole=False)
    assert compare(one, other).compared == Compared(1, None)
    assert first(one, run({"x:0": 5}, whole=False)) is not None


def test_a_printed_line() -> None:
    found = first(run({"x:0": 1}, printed="ok\ndone\n"), run({"x:0": 1}, printed="ok\nfailed\n"))
    assert found == Difference("printed", 2, "", "done", "failed")


def test_numbers_that_nobody_fetched_are_no_difference() -> None:
    """A time is another one at every run."""
    comparison = compare(run({"x:0": 1}, printed="0.31 s\n"), run({"x:0": 1}, printed="0.29 s\n"))
    assert comparison.compared == Compared(1, None)
    assert comparison.only_printed is not None


@pytest.mark.parametrize(
    ("expected", "found", "differs"),
    [
        ("loss 2.345678", "loss 2.345679", False),
        ("loss 0.31250001", "loss 0.3125", False),
        ("loss 12.345", "loss 12.346", False),
        ("loss 0.26", "loss 0.27", True),
        ("step 100", "step 101", True),
        ("loss 2.345678", "loss 2.346", False),
        ("loss 2.345678", "cost 2.345678", True),
    ],
)
def test_numbers_are_printed_rounded(expected: str, found: str, differs: bool) -> None:
    assert (first(run(printed=expected), run(printed=found)) is not None) == differs


def test_without_any_fetched_number_what_is_printed_decides() -> None:
    assert first(run(printed="0.31\n"), run(printed="0.29\n")) is not None


def test_other_words_are_a_difference_even_behind_another_time() -> None:
    one, other = run({"x:0": 1}, printed="0.3 s\ngood\n"), run({"x:0": 1}, printed="0.2 s\nbad\n")
    assert first(one, other) is not None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1.0, 1.0 + 1e-7, True),
        (1.0, 1.001, False),
        (1, 2, False),
        ("nan", "nan", True),
        ("nan", 1.0, False),
        ("a", "b", False),
        ("/tmp/one/model.ckpt-3", "/tmp/other/model.ckpt-3", True),
        ("/tmp/one/model.ckpt-3", "/tmp/other/model.ckpt-4", False),
        ("data/a.txt", "other/a.txt", False),
        ("\n\x01handle of one graph", "\n\x01handle of another", True),
        ([1.0, 2.0], [1.0], False),
        ({"shape": [3], "digest": "a"}, {"shape": [3], "digest": "a"}, True),
        ({"shape": [3], "digest": "a"}, {"shape": [3], "digest": "b"}, False),
        (None, 1, False),
        (True, True, True),
    ],
)
def test_equality(one: Any, other: Any, same: bool) -> None:
    assert equal(one, other) is same


def test_runs_of_other_threads_are_left_out_and_counted() -> None:
    """Their order is another one at each start."""
    place = Line("/a.py", 1)
    own = [SessionRun(1, place, {"loss:0": 1.0}), SessionRun(4, place, {"loss:0": 2.0})]
    others = [SessionRun(2, place, {"x:0": 5}, main=False), SessionRun(3, place, {"x:0": 6}, main=False)]
    one, other = Run([own[0], *others, own[1]], ()), Run([*reversed(others), *own], ())
    assert compare(one, other) == Comparison(Compared(2, None), left_out=2)
    assert compare(Run(own, ()), Run(own, ())).left_out == 0
