"""The command ``npu-migrate-review`` run against a service, with reports that npu-migrate has made."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from described_api import TOKEN, Service
from forges import Forge

from npu_migrate.posting.command import NAME, command

PACKAGE = Path(__file__).resolve().parents[2]
PIPELINES = ("GITHUB_", "CI_", "GITLAB_")

OLD = """\
import tensorflow as tf

dataset = tf.data.Dataset.range(8)
value = tf.constant(1)
train_op = tf.train.AdamOptimizer().minimize(tf.get_variable("w", []) * tf.to_float(value))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([value, train_op]))
"""
NEW = OLD.replace(
    "value = tf.constant(1)\n",
    "iterator = dataset.make_one_shot_iterator()\nvalue = iterator.get_next()\n",
)
FILES = {"train.py": (OLD, NEW), "src/other file.py": (OLD, NEW)}
MENDED = {"train.py": (OLD, OLD + "\n"), "src/other file.py": (OLD, NEW)}

Files = dict[str, tuple[str, str]]


def diff_of(before: str, after: str) -> str:
    """The hunks of a change."""
    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True))
    return "".join([*lines][2:])


def forge_of(files: Files, hidden: tuple[str, ...] = (), **more: Any) -> Forge:
    """A pull request with these changes; of `hidden` files the service shows no diff, as of large ones."""
    told = [(path, path, "" if path in hidden else diff_of(*texts)) for path, texts in files.items()]
    return Forge(told, **more)


def report(files: Files, form: str = "github-review", language: str = "en") -> bytes:
    """What npu-migrate says of these changes."""
    return _report(tuple(files.items()), form, language)


@cache
def _report(files: tuple[tuple[str, tuple[str, str]], ...], form: str, language: str) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        patch = ""
        for path, (before, after) in files:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(after)
            patch += f"--- a/{path}\t\n+++ b/{path}\t\n{diff_of(before, after)}"
        words = ["-m", "npu_migrate", ".", "--format", form, "--diff-file", "-", "--fail-on", "never"]
        words += ["--language", language]
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        ran = subprocess.run(
            [sys.executable, *words], cwd=folder, input=patch.encode(), capture_output=True, env=environment
        )
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout


def findings(data: bytes) -> list[dict[str, Any]]:
    """The comments of a report."""
    comments: list[dict[str, Any]] = json.loads(data)["comments"]
    return comments


@dataclass(frozen=True)
class Ran:
    """What a run of the command gave."""

    code: int
    out: str
    err: str

    @property
    def counts(self) -> tuple[int, ...]:
        """How many comments were posted, updated, resolved, and left as they are."""
        words = self.out.splitlines()[0].partition(": ")[2].removesuffix(" (dry run)").split(", ")
        return tuple(int(one.split()[0]) for one in words)


def run(
    service: Service | None,
    data: bytes,
    *options: str,
    environment: dict[str, str] | None = None,
    pull: bool = True,
    code: str | None = None,
) -> Ran:
    """Post a report on pull request 5, unless `options` say otherwise.

    With `code`, another process runs this.
    """
    words = [*options]
    if service is not None:
        name = service.description["service"].lower()
        words += ["--service", name, "--repository", "o/r", "--api", service.address]
        words += ["--pull-request", "5"] if pull else []
    variables = {"NPU_MIGRATE_TOKEN": TOKEN, "PYTHONPATH": str(PACKAGE), "NO_PROXY": "*"}
    if code is None:
        nothing = {key: None for key in os.environ if key.startswith(PIPELINES)}
        told = {**nothing, **variables, **(environment or {})}
        done = CliRunner().invoke(command, [*words, "-"], input=data, env=told, prog_name=NAME)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Ran(done.exit_code, done.stdout, done.stderr)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(PIPELINES)}
    ran = subprocess.run(
        [sys.executable, "-c", code, *words, "-"],
        input=data,
        capture_output=True,
        env={**kept, **variables, **(environment or {})},
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def error_line(ran: Ran) -> str:
    """The one line of a run that fails."""
    assert (ran.code, ran.out) == (2, ""), (ran.code, ran.out, ran.err)
    assert ran.err.startswith("npu-migrate-review: error: ") and ran.err.count("\n") == 1, ran.err
    assert TOKEN not in ran.err
    return ran.err.removeprefix("npu-migrate-review: error: ").strip()
