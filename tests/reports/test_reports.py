from __future__ import annotations

import json
from dataclasses import asdict, replace

import click
import jsonschema
import pytest

from npu_migrate.findings import (
    Applicability,
    Compared,
    Diagnostic,
    Difference,
    FileCounts,
    Fix,
    Rehearsal,
    RelatedRange,
    Report,
    Severity,
    TextEdit,
)
from npu_migrate.places import Position, Range
from npu_migrate.reports.catalogue import catalogue, rule_page
from npu_migrate.reports.json import json_report, report_schema
from npu_migrate.reports.statistics import statistics_report
from npu_migrate.reports.summary import summary
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.reports.text import text_report
from npu_migrate.rules.rule import Rule

NOWHERE = Surroundings((), lambda path: None, "/")


def span(line: int, column: int, end_column: int, end_line: int | None = None) -> Range:
    return Range(Position(line, column), Position(end_line or line, end_column))


FIX = Fix(Applicability.SAFE, "Do it", (TextEdit("train.py", span(12, 9, 9), "sess.run(x)\r\n"),))
ERROR = Diagnostic(
    code="NPU101",
    name="one-shot-iterator",
    severity=Severity.ERROR,
    message="it fails",
    path="train.py",
    range=span(12, 6, 9),
    related=(RelatedRange("flags.py", span(3, 1, 5), "the default is set here"),),
    fingerprint="0" * 32,
    suppressed=False,
    programs=("train.py",),
    fix=FIX,
    sources=("SEED-ITER",),
    source_line="it = f(x)",
)
INFO = replace(ERROR, code="NPU106", name="partial-batch", severity=Severity.INFO, fix=None, related=())
UNSAFE = replace(INFO, fix=replace(FIX, applicability=Applicability.UNSAFE))
SUPPRESSED = replace(ERROR, suppressed=True)
FULL = Report((ERROR, SUPPRESSED, INFO, UNSAFE), FileCounts(40, 31, 3, 6, 2, 1), fixed_safe=2, fixed_unsafe=1)
SEEN = replace(FULL, rehearsal=Rehearsal(200))
DIFFERENCE = Difference("fetched", 3, "loss:0", "0.5", "8.0", "train.py", 24)


# -- JSON --------------------------------------------------------------------------------------------------


def test_the_json_report_has_the_published_form() -> None:
    document = json.loads(json_report(FULL, NOWHERE))
    assert document["version"] == 1
    assert document["findings"][0] == {
        "code": "NPU101",
        "name": "one-shot-iterator",
        "severity": "error",
        "message": "it fails",
        "path": "train.py",
        "cell": None,
        "range": {"start": {"line": 12, "column": 6}, "end": {"line": 12, "column": 9}},
        "related": [
            {
                "path": "flags.py",
                "range": {"start": {"line": 3, "column": 1}, "end": {"line": 3, "column": 5}},
                "message": "the default is set here",
            }
        ],
        "fingerprint": "0" * 32,
        "suppressed": False,
        "programs": ["train.py"],
        "fix": {
            "applicability": "safe",
            "title": "Do it",
            "edits": [
                {
                    "path": "train.py",
                    "range": {"start": {"line": 12, "column": 9}, "end": {"line": 12, "column": 9}},
                    "text": "sess.run(x)\r\n",
                }
            ],
        },
        "sources": ["SEED-ITER"],
    }
    assert document["files"] == {
        "discovered": 40,
        "skipped_by_gate": 31,
        "context": 3,
        "analysed": 6,
        "failed": 2,
        "changed": 1,
    }
    assert document["fixed"] == {"safe": 2, "unsafe": 1}
    assert document["summary"] == {
        "error": 1,
        "warning": 0,
        "info": 2,
        "suppressed": 1,
        "fixable_safe": 1,
        "fixable_unsafe": 1,
    }


def test_what_was_seen_in_a_run_says_so() -> None:
    document = json.loads(json_report(SEEN, NOWHERE))
    assert document["runs"] == 200
    assert {one["seen"] for one in document["findings"]} == {"run"}
    assert "compared" not in document
    assert not {"runs", "compared"} & json.loads(json_report(FULL, NOWHERE)).keys()


