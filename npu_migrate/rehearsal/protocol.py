"""What this process and the one that runs the script tell each other: a request, and the events of the run.

The request is a JSON document, whose file is the only argument of ``inside/``. Events are JSON objects, one a
line, each written as soon as it happens: a process that is killed leaves what it had seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from npu_migrate.findings import Severity

VERSION = 1

_SHOWN = 120
"""How much is shown of an event that cannot be read."""

Mode = Literal["judge", "imitate", "plain"]
"""`judge` tells what the NPU would make of each run; `imitate` does it as well; `plain` does neither."""

Status = Literal["finished", "stopped", "failed", "aborted", "killed"]
"""How a run ended: by itself, after as many session runs as were asked for, by the script's own fault, by
what the NPU refuses, or without a word."""

Fetched = Mapping[str, Any]
"""What one session run fetched, by the names of the tensors: numbers, texts, lists of them, or a digest."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run of a script: `folder` is where it is started, `root` the folder of its project.

    `max_runs` ends it after so many session runs. With `record` the fetched numbers are kept; `deterministic`
    makes two runs of the same graph fetch the same. `take_over` sends all sessions to the NPU, as importing
    ``npu_bridge`` does, in a script that does not import it. `rank` is the number of the process, and
    how many there are; then the graphs that go to the device are kept. `typed` is the script as the user has
    named it, `origin` the folder of which `root` is a copy.
    """

    script: str
    arguments: tuple[str, ...]
    folder: str
    root: str
    mode: Mode
    max_runs: int | None = None
    record: bool = False
    deterministic: bool = False
    take_over: bool = False
    rank: tuple[int, int] | None = None
    typed: str = ""
    origin: str = ""

    def document(self, events: str, tables: Mapping[str, Any]) -> str:
        """The request as ``inside/`` reads it. It writes to the file `events`."""
        return json.dumps(
            {
                "version": VERSION,
                "script": self.script,
                "arguments": list(self.arguments),
                "folder": self.folder,
                "root": self.root,
                "mode": self.mode,
                "max_runs": self.max_runs,
                "record": self.record,
                "deterministic": self.deterministic,
                "take_over": self.take_over,
                "graphs": self.rank is not None,
                "typed": self.typed,
                "origin": self.origin,
                "events": events,
                "tables": tables,
            }
        )


@dataclass(frozen=True, slots=True)
class Line:
    """A 1-based line of a file; `path` is absolute. `role` says what stands there, where that explains."""

    path: str
    line: int
    role: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the NPU would make of something that was seen.

    `kind` and `arguments` are put into words elsewhere; `run` is the number of the session run, if any.
    """

    code: str
    kind: str
    severity: Severity
    arguments: Mapping[str, Any]
    place: Line | None
    related: tuple[Line, ...] = ()
    run: int | None = None


@dataclass(frozen=True, slots=True)
class SessionRun:
    """One call of a session's `run`: where it stands, what it fetched, and if the `main` thread called it."""

    number: int
    place: Line | None
    fetches: Fetched
    main: bool = True


@dataclass(frozen=True, slots=True)
class DeviceGraph:
    """A graph that went to the device for the first time, in a session run at `place` that wants `wanted`.

    Graphs of the same `structure` hold the same operations. `collective` tells whether the ranks wait for
    each other in it, `restores` whether it reads a checkpoint.
    """

    run: int
    place: Line | None
    structure: str
    wanted: tuple[str, ...]
    collective: bool
    restores: bool


@dataclass(frozen=True, slots=True)
class Recording:
    """All that is known of a run.

    `on_npu` tells whether a session of it would have reached the NPU; only those are judged. `mishaps` are
    the tracebacks of what could not be judged because of a mistake in ``inside/``.
    """

    tensorflow: str
    status: Status
    exit: int
    on_npu: bool
    runs: int
    verdicts: tuple[Verdict, ...] = ()
    fetched: tuple[SessionRun, ...] = ()
    mishaps: tuple[str, ...] = ()
    graphs: tuple[DeviceGraph, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """The session runs of one process, and whether a session of it would have reached the NPU."""

    runs: int
    on_npu: bool

    @classmethod
    def of(cls, text: bytes) -> Counted:
        """What a process has left in its file; nothing is nothing."""
        runs, on_npu = text.split() or (b"0", b"0")
        return cls(int(runs), on_npu == b"1")


def recording_of(lines: Iterable[bytes], code: int, counted: Sequence[Counted] = ()) -> Recording:
    """What the events in `lines` tell of a process that ended with `code` (minus a signal's number).

    `counted` has what each process, those that it has started among them, has counted by itself: only that is
    known of one that came to no end.
    """
    events = list(_events(lines))
    start = next((one for one in events if one["event"] == "start"), {})
    end = next((one for one in events if one["event"] == "end"), None)
    runs = [one for one in events if one["event"] == "run"]
    children = [one for one in events if one["event"] == "child"]
    verdicts = {(one["code"], one["kind"], str(one["place"])): one for one in reversed(events) if _tells(one)}
    told = (int(end["runs"]) if end is not None else len(runs)) + sum(int(one["runs"]) for one in children)
    silent: Status = "killed" if code < 0 else "failed" if code else "finished"
    return Recording(
        tensorflow=str(start.get("tensorflow", "")),
        status=silent if end is None else end["status"],
        exit=code if end is None else int(end["exit"] or 0),
        on_npu=any(bool(one.get("npu")) for one in (start, end or {}, *children))
        or any(one.on_npu for one in counted),
        runs=sum(one.runs for one in counted) if counted else told,
        verdicts=tuple(map(_verdict, reversed(verdicts.values()))),
        fetched=tuple(
            SessionRun(
                int(one["number"]), _line(one.get("place")), one.get("fetches") or {}, one.get("main", True)
            )
            for one in runs
        ),
        mishaps=tuple(str(one["text"]) for one in events if one["event"] == "mishap"),
        graphs=tuple(_graph(one) for one in events if one["event"] == "graph"),
    )


def _tells(event: Mapping[str, Any]) -> bool:
    return bool(event["event"] == "verdict")


def _events(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        # Only the last line of a process that was killed is not whole.
        if line.endswith(b"\n"):
            try:
                event = json.loads(line)
                yield {**event, "event": str(event["event"])}
            except (ValueError, TypeError, KeyError):
                text = line.decode("utf-8", "backslashreplace").strip()
                yield {"event": "mishap", "text": f"an event cannot be read: {text[:_SHOWN]}"}


def _verdict(event: Mapping[str, Any]) -> Verdict:
    related = (_line(one) for one in event.get("related") or ())
    return Verdict(
        code=event["code"],
        kind=event["kind"],
        severity=Severity[event["severity"].upper()],
        arguments=event.get("arguments") or {},
        place=_line(event.get("place")),
        related=tuple(one for one in related if one is not None),
        run=event.get("run"),
    )


def _graph(event: Mapping[str, Any]) -> DeviceGraph:
    return DeviceGraph(
        run=int(event["run"]),
        place=_line(event.get("place")),
        structure=event["structure"],
        wanted=tuple(event["wanted"]),
        collective=bool(event["collective"]),
        restores=bool(event["restores"]),
    )


def _line(value: Mapping[str, Any] | None) -> Line | None:
    return None if value is None else Line(value["path"], int(value["line"]), value.get("role") or "")
