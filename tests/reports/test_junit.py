from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hard_cases import HARD, MESSAGES, NAMES, ONE, REPORTS, many, of_fixtures, of_hard_names, rendered
from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from npu_migrate.findings import Report
from npu_migrate.reports.characters import portable


def suites(text: str) -> list[TestSuite]:
    """The suites of a report as junitparser reads them; their sums are right and no name comes twice."""
    report = JUnitXml.fromstring(text.encode("ascii"))
    found = list(report)
    counted = [(one.tests, one.failures, one.errors) for one in (report, *found)]
    for one in (report, *found):
        one.update_statistics()
    assert counted == [(one.tests, one.failures, one.errors) for one in (report, *found)]
    names = [(case.classname, case.name) for one in found for case in one]
    assert len(set(names)) == len(names)
    return found


def cases(text: str) -> list[TestCase]:
    return [case for suite in suites(text) for case in suite]


def test_a_finding_is_a_failed_test() -> None:
    (suite,) = suites(rendered(Report((ONE,)), "junit"))
    (case,) = suite
    assert (suite.name, suite.tests, suite.failures, suite.errors) == ("train.py", 1, 1, 0)
    assert (case.classname, case.name) == ("train", "NPU101 one-shot-iterator (line 4, column 9)")
    assert {name: case._elem.get(name) for name in ("file", "line", "time")} == {
        "file": "train.py",
        "line": "4",
        "time": "0",
    }
    (failure,) = case.result
    assert isinstance(failure, Failure)
    assert (failure.type, failure.message) == ("error", "it fails")
    assert failure.text == "train.py, line 4, column 9: NPU101 error: it fails"


def test_a_file_that_cannot_be_analysed_is_an_error() -> None:
    kinds = [type(case.result[0]) for case in cases(rendered(REPORTS["failed"], "junit"))]
    assert kinds == [Error, Error, Failure]


def test_without_findings_one_test_passes() -> None:
    (case,) = cases(rendered(REPORTS["nothing"], "junit"))
    assert case.is_passed
    assert case.name == "no findings"


def test_what_does_not_count_is_left_out() -> None:
    assert len(cases(rendered(REPORTS["marked"], "junit"))) == 1


def test_a_notebook_names_the_cell() -> None:
    (case,) = cases(rendered(REPORTS["notebook"], "junit"))
    assert case.name == "NPU101 one-shot-iterator (cell 3, line 2, column 5)"
    assert case.classname == "train.ipynb"


@pytest.mark.long
def test_all_findings_of_the_fixtures_are_failed_tests() -> None:
    found = cases(of_fixtures("junit"))
    assert {case.result[0].type for case in found} == {"error", "warning", "info"}


def test_file_names_and_messages_come_back() -> None:
    """XML keeps each character of an attribute that it can hold, line ends included."""
    names = [suite.name for suite in suites(of_hard_names("junit"))]
    assert sorted(names) == sorted(f"project/{portable(name)}" for name in HARD if name != "suppressed.py")
    assert len(names) > len(NAMES)
    messages = [case.result[0].message for case in cases(rendered(REPORTS["messages"], "junit"))]
    assert messages == [portable(message) for message in MESSAGES]


def test_many_findings() -> None:
    assert len(suites(rendered(many(10_000), "junit"))) == 1_000


@pytest.mark.parametrize("name, code", [("nothing", 0), ("failed", 1), ("messages", 1)])
def test_the_checker_of_junitparser_takes_it(name: str, code: int, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(rendered(REPORTS[name], "junit"), encoding="ascii")
    done = subprocess.run([sys.executable, "-m", "junitparser", "verify", report], capture_output=True)
    assert (done.returncode, done.stderr) == (code, b"")
