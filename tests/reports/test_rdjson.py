"""The rdjson report: what another program says about it, its columns, and what it tells about fixes."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import folder_with, tool
from fidelity import Tree, decoded, line_starts
from hard_cases import HARD, MESSAGES, ONE, REPORTS, many, of_fixtures, of_hard_names, printed, rendered
from nasty_trees import NASTY
from node_tools import node_program

from npu_migrate.findings import Applicability, Diagnostic, Fix, Report, Severity, TextEdit
from npu_migrate.places import Position, Range
from npu_migrate.reports.reviews.rdjson import rdjson_report
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.rules import ALL_RULES
from npu_migrate.sources.source import from_text


def diagnostics(report: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(report)["diagnostics"]
    return found


# -- another program ---------------------------------------------------------------------------------------


@pytest.mark.needs("node")
def test_the_validator_accepts_it(tmp_path: Path) -> None:
    nasty = {f"{name}/{path}": data for name, tree in NASTY.items() for path, data in tree.items()}
    texts = {
        **{name: rendered(report, "rdjson") for name, report in REPORTS.items()},
        "many": rendered(many(2_000), "rdjson"),
        "fixtures": of_fixtures("rdjson"),
        "hard": of_hard_names("rdjson"),
        "nasty": printed(nasty, "rdjson"),
        "nasty, unsafe": printed(nasty, "rdjson", (".", "--unsafe-fixes")),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.json").write_text(text, encoding="ascii")
    words = [node_program("rdformat-validator"), "--strict", "--no-extra-fields", "--format", "json"]
    done = subprocess.run([*words, *sorted(tmp_path.iterdir())], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["validFiles"] == len(texts)


# -- places ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NASTY)
def test_places_are_those_of_the_json_report_in_bytes(name: str) -> None:
    tree = NASTY[name]
    with folder_with(tree):
        found, shown = (json.loads(tool(".", "--format", form)) for form in ("json", "rdjson"))
    for one, other in zip(found["findings"], shown["diagnostics"], strict=True):
        assert in_bytes(tree, other["location"]) == in_code_points(tree, one)
        related = other.get("related_locations", ())
        for mine, theirs in zip(one["related"], related, strict=True):
            assert in_bytes(tree, theirs["location"]) == in_code_points(tree, mine)


def in_code_points(tree: Tree, place: dict[str, Any]) -> str:
    """What lies at a place of the JSON report; in a notebook that is a place in a cell."""
    _, text, _ = decoded(tree[place["path"]])
    if place.get("cell"):
        text = "".join(json.loads(text)["cells"][place["cell"] - 1]["source"])
    starts = line_starts(text)
    start, end = (
        starts[place["range"][edge]["line"] - 1] + place["range"][edge]["column"] - 1
        for edge in ("start", "end")
    )
    return text[start:end]


def in_bytes(tree: Tree, location: dict[str, Any]) -> str:
    """What lies at a place of the rdjson report, in the file as UTF-8 with the BOM that it may have."""
    bom, text, _ = decoded(tree[location["path"]])
    data = bom + text.encode()
    starts = [0, *(at + 1 for at, byte in enumerate(data) if byte == ord("\n"))]
    start, end = (
        starts[location["range"][edge]["line"] - 1] + location["range"][edge]["column"] - 1
        for edge in ("start", "end")
    )
    return data[start:end].decode()


def test_names_of_files() -> None:
    with folder_with(HARD):
        shown = diagnostics(tool(".", "--format", "rdjson").decode("ascii"))
    names = {one["location"]["path"] for one in shown}
    assert "escape\x1b[31m.py" in names
    assert "not-utf8-\\udcff.py" in names


# -- what it tells -----------------------------------------------------------------------------------------


def test_the_form_of_a_diagnostic() -> None:
    place = Range(Position(5, 1), Position(5, 1))
    fix = Fix(Applicability.SAFE, "Initialize it", (TextEdit("train.py", place, "sess.run(x)\n"),))
    (shown,) = diagnostics(rendered(Report((replace(ONE, fix=fix),)), "rdjson"))
    assert shown == {
        "message": "it fails",
        "location": {
            "path": "train.py",
            "range": {"start": {"line": 4, "column": 14}, "end": {"line": 4, "column": 17}},
        },
        "severity": "ERROR",
        "code": {"value": "NPU101"},
        "suggestions": [
            {
                "range": {"start": {"line": 5, "column": 1}, "end": {"line": 5, "column": 27}},
                "text": "sess.run(x)\nwith tf.Session() as sess:",
            }
        ],
        "related_locations": [
            {
                "message": "the default is set here",
                "location": {
                    "path": "flags.py",
                    "range": {"start": {"line": 3, "column": 1}, "end": {"line": 3, "column": 5}},
                },
            }
        ],
    }


def test_the_severity_of_a_report_is_the_worst() -> None:
    warning, note = replace(ONE, severity=Severity.WARNING), replace(ONE, severity=Severity.INFO)
    for found, severity in (((note, warning), "WARNING"), ((note,), "INFO"), ((), "INFO")):
        report = json.loads(rendered(Report(found), "rdjson"))
        assert report["severity"] == severity
        assert report["source"] == {"name": "npu-migrate"}


def test_findings_that_do_not_count_are_left_out() -> None:
    assert len(diagnostics(rendered(REPORTS["marked"], "rdjson"))) == 1


def test_a_finding_in_a_notebook_names_its_cell() -> None:
    (shown,) = diagnostics(rendered(REPORTS["notebook"], "rdjson"))
    assert shown["message"] == "cell 3: it fails"
    assert shown["location"]["range"]["start"]["line"] == 4


def test_a_message_holds_nothing_that_controls_a_terminal() -> None:
    shown = diagnostics(rendered(REPORTS["messages"], "rdjson"))
    assert len(shown) == len(MESSAGES)
    assert not any(set(one["message"]) & set("\x07\x1b\x00\x9b\x7f\udcff\ud83d") for one in shown)


# -- fixes -------------------------------------------------------------------------------------------------


SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE


def with_fix(applicability: Applicability, title: str, *edits: TextEdit) -> Diagnostic:
    return replace(ONE, related=(), fix=Fix(applicability, title, edits))


def edit(line: int, column: int, text: str, path: str = "train.py") -> TextEdit:
    place = Position(line, column)
    return TextEdit(path, Range(place, place), text)


def shown_with(applicability: Applicability, *found: Diagnostic) -> list[dict[str, Any]]:
    source = from_text("train.py", "first\nsecond\n" + "-\n" * 40 + "last\n")
    surroundings = Surroundings(ALL_RULES, lambda path: source, "/home/me", applicability)
    return diagnostics(rdjson_report(Report(found), surroundings))


def test_an_unsafe_fix_is_suggested_only_when_asked_for() -> None:
    finding = with_fix(UNSAFE, "Guess", edit(1, 1, "x"))
    (kept,) = shown_with(SAFE, finding)
    assert "suggestions" not in kept
    assert kept["message"] == "it fails\n\nUnsafe fix: Guess. It is suggested with --unsafe-fixes only."
    (shown,) = shown_with(UNSAFE, finding)
    assert [one["text"] for one in shown["suggestions"]] == ["xfirst"]
    assert shown["message"] == "it fails\n\nRead it before you accept it; unsafe: Guess."


def test_fixes_on_the_same_line_are_one_suggestion() -> None:
    found = (
        with_fix(SAFE, "Begin", edit(2, 1, "<")),
        with_fix(UNSAFE, "End", edit(2, 7, ">")),
        with_fix(SAFE, "Elsewhere", edit(1, 1, "<")),
    )
    both = shown_with(UNSAFE, *found)
    assert [one["suggestions"][0]["text"] for one in both] == ["<second>", "<second>", "<first"]
    assert both[0]["message"] == both[1]["message"]
    assert both[0]["message"].endswith(
        "The suggestion holds the fixes of several findings. Read it before you accept it; unsafe: End."
    )
    assert both[2]["message"] == "it fails"
    assert [one.get("suggestions", [{"text": ""}])[0]["text"] for one in shown_with(SAFE, *found)] == [
        "<second",
        "",
        "<first",
    ]


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ((edit(1, 1, "x"), edit(1, 1, "y", "other.py")), "changes another file"),
        ((edit(1, 1, "x", "other.py"),), "changes another file"),
        ((edit(1, 1, "x"), edit(43, 1, "y")), "changes lines that are far apart"),
    ],
)
def test_a_fix_that_is_no_suggestion_is_told(edits: tuple[TextEdit, ...], reason: str) -> None:
    (shown,) = shown_with(SAFE, with_fix(SAFE, "Mend it", *edits))
    assert "suggestions" not in shown
    assert shown["message"] == (
        f"it fails\n\nFix: Mend it. It is not suggested here, because it {reason}; "
        "apply it with npu-migrate --write."
    )
    (unsafe,) = shown_with(UNSAFE, with_fix(UNSAFE, "Mend it", *edits))
    assert unsafe["message"].endswith("apply it with npu-migrate --write --unsafe-fixes.")


def test_codes_lead_to_the_pages_of_the_rules() -> None:
    around = Surroundings(ALL_RULES, lambda path: None, "/", documentation="https://docs.example.com/npu")
    document = json.loads(rdjson_report(Report((ONE,)), around))
    assert document["source"] == {"name": "npu-migrate", "url": "https://docs.example.com/npu"}
    assert document["diagnostics"][0]["code"] == {
        "value": "NPU101",
        "url": "https://docs.example.com/npu/rules/NPU101/",
    }
