"""The events of a run, written one a line as soon as they happen."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple, Optional, Tuple

from .counting import Counter
from .files import OwnFile
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
        self._process = os.getpid()
        self._file = OwnFile(path)
        self._counter = Counter(path)
        self._mishaps: set[str] = set()
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

    def run(
        self, number: int, session: int, place: Place | None, fetches: dict[str, Any], main: bool
    ) -> None:
        """A session run of the main thread, or of another, has ended, and fetched this."""
        self._write(
            {
                "event": "run",
                "number": number,
                "session": session,
                "place": _line(place),
                "fetches": fetches,
                "main": main,
            }
        )

    def graph(self, run: int, place: Place | None, graph: dict[str, Any]) -> None:
        """A graph has gone to the device for the first time, in a session run at `place`."""
        self._write({"event": "graph", "run": run, "place": _line(place), **graph})

    def mishap(self, text: str) -> None:
        """A judge has failed; its traceback, which is written once."""
        if text in self._mishaps:
            return
        self._mishaps.add(text)
        self._write({"event": "mishap", "text": text})

    def end(self, status: str, code: int, runs: int, npu: bool) -> None:
        """The script has ended."""
        seen: list[Any] = [
            [code, kind, place and place.path, place and place.line, times]
            for (code, kind, place), times in self._seen.items()
        ]
        # A process that the script has forked may come to the same end.
        last = self._last if os.getpid() == self._process else "child"
        self._write({"event": last, "status": status, "exit": code, "runs": runs, "npu": npu, "seen": seen})

    def counted(self, npu: bool) -> None:
        """A session run begins; `npu` tells whether a session of this process would have reached the NPU."""
        self._counter.count(npu)

    def reached(self) -> None:
        """A session was made that would reach the NPU."""
        self._counter.reached()

    def _write(self, event: dict[str, Any]) -> None:
        self._file.append(json.dumps(event, default=_plain).encode("ascii") + b"\n")


def _plain(value: Any) -> Any:
    """What a script gave us that is no type of JSON: a number of numpy, or else any object."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def _line(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else dict(place._asdict())