@pytest.mark.parametrize(("difference", "written"), [(None, None), (DIFFERENCE, asdict(DIFFERENCE))])
def test_what_two_runs_came_to(difference: Difference | None, written: object) -> None:
    report = replace(FULL, rehearsal=Rehearsal(200, Compared(2, difference)))
    assert json.loads(json_report(report, NOWHERE))["compared"] == {"steps": 2, "first_difference": written}


@pytest.mark.parametrize(
    "report",
    [FULL, Report(()), SEEN]
    + [replace(FULL, rehearsal=Rehearsal(9, Compared(2, one))) for one in (None, DIFFERENCE)],
)
def test_json_reports_meet_the_schema(report: Report) -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())
    validator = jsonschema.Draft202012Validator(report_schema())
    validator.validate(json.loads(json_report(report, NOWHERE)))


def test_the_schema_refuses_what_is_not_published() -> None:
    validator = jsonschema.Draft202012Validator(report_schema())
    document = json.loads(json_report(FULL, NOWHERE))
    for change in (
        lambda one: one["findings"][0].update(extra=1),
        lambda one: one["findings"][0].pop("fix"),
        lambda one: one["findings"][0]["range"]["start"].update(line=0),
        lambda one: one["findings"][0].update(severity="fatal"),
        lambda one: one["files"].pop("changed"),
        lambda one: one["summary"].update(error=-1),
    ):
        changed = json.loads(json.dumps(document))
        change(changed)
        assert not validator.is_valid(changed)


def test_the_json_report_is_ascii_even_for_names_that_are_no_text() -> None:
    odd = Report((replace(ERROR, path="tr\udcffain.py", message="训练"),))
    assert json_report(odd, NOWHERE).isascii()
    assert json.loads(json_report(odd, NOWHERE))["findings"][0]["message"] == "训练"


# -- text --------------------------------------------------------------------------------------------------


def lines(diagnostic: Diagnostic) -> list[str]:
    return click.unstyle(text_report(Report((diagnostic,)), NOWHERE)).splitlines()


def test_the_text_report_shows_place_line_mark_reasons_and_fix() -> None:
    assert lines(ERROR) == [
        "train.py:12:6: NPU101[*] error it fails",
        "12 | it = f(x)",
        "   |      ^^^",
        "   = flags.py:3:1: the default is set here",
        "   = fix: Do it",
        "",
    ]
    assert lines(UNSAFE)[0] == "train.py:12:6: NPU106 info it fails"
    assert lines(UNSAFE)[-2] == "   = unsafe fix: Do it"


def test_suppressed_findings_are_not_shown() -> None:
    assert text_report(Report((SUPPRESSED,)), NOWHERE) == ""


@pytest.mark.parametrize(
    ("line", "place", "shown", "marks"),
    [
        ("\tit = f(x)", span(1, 7, 8), "    it = f(x)", "         ^"),
        ("ab\tf\tx", span(1, 3, 6), "ab  f   x", "  ^^^^^^"),
        ("'训练', f(x)", span(1, 7, 8), "'训练', f(x)", "        ^"),
        ("训练 = f", span(1, 1, 3), "训练 = f", "^^^^"),
        ("e\u0301 = f(x)", span(1, 6, 7), "e\u0301 = f(x)", "    ^"),
        ("x = '\x1b[2J\u202e', f", span(1, 14, 15), "x = '\ufffd[2J\ufffd', f", "             ^"),
        ("f(x,   ", span(1, 1, 3, end_line=2), "f(x,", "^^^^"),
        ("x = 1", span(1, 6, 6), "x = 1", "     ^"),
        ("x = 1", span(1, 99, 99), "x = 1", "     ^"),
    ],
)
def test_marks_stand_under_the_place(line: str, place: Range, shown: str, marks: str) -> None:
    diagnostic = replace(ERROR, source_line=line, range=place)
    assert lines(diagnostic)[1:3] == [f"1 | {shown}", f"  | {marks}"]


