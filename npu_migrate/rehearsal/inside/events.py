"""The events of a run, written one a line as soon as they happen."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple, Optional, Tuple

from .places import Place

Related = Tuple[Optional[Place], str]
"""A place that explains a verdict, and the role of what stands there."""


class Refusal(NamedTuple):
    """What the runtime does about something: the run fails with an `error`; without one the process aborts.

    `error` is the name of a class of `tensorflow.errors`, or of Python.
    """

    reason: str
    error: str | None = "InvalidArgumentError"


class Verdict(NamedTuple):
    """What the NPU would make of something that was seen; see `protocol.Verdict` outside."""

    code: str
    kind: str
    severity: str
    arguments: dict[str, Any]
    place: Place | None
    related: tuple[Related, ...] = ()
    refusal: Refusal | None = None


class Events:
    """Writes to a file. Each verdict is written once for a place, and counted.

    `last` is what the event is called that ends them: ``child`` for a process that the script has started.
    """

    def __init__(self, path: str, last: str = "end") -> None:
        self._last = last
        # Whole lines appended by one `write` each: a process that the script forks may write as well.
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.set_inheritable(self._file, False)
        self._seen: dict[tuple[str, str, Place | None], int] = {}

    def start(self, tensorflow: str, python: str) -> None:
        """The script begins."""
        self._write({"event": "start", "tensorflow": tensorflow, "python": python})

    def verdict(self, verdict: Verdict, run: int | None, session: int | None) -> None:
        """Something was seen."""
        key = verdict.code, verdict.kind, verdict.place
        self._seen[key] = self._seen.get(key, 0) + 1
        if self._seen[key] > 1:
            return
        related = [{**place._asdict(), "role": role} for place, role in verdict.related if place is not None]
        self._write(
            {
                "event": "verdict",
                "code": verdict.code,
                "kind": verdict.kind,
                "severity": verdict.severity,
                "arguments": verdict.arguments,
                "place": _line(verdict.place),
                "related": related,
                "run": run,
                "session": session,
            }
        )

    def run(self, number: int, session: int, place: Place | None, fetches: dict[str, Any]) -> None:
        """A session run has ended, and fetched this."""
        self._write(
            {
                "event": "run",
                "number": number,
                "session": session,
                "place": _line(place),
                "fetches": fetches,
            }
        )

    def mishap(self, text: str) -> None:
        """A judge has failed; its traceback."""
        self._write({"event": "mishap", "text": text})

    def end(self, status: str, code: int, runs: int, npu: bool) -> None:
        """The script has ended."""
        seen: list[Any] = [
            [code, kind, place and place.path, place and place.line, times]
            for (code, kind, place), times in self._seen.items()
        ]
        self._write(
            {"event": self._last, "status": status, "exit": code, "runs": runs, "npu": npu, "seen": seen}
        )

    def _write(self, event: dict[str, Any]) -> None:
        os.write(self._file, json.dumps(event).encode("ascii") + b"\n")


def _line(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else dict(place._asdict())
