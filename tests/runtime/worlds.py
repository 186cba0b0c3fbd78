"""The worlds a migrated script must train in, as seen from the tests."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from npu_migrate.rehearsal.protocol import Mode, Recording, Verdict, recording_of
from npu_migrate.rehearsal.tables import tables

REPOSITORY = Path(__file__).resolve().parents[2]
SERVER = Path(__file__).with_name("server.py")

INTERPRETERS = {"1.15": "NPU_MIGRATE_TF115", "2.15": "NPU_MIGRATE_TF215"}
"""Each world's environment variable; it names a Python that can import that TensorFlow."""

SECONDS_PER_SCRIPT = 120


def interpreter(world: str) -> Path | None:
    """The Python of a world: what its variable names, else the one `tests/run.py` prepared, else None."""
    named = os.environ.get(INTERPRETERS[world])
    path = Path(named) if named else REPOSITORY / ".cache" / f"tensorflow-{world}" / "bin" / "python"
    return path if path.exists() else None


def available_worlds() -> tuple[str, ...]:
    return tuple(world for world in INTERPRETERS if interpreter(world))


@dataclass(frozen=True)
class Job:
    """One script to run: `entry` lies in `folder`.

    It is rehearsed: judged and imitated as on the NPU, or as `mode` says. `take_over` sends all its sessions
    to the NPU, whatever it imports. With `record` the fetched numbers are kept.
    """

    folder: str
    entry: str
    mode: Mode = "imitate"
    take_over: bool = True
    record: bool = False
    seconds: float = SECONDS_PER_SCRIPT


@dataclass(frozen=True)
class Outcome:
    """What a script printed and how it ended; a negative `code` is a signal's number.

    `recording` is all that was seen of it, `verdicts` what the NPU would make of it.
    """

    stdout: str
    stderr: str
    code: int
    recording: Recording

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return self.recording.verdicts


class World:
    """A prepared Python process. Jobs run one after the other, in the order in which they were submitted."""

    def __init__(self, version: str) -> None:
        python = interpreter(version)
        assert python is not None, f"no Python with TensorFlow {version}"
        self.version = version
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        self._process = subprocess.Popen(
            [str(python), str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=_environment(),
            text=True,
            encoding="utf-8",
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(tables()) + "\n")
        self._line = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"tensorflow-{version}")
        self._submitted: dict[Job, Future[Outcome]] = {}

    def submit(self, job: Job) -> Future[Outcome]:
        """The future outcome of a job; the same job runs only once."""
        if job not in self._submitted:
            self._submitted[job] = self._line.submit(self._ask, job)
        return self._submitted[job]

    def run(self, job: Job) -> Outcome:
        """The outcome of a job. Raises `AssertionError` if something could not be judged."""
        outcome = self.submit(job).result()
        assert not outcome.recording.mishaps, "\n".join(outcome.recording.mishaps)
        return outcome

    def close(self) -> None:
        self._line.shutdown(wait=True, cancel_futures=True)
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._log.close()

    def _ask(self, job: Job) -> Outcome:
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(job.__dict__) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            self._log.seek(0)
            log = self._log.read().decode("utf-8", "replace")
            raise RuntimeError(f"the TensorFlow {self.version} process died:\n{log[-4000:]}")
        result = json.loads(answer)
        events = (f"{line}\n".encode() for line in result["events"])
        recording = recording_of(events, result["code"])
        return Outcome(result["stdout"], result["stderr"], result["code"], recording)


Worlds = Mapping[str, World]
"""The running worlds, by version."""


def series(outcomes: Iterable[Outcome]) -> str:
    """What scripts printed that all ran to their end. Raises `AssertionError` for one that did not."""
    printed = []
    for outcome in outcomes:
        assert outcome.code == 0, outcome.stderr[-4000:]
        assert outcome.stdout.strip(), "the script printed nothing"
        printed.append(outcome.stdout)
    return "".join(printed)


def chosen_parameters(request: pytest.FixtureRequest, module: Path) -> Iterator[Mapping[str, Any]]:
    """The parameters of each test in `module` that this run has chosen and that runs a script in a world."""
    for item in request.session.items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if item.path == module and "world" in parameters:
            yield parameters


def _environment() -> dict[str, str]:
    """The tests' own environment, made quiet, single-threaded, and free of what could steer TensorFlow."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "TF_"))}
    return kept | {
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
        "TF_CPP_MIN_LOG_LEVEL": "2",
        "TF_ENABLE_ONEDNN_OPTS": "0",
    }
