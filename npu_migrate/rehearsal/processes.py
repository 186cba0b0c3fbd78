"""The process that runs the script: how it is started, and what is left of it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from npu_migrate.rehearsal.protocol import Counted, Recording, RunRequest, recording_of

INSIDE = Path(__file__).with_name("inside")
"""What runs in the user's Python."""

_PATIENCE = 10
"""Seconds that a script gets to end after Ctrl-C."""

_CPU_ONLY = {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "2"}
_REPRODUCIBLE = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "TF_ENABLE_ONEDNN_OPTS": "0"}


class InterruptedRun(Exception):
    """Ctrl-C ended the run; `recording` is what was seen before."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self.recording = recording


def run_script(
    python: str, request: RunRequest, tables: Mapping[str, Any], copy_output: IO[bytes] | None = None
) -> Recording:
    """Run the script that `request` names with `python`, and return what was seen.

    Its standard streams are those of this process. `copy_output` gets a copy of what it prints. Raises
    `OSError` if the process cannot be started, and `InterruptedRun`.
    """
    with tempfile.TemporaryDirectory(prefix="npu-rehearse-") as name:
        events, file = Path(name, "events.jsonl"), Path(name, "request.json")
        events.touch()
        file.write_text(request.document(str(events), tables), encoding="utf-8")
        command = [python, "-B", *(["-u"] if copy_output else []), str(INSIDE), str(file)]
        with subprocess.Popen(
            command,
            cwd=request.folder,
            env=_environment(request.deterministic, request.rank),
            stdout=subprocess.PIPE if copy_output else None,
        ) as process:
            try:
                if copy_output is not None:
                    _pass_on(process, copy_output)
                code = process.wait()
            except KeyboardInterrupt:
                code = _end(process)
                raise InterruptedRun(_recording(events, code)) from None
        return _recording(events, code)


def _recording(events: Path, code: int) -> Recording:
    counted = [Counted.of(one.read_bytes()) for one in events.parent.glob(f"{events.name}.runs.*")]
    with events.open("rb") as lines:
        return recording_of(lines, code, counted)


def _environment(deterministic: bool, rank: tuple[int, int] | None) -> dict[str, str]:
    """The user's own environment; what they have set counts, but for the devices: it runs on the CPU.

    A rank finds what the launcher of a training on several devices exports (`DOC-PORT`).
    """
    environment = {**_CPU_ONLY, **os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
    if deterministic:
        environment |= _REPRODUCIBLE
    if rank is not None:
        number, size = map(str, rank)
        environment |= {
            "RANK_ID": number,
            "RANK_SIZE": size,
            "DEVICE_ID": number,
            "ASCEND_DEVICE_ID": number,
        }
        environment.setdefault("JOB_ID", "rehearsal")
    return environment


def _pass_on(process: subprocess.Popen[bytes], copy: IO[bytes]) -> None:
    """Print what the script prints, as soon as it does, and keep a copy."""
    assert process.stdout is not None
    output = None if sys.stdout is None else sys.stdout.buffer
    while data := os.read(process.stdout.fileno(), 1 << 16):
        copy.write(data)
        if output is not None:
            try:
                output.write(data)
                output.flush()
            except BrokenPipeError:
                output = None


def _end(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a process that has got Ctrl-C as well; one that does not end is killed."""
    try:
        return process.wait(_PATIENCE)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        return process.wait()
