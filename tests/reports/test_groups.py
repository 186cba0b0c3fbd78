from __future__ import annotations

from dataclasses import replace

import click
import pytest
from hard_cases import ONE

from npu_migrate.cli import command
from npu_migrate.findings import Applicability, Fix, Report
from npu_migrate.places import Position, Range
from npu_migrate.reports.groups.grouping import GROUPINGS, groups_of
from npu_migrate.reports.groups.listing import grouped_report

SAFE = replace(ONE, path="a/train.py", programs=("a/train.py",), fix=Fix(Applicability.SAFE, "Do it", ()))
SAME = replace(SAFE, path="a/eval.py", programs=("a/eval.py",), fix=None)
SHARED = replace(
    SAFE, path="a/b/data.py", programs=tuple(f"{name}.py" for name in "vwxyz"), message="another"
)
ALONE = replace(ONE, path="top.py", programs=(), code="NPU106", name="partial-batch", fix=None)
ALL = Report((SHARED, SAME, SAFE, ALONE, replace(ALONE, suppressed=True), replace(ALONE, baselined=True)))


def named(by: str) -> dict[str, int]:
    return {name: len(found) for name, found in groups_of(ALL.counted, by)}


def test_each_finding_is_in_one_group() -> None:
    assert named("rule") == {"NPU101 one-shot-iterator": 3, "NPU106 partial-batch": 1}
    assert named("folder") == {".": 1, "a": 2, "a/b": 1}
    assert named("program") == {
        "(no program)": 1,
        "a/eval.py": 1,
        "a/train.py": 1,
        "v.py, w.py, x.py and 2 more": 1,
    }


def test_the_option_has_these_groupings() -> None:
    (option,) = (one for one in command.params if one.name == "group_by")
    assert isinstance(option.type, click.Choice)
    assert [*option.type.choices] == [*GROUPINGS]


def test_what_is_the_same_is_told_once_with_its_places() -> None:
    text = click.unstyle(grouped_report(ALL, "rule", concise=True))
    assert text.splitlines()[:7] == [
        "== NPU101 one-shot-iterator: 3 errors ==",
        "a/b/data.py:4:9: NPU101[*] error another",
        "NPU101 error it fails",
        "  a/eval.py:4:9",
        "  a/train.py:4:9 [*]",
        "",
        "== NPU106 partial-batch: 1 error ==",
    ]
    assert text.count("it fails") == 2


def test_other_groups_tell_it_again() -> None:
    text = grouped_report(ALL, "program", concise=True)
    assert text.count("it fails") == 3


def test_places_have_their_lines_and_fixes() -> None:
    found = tuple(replace(one, source_line="data = batches(x)", related=()) for one in (SAME, SAFE))
    text = click.unstyle(grouped_report(Report(found), "folder", concise=False))
    excerpt = ["  4 | data = batches(x)", "    |         ^^^"]
    assert text.splitlines() == [
        "== a: 2 errors ==",
        "",
        "NPU101 error it fails",
        "  a/eval.py:4:9",
        *excerpt,
        "  a/train.py:4:9 [*]",
        *excerpt,
        "    = fix: Do it",
        "",
        "total  error  warning  info  safe fix  unsafe fix  no fix  folder",
        "    2      2        -     -         1           -       1  a",
    ]


@pytest.mark.parametrize("concise", [True, False])
@pytest.mark.parametrize("by", GROUPINGS)
def test_nothing_found_is_nothing_told(by: str, concise: bool) -> None:
    assert grouped_report(Report((replace(ONE, suppressed=True),)), by, concise=concise) == ""


@pytest.mark.parametrize("by", GROUPINGS)
def test_no_name_controls_a_terminal(by: str) -> None:
    odd = replace(ONE, path="a\x1b[2J/b.py", programs=("c\x1b[2J.py",), message="m\x1b[2J")
    odd = replace(odd, range=Range(Position(4, 9), Position(4, 10)))
    assert "\x1b" not in click.unstyle(grouped_report(Report((odd, odd)), by, concise=True))
