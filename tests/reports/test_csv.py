from __future__ import annotations

import csv
import io

import pytest
from command import folder_with, tool
from hard_cases import HARD, MESSAGES, NAMES, ONE, REPORTS, many, of_fixtures, of_hard_names, rendered

from npu_migrate.findings import Report
from npu_migrate.reports.characters import portable
from npu_migrate.reports.csv import HEADER


def rows(text: str) -> list[dict[str, str]]:
    """The rows below the header, read strictly; all are complete, and no cell is a formula."""
    read = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert read[0] == list(HEADER)
    assert {len(row) for row in read} == {len(HEADER)}
    assert not [cell for row in read for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    return [dict(zip(HEADER, row, strict=True)) for row in read[1:]]


def test_a_row_has_all_of_a_finding() -> None:
    assert rendered(Report((ONE,)), "csv") == (
        "path,cell,line,column,end_line,end_column,code,name,severity,message,fix,programs,fingerprint\r\n"
        f"train.py,,4,9,4,12,NPU101,one-shot-iterator,error,it fails,safe,train.py,{ONE.fingerprint}\r\n"
    )


def test_a_notebook_has_the_place_in_the_cell() -> None:
    (row,) = rows(rendered(REPORTS["notebook"], "csv"))
    assert [row[name] for name in HEADER[:6]] == ["train.ipynb", "3", "2", "5", "2", "8"]


def test_file_names_and_messages_come_back() -> None:
    paths = {row["path"] for row in rows(of_hard_names("csv"))}
    assert paths == {f"project/{portable(name)}" for name in HARD if name != "suppressed.py"}
    assert len(paths) > len(NAMES)
    messages = [row["message"] for row in rows(rendered(REPORTS["messages"], "csv"))]
    expected = [portable(message) for message in MESSAGES]
    assert expected[6] == "=HYPERLINK(1)"
    expected[6] = "'=HYPERLINK(1)"
    assert messages == expected


def test_a_file_name_that_looks_like_a_formula_stays_a_file_name() -> None:
    with folder_with(HARD) as folder:
        paths = {row["path"] for row in rows(tool("--quiet", "--format", "csv", ".").decode("utf-8"))}
        assert {"./=SUM(1).py", "./@at.py"} <= paths
        assert (folder / "./=SUM(1).py").exists()


def test_what_does_not_count_is_left_out() -> None:
    assert len(rows(rendered(REPORTS["marked"], "csv"))) == 1
    assert rows(rendered(REPORTS["nothing"], "csv")) == []


@pytest.mark.long
def test_all_findings_of_the_fixtures_are_rows() -> None:
    found = rows(of_fixtures("csv"))
    assert {row["severity"] for row in found} == {"error", "warning", "info"}
    assert {row["fix"] for row in found} == {"safe", "unsafe", ""}


def test_many_findings() -> None:
    assert len(rows(rendered(many(10_000), "csv"))) == 10_000
