"""Command lines, run in this process with the toy rules."""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

import pytest
from toy import TOY

from npu_migrate.cli import command
from npu_migrate.commands import run_command
from npu_migrate.commands.options import Options
from npu_migrate.engine.job import Machinery


class Ran(NamedTuple):
    code: int
    out: bytes
    err: str


class Shell:
    """Runs command lines in `folder`."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes]
    ) -> None:
        self.folder = folder
        self._patch = patch
        self._capture = capture

    def __call__(self, *arguments: str, stdin: bytes = b"", machinery: Machinery = TOY) -> Ran:
        self._patch.chdir(self.folder)
        self._patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        options = command.make_context("npu-migrate", list(arguments)).params
        del options["explain"], options["list_rules"], options["clean_cache"]
        code = run_command(Options(**options), machinery)
        out, err = self._capture.readouterr()
        return Ran(code, out, err.decode())
