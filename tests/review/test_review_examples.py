"""The pipelines of docs/review.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from review_repository import PACKAGE

from npu_migrate.cli import command
from npu_migrate.posting.command import command as posting

EXAMPLES = PACKAGE / "docs" / "examples"
PIPELINES = sorted(EXAMPLES.glob("*.yml"))
COMMANDS: dict[str, click.Command] = {"npu-migrate": command, "npu-migrate-review": posting}


@pytest.mark.parametrize("file", PIPELINES, ids=lambda file: file.name)
def test_every_pipeline_is_yaml_and_its_options_exist(file: Path) -> None:
    text = file.read_text("utf-8")
    assert isinstance(yaml.safe_load(text), dict)
    # A command goes on behind a backslash, and in folded lines until the next item.
    joined = re.sub(r"\\?\n\s+(?=--)", " ", text)
    found = re.findall(r'(npu-migrate(?:-review)?)"? ((?:\.|--|review\.json|report/).*)', joined)
    assert {name for name, _ in found} & COMMANDS.keys()
    for name, arguments in found:
        known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        assert {*re.findall(r"(?<!\w)--[a-z-]+", arguments)} <= known


@pytest.mark.parametrize(
    ("name", "schema", "options"),
    [
        ("github-review.yml", "vendor.github-workflows", ()),
        ("github-post-review.yml", "vendor.github-workflows", ()),
        ("gitlab-review.yml", "vendor.gitlab-ci", ("--data-transform", "gitlab-ci")),
        ("gitlab-review-forks.yml", "vendor.gitlab-ci", ("--data-transform", "gitlab-ci")),
    ],
)
def test_the_form_is_valid(name: str, schema: str, options: tuple[str, ...]) -> None:
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *options]
    done = subprocess.run([*words, str(EXAMPLES / name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def workflow(name: str) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load((EXAMPLES / name).read_text("utf-8"))
    return found


def test_the_step_that_reads_strangers_files_cannot_write() -> None:
    first = workflow("github-review.yml")
    assert first["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in first["jobs"].values())
    assert "secrets." not in str(first) and "github.token" not in str(first)


def test_the_step_with_the_token_has_no_file_of_the_change() -> None:
    second, first = workflow("github-post-review.yml"), workflow("github-review.yml")
    (job,) = second["jobs"].values()
    assert second[True] == {"workflow_run": {"workflows": [first["name"]], "types": ["completed"]}}
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert "checkout" not in str(job["steps"])
    # Nothing that a stranger may name is pasted into a shell.
    assert not any("${{" in step.get("run", "") for step in job["steps"])


@pytest.mark.parametrize("name", ["gitlab-review.yml", "gitlab-review-forks.yml"])
def test_the_jobs_of_gitlab_that_post_have_no_checkout(name: str) -> None:
    for job in workflow(name).values():
        posts = "npu-migrate-review " in str(job["script"])
        assert (job["variables"].get("GIT_STRATEGY") == "none") == posts
        assert ("cache" in job) != posts