@pytest.mark.parametrize("column", [1, 50, 500, 998])
def test_long_lines_are_cut_around_the_place(column: int) -> None:
    line = "".join(chr(ord("a") + index % 26) for index in range(1000))
    _, shown, marks, *_ = lines(replace(ERROR, source_line=line, range=span(1, column, column + 3)))
    assert len(shown) < 170
    assert shown[marks.index("^") : marks.rindex("^") + 1] == line[column - 1 : column + 2]


def test_an_empty_line_needs_no_excerpt() -> None:
    assert lines(replace(INFO, source_line="  "))[1:] == [""]


def test_nothing_that_controls_a_terminal_gets_through() -> None:
    odd = replace(ERROR, path="a\x1b[31m\n.py", message="m\rn", related=(), fix=replace(FIX, title="t\x07"))
    assert lines(odd)[0] == "a\ufffd[31m\ufffd.py:12:6: NPU101[*] error m\ufffdn"
    assert lines(odd)[-2] == "   = fix: t\ufffd"


# -- statistics and summary --------------------------------------------------------------------------------


def test_statistics_count_what_counts() -> None:
    report = Report((*[INFO] * 9, UNSAFE, ERROR, SUPPRESSED))
    assert statistics_report(report).splitlines() == [
        "total  error  warning  info  safe fix  unsafe fix  no fix  rule",
        "   10      -        -    10         -           1       9  NPU106 partial-batch",
        "    1      1        -     -         1           -       -  NPU101 one-shot-iterator",
    ]
    assert statistics_report(Report((SUPPRESSED,))) == ""


def test_the_summary_tells_what_was_found_fixed_and_left_out() -> None:
    assert summary(FULL).splitlines() == [
        "Fixed 3 findings in 1 file.",
        "Remaining: 1 error, 2 info in 1 file.",
        "40 files: 6 analysed, 31 of no concern to any rule, "
        "2 could not be analysed (see the NPU9xx findings); 3 more read for context.",
        "1 fixable with --write.",
        "1 more fixable with --write --unsafe-fixes.",
        "1 finding suppressed by comments.",
    ]
    assert "1 more fixable with --write (unsafe)." in summary(FULL, unsafe_is_set=True).splitlines()


@pytest.mark.parametrize(
    ("report", "first"),
    [
        (Report((), FileCounts(discovered=2, analysed=2)), "No findings in 2 analysed files."),
        (Report((), FileCounts(discovered=2, skipped_by_gate=2)), "Nothing was analysed."),
        (Report((), FileCounts()), "Nothing was analysed."),
        (Report((SUPPRESSED,), FileCounts(analysed=1)), "No findings in 1 analysed file."),
        (Report((ERROR, ERROR), FileCounts(analysed=1)), "Found: 2 errors in 1 file."),
        (Report((), FileCounts(analysed=1, changed=1), fixed_safe=1), "Fixed 1 finding in 1 file."),
    ],
)
def test_silence_is_never_more_than_was_looked_at(report: Report, first: str) -> None:
    assert summary(report).splitlines()[0] == first


def test_a_diff_says_how_many_files_would_change() -> None:
    report = Report((ERROR,), FileCounts(discovered=1, analysed=1, changed=1))
    assert summary(report).splitlines()[1] == "1 file would change."


# -- catalogue ---------------------------------------------------------------------------------------------


def test_the_catalogue_has_a_line_and_a_page_for_each_rule() -> None:
    rules = [
        Rule("NPU201", "long-name-of-rule", "Two.", "warning", "manual", (), "Page two."),
        Rule("NPU101", "short", "One.", "error", "safe", ("SEED-A", "SEED-B"), "\nPage one.\n\nMore.\n"),
    ]
    assert catalogue(rules).splitlines() == [
        "NPU101  short              One. [error; fix: safe]",
        "NPU201  long-name-of-rule  Two. [warning; fix: manual]",
    ]
    assert rule_page(rules[1]) == (
        "# NPU101 short\n\n- Severity: error\n- Fix: safe\n- Sources: SEED-A, SEED-B\n\nPage one.\n\nMore.\n"
    )
    assert "Sources" not in rule_page(rules[0])
