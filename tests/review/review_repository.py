"""A Git repository in a temporary folder, and the tool run in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[2]

ISOLATED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


@dataclass(frozen=True)
class Ran:
    """What a run of the tool gave."""

    code: int
    out: bytes
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The JSON that was printed."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    @property
    def places(self) -> list[str]:
        """The findings of the JSON report as ``path:line CODE``."""
        assert self.code in (0, 1), self.err
        return [
            f"{one['path']}:{one['range']['start']['line']} {one['code']}"
            for one in self.document["findings"]
        ]


@dataclass(frozen=True)
class Repository:
    """A repository at `folder`."""

    folder: Path

    def git(self, *arguments: str, **environment: str) -> bytes:
        ran = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**os.environ, **ISOLATED, **environment},
            capture_output=True,
        )
        assert ran.returncode == 0, ran.stderr.decode()
        return ran.stdout

    def write(self, files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: dict[str, str | bytes]) -> str:
        """Write `files` and commit everything; gives the commit."""
        self.write(files)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message", "step")
        return self.git("rev-parse", "HEAD").decode().strip()

    def tool(self, *arguments: str, within: str = ".", stdin: bytes = b"", **environment: str) -> Ran:
        ran = subprocess.run(
            [sys.executable, "-m", "npu_migrate", *arguments],
            cwd=self.folder / within,
            env={**os.environ, **ISOLATED, "PYTHONPATH": str(PACKAGE), **environment},
            input=stdin,
            capture_output=True,
            timeout=120,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr.decode())

    def since(self, revision: str = "HEAD", *arguments: str, **environment: str) -> Ran:
        """The JSON report of what changed since a revision."""
        return self.tool(".", "--format", "json", "--changed-since", revision, *arguments, **environment)


def new_repository(folder: Path) -> Repository:
    folder.mkdir(parents=True, exist_ok=True)
    repository = Repository(folder)
    repository.git("init", "--quiet", "--initial-branch=main")
    return repository
