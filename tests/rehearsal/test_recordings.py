"""What is read of the events that a run has left."""

from __future__ import annotations

import json
from typing import Any

import pytest

from npu_migrate.findings import Severity
from npu_migrate.knowledge.session_keys import SESSION_KEYS
from npu_migrate.rehearsal.protocol import (
    Counted,
    Line,
    Recording,
    RunRequest,
    SessionRun,
    Verdict,
    recording_of,
)
from npu_migrate.rehearsal.tables import tables

START = {"event": "start", "tensorflow": "1.15.5", "python": "3.7.16", "npu": False}
END = {"event": "end", "status": "finished", "runs": 2, "exit": 0, "npu": True}
RUN = {
    "event": "run",
    "number": 1,
    "session": 1,
    "place": {"path": "/a.py", "line": 3},
    "fetches": {"x:0": 1.5},
}
VERDICT = {
    "event": "verdict",
    "code": "NPU108",
    "kind": "variables-zeroed",
    "severity": "error",
    "arguments": {"variables": ["w:0"]},
    "place": {"path": "/a.py", "line": 12},
    "related": [{"path": "/b.py", "line": 3, "role": "variable"}],
    "run": 1,
    "session": 1,
}


def lines(*events: dict[str, Any]) -> list[bytes]:
    return [json.dumps(one).encode() + b"\n" for one in events]


def test_a_whole_run() -> None:
    assert recording_of(lines(START, VERDICT, RUN, END), 0) == Recording(
        "1.15.5",
        "finished",
        0,
        True,
        2,
        (
            Verdict(
                "NPU108",
                "variables-zeroed",
                Severity.ERROR,
                {"variables": ["w:0"]},
                Line("/a.py", 12),
                (Line("/b.py", 3, "variable"),),
                1,
            ),
        ),
        (SessionRun(1, Line("/a.py", 3), {"x:0": 1.5}),),
    )


@pytest.mark.parametrize(
    ("code", "status"), [(-9, "killed"), (3, "failed"), (0, "finished")], ids=["killed", "exit 3", "exit 0"]
)
def test_a_process_that_says_no_end(code: int, status: str) -> None:
    """A signal, `os._exit` or a crash in native code: what was seen before is kept."""
    found = recording_of(lines(START, VERDICT, RUN), code)
    assert (found.status, found.exit, found.runs, len(found.verdicts)) == (status, code, 1, 1)


def test_each_process_has_counted_by_itself() -> None:
    counted = [
        Counted.of(b"00000000000000000003 0\n"),
        Counted.of(b"00000000000000000004 1\n"),
        Counted.of(b""),
    ]
    found = recording_of(lines(START, VERDICT), 0, counted)
    assert (found.runs, found.on_npu) == (7, True)


def test_the_last_line_may_be_cut() -> None:
    assert recording_of([*lines(START, RUN), b'{"event": "verd'], -9).verdicts == ()


def test_what_could_not_be_judged() -> None:
    mishap = {"event": "mishap", "text": "Traceback\n  …\nKeyError: 'x'\n"}
    assert recording_of(lines(START, mishap, END), 0).mishaps == (mishap["text"],)


def test_nothing_at_all() -> None:
    assert recording_of([], 1) == Recording("", "failed", 1, False, 0)


def test_a_verdict_without_a_place() -> None:
    (verdict,) = recording_of(lines({**VERDICT, "place": None, "related": None}), 0).verdicts
    assert (verdict.place, verdict.related) == (None, ())


def test_the_request_can_be_written() -> None:
    request = RunRequest("/p/train.py", ("--steps", "20"), "/p", "/p", "judge", 20)
    document = json.loads(request.document("/tmp/events", tables()))
    assert document["version"] == 1
    assert document["arguments"] == ["--steps", "20"]
    assert (document["mode"], document["max_runs"], document["record"]) == ("judge", 20, False)
    assert document["tables"]["session_keys"].keys() == SESSION_KEYS.keys()


@pytest.mark.parametrize("line", [b"{\n", b"[]\n", b"{}\n", b'"x"\n', b"\xff\n"])
def test_a_line_that_cannot_be_read_costs_itself(line: bytes) -> None:
    start, end = lines(START, END)
    read = recording_of([start, line, end], 0)
    assert (read.status, read.runs) == ("finished", 2)
    (mishap,) = read.mishaps
    assert mishap.startswith("an event cannot be read: ")
