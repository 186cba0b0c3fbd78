from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hard_cases import HARD, MESSAGES, ONE, REPORTS, many, of_fixtures, of_hard_names, rendered

from npu_migrate.findings import Report, Severity
from npu_migrate.reports.characters import portable

POSITION = {
    "type": "object",
    "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
    "required": ["line"],
}
# What the documentation of GitLab's Code Quality reports asks for; it publishes no schema.
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!\./)"},
                    "positions": {
                        "type": "object",
                        "properties": {"begin": POSITION, "end": POSITION},
                        "required": ["begin"],
                    },
                },
                "required": ["path", "positions"],
            },
        },
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
    },
}


def issues(text: str) -> Any:
    """The issues of a report that GitLab can read: ASCII, complete, no fingerprint twice, valid text."""
    found = json.loads(text.encode("ascii"))
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    assert len({one["fingerprint"] for one in found}) == len(found)
    return found


def test_an_issue_has_the_place_and_the_message() -> None:
    assert issues(rendered(Report((ONE,)), "gitlab")) == [
        {
            "description": "NPU101 it fails",
            "check_name": "one-shot-iterator",
            "fingerprint": ONE.fingerprint,
            "severity": "major",
            "location": {
                "path": "train.py",
                "positions": {"begin": {"line": 4, "column": 9}, "end": {"line": 4, "column": 12}},
            },
        }
    ]


@pytest.mark.long
def test_all_findings_of_the_fixtures_are_issues() -> None:
    found = issues(of_fixtures("gitlab"))
    assert {one["severity"] for one in found} == {"info", "minor", "major"}


def test_file_names_and_messages_are_valid_text() -> None:
    paths = {one["location"]["path"] for one in issues(of_hard_names("gitlab"))}
    assert paths == {f"project/{portable(name)}" for name in HARD if name != "suppressed.py"}
    described = [one["description"] for one in issues(rendered(REPORTS["messages"], "gitlab"))]
    assert described == [f"NPU101 {portable(message)}" for message in MESSAGES]


def test_a_fingerprint_that_comes_again_becomes_another() -> None:
    found = issues(rendered(Report((ONE, replace(ONE, severity=Severity.INFO), ONE)), "gitlab"))
    assert found[0]["fingerprint"] == ONE.fingerprint
    again = issues(rendered(Report((ONE, ONE)), "gitlab"))
    assert [one["fingerprint"] for one in again] == [one["fingerprint"] for one in found[:2]]


def test_a_notebook_names_the_cell() -> None:
    (one,) = issues(rendered(REPORTS["notebook"], "gitlab"))
    assert one["description"] == "NPU101 cell 3: it fails"
    assert one["location"]["positions"]["begin"] == {"line": 4, "column": 9}


def test_what_does_not_count_is_left_out() -> None:
    assert len(issues(rendered(REPORTS["marked"], "gitlab"))) == 1
    assert issues(rendered(REPORTS["nothing"], "gitlab")) == []
    assert len(issues(rendered(REPORTS["failed"], "gitlab"))) == 3


def test_many_findings() -> None:
    assert len(issues(rendered(many(10_000), "gitlab"))) == 10_000
