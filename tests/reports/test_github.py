from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hard_cases import HARD, MESSAGES, NAMES, ONE, REPORTS, SCRIPT, of_fixtures, of_hard_names, rendered

from npu_migrate.findings import Report, Severity
from npu_migrate.places import Position, Range
from npu_migrate.reports.characters import portable

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = re.compile(r"::(error|warning|notice) (.*?)::(.*)")
ESCAPES = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}


class Annotation(NamedTuple):
    """What a runner makes of a line."""

    level: str
    properties: dict[str, str]
    message: str


def annotations(text: str) -> list[Annotation]:
    """Reads as the runner does: the first ``::`` ends the properties, commas part them."""
    found = []
    for line in text.split("\n")[:-1]:
        match = COMMAND.fullmatch(line)
        assert match is not None, line
        pairs = (pair.split("=", 1) for pair in match[2].split(","))
        found.append(
            Annotation(match[1], {name: unescaped(value) for name, value in pairs}, unescaped(match[3]))
        )
    return found


def unescaped(text: str) -> str:
    return re.sub("|".join(ESCAPES), lambda match: ESCAPES[match[0]], text)


def test_an_annotation_has_the_place_and_the_message() -> None:
    assert rendered(Report((ONE,)), "github") == (
        "::error file=train.py,line=4,endLine=4,col=9,endColumn=12,title=NPU101 one-shot-iterator::it fails\n"
    )


@pytest.mark.parametrize(
    "severity, level",
    [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "notice")],
)
def test_each_severity_has_a_level(severity: Severity, level: str) -> None:
    (one,) = annotations(rendered(Report((replace(ONE, severity=severity),)), "github"))
    assert one.level == level


def test_a_place_of_several_lines_has_no_columns() -> None:
    """Runners would throw them away and complain."""
    several = replace(ONE, range=Range(Position(4, 9), Position(6, 2)))
    (one,) = annotations(rendered(Report((several,)), "github"))
    assert (one.properties["line"], one.properties["endLine"]) == ("4", "6")
    assert not {"col", "endColumn"} & one.properties.keys()


def test_file_names_and_messages_come_back() -> None:
    files = {one.properties["file"] for one in annotations(of_hard_names("github"))}
    assert files == {f"project/{portable(name)}" for name in HARD if name != "suppressed.py"}
    assert {"project/100%25 #1?&;.py", "project/a:b,c::d.py", "project/new\nline\r.py"} <= files
    assert len(files) >= len(NAMES)
    messages = [one.message for one in annotations(rendered(REPORTS["messages"], "github"))]
    assert messages == [portable(message) for message in MESSAGES]


def test_the_report_is_utf8_whatever_the_terminal_is(tmp_path: Path) -> None:
    (tmp_path / "训练.py").write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "npu_migrate", "--format", "github", "."],
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "latin-1", "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
    )
    (one,) = annotations(done.stdout.decode("utf-8"))
    assert one.properties["file"] == "训练.py"


def test_a_file_outside_the_folder_has_an_absolute_path() -> None:
    found = annotations(rendered(REPORTS["outside"], "github", "/home/me/a project"))
    assert [one.properties["file"] for one in found] == ["/home/other/a b.py", "/home/me/c.py"]


def test_a_notebook_names_the_cell() -> None:
    (one,) = annotations(rendered(REPORTS["notebook"], "github"))
    assert (one.properties["line"], one.message) == ("4", "cell 3: it fails")


def test_what_does_not_count_is_left_out() -> None:
    assert len(annotations(rendered(REPORTS["marked"], "github"))) == 1
    assert rendered(REPORTS["nothing"], "github") == ""


@pytest.mark.long
def test_all_findings_of_the_fixtures_are_annotations() -> None:
    found = annotations(of_fixtures("github"))
    assert {one.level for one in found} == {"error", "warning", "notice"}
    for one in found:
        assert int(one.properties["line"]) <= int(one.properties["endLine"])
        if "col" in one.properties:
            assert int(one.properties["col"]) <= int(one.properties["endColumn"])
