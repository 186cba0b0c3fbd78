"""The GitHub action: its form, and its scripts, run as a runner runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EXAMPLE = REPOSITORY / "npu_migrate" / "examples" / "linear_regression"

ANNOTATION = re.compile(r"^::(?:error|warning|notice) file=([^,]+),", re.MULTILINE)
EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")


class Job(NamedTuple):
    """How a job with the action ended: its exit code, what it printed, the outputs of each step by its id."""

    code: int
    printed: str
    outputs: dict[str, dict[str, str]]


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with the value of each expression in it."""
    return EXPRESSION.sub(lambda match: values[match[1]], text)


def run_steps(steps: Iterable[dict[str, Any]], inputs: Mapping[str, str], folder: Path, known: Job) -> Job:
    """Runs the scripts of the steps one after the other in `folder`, until one fails.

    `known` is how the job went so far. Of the expressions it knows those that the action uses.
    """
    values = {f"inputs.{name}": declared["default"] for name, declared in ACTION["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in inputs.items()}
    values["github.action_path"] = str(REPOSITORY)
    printed, outputs = known.printed, dict(known.outputs)
    for step in steps:
        for name, keys in outputs.items():
            values |= {f"steps.{name}.outputs.{key}": value for key, value in keys.items()}
        written = folder.parent / "GITHUB_OUTPUT"
        written.write_text("")
        environment = {name: filled(text, values) for name, text in step["env"].items()}
        environment |= {"RUNNER_TEMP": str(folder.parent), "GITHUB_OUTPUT": str(written)}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        printed += done.stdout
        lines = written.read_text(encoding="utf-8").splitlines()
        outputs[step.get("id", "")] = dict(line.split("=", 1) for line in lines)
        if done.returncode:
            return Job(done.returncode, printed, outputs)
    return Job(0, printed, outputs)


INSTALL, *AFTER = [step for step in STEPS if "run" in step]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """The action after its first step, which installs npu-migrate from the action's own folder."""
    folder = tmp_path_factory.mktemp("runner") / "workspace"
    folder.mkdir()
    # Files of the checked repository that Python must not take for its own modules.
    for name in ("venv.py", "pip.py", "click.py", "npu_migrate.py"):
        (folder / name).write_text("raise SystemExit('a file of the checked repository was run')\n")
    job = run_steps([INSTALL], {}, folder, Job(0, "", {}))
    assert job.code == 0, job.printed
    return job


def check(installed: Job, folder: Path, **inputs: str) -> Job:
    """The steps after the installation, over the example project and a file that hides a module."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    (folder / "click.py").write_text("raise SystemExit('a file of the checked repository was run')\n")
    return run_steps(AFTER, inputs, folder, installed)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def test_its_form_is_valid() -> None:
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-actions",
        "action.yml",
    ]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_no_input_is_part_of_a_script() -> None:
    assert [step["name"] for step in STEPS if "${{" in step.get("run", "")] == []


def test_a_report_is_uploaded_before_the_job_fails() -> None:
    names = [step.get("id", step["name"]) for step in STEPS]
    upload = next(step for step in STEPS if "uses" in step)
    assert names == ["install", "check", upload["name"], "Fail if findings remain"]
    assert re.fullmatch(r"github/codeql-action/upload-sarif@v\d+", upload["uses"])
    assert upload["with"]["sarif_file"] == "${{ steps.check.outputs.report }}"


def test_findings_make_the_job_fail_at_its_end(installed: Job, workspace: Path) -> None:
    job = check(installed, workspace)
    assert job.code == 1
    assert job.outputs["check"]["exit-code"] == "1"
    report = Path(job.outputs["check"]["report"])
    assert [result["ruleId"] for result in json.loads(report.read_text())["runs"][0]["results"]] == ["NPU101"]
    assert ANNOTATION.findall(job.printed) == ["input_pipeline.py"]


@pytest.mark.parametrize("option", ["--verbose", "--quiet", "--fail-on never"])
def test_options_about_what_is_said_do_not_end_the_job(installed: Job, workspace: Path, option: str) -> None:
    job = check(installed, workspace, args=option)
    assert job.code == int(option != "--fail-on never")
    assert ANNOTATION.findall(job.printed) == ["input_pipeline.py"]
    assert job.printed.count("Found: 1 warning") == int(option != "--quiet")


def test_options_and_paths_are_passed_on(installed: Job, workspace: Path) -> None:
    """Paths may have blanks, and nothing in an input is run."""
    (workspace / "a folder").mkdir()
    (workspace / "a folder" / "b.py").write_text(
        "import tensorflow as tf\ntf.data.Dataset.range(3).make_one_shot_iterator()\n"
    )
    job = check(
        installed,
        workspace,
        paths="a folder\ntrain.py\n",
        args="--fail-on  error --select NPU101 $(touch broken) ;touch broken * `touch broken`",
        format="json",
        annotations="false",
    )
    assert job.code == 2
    assert not (workspace / "broken").exists()
    job = check(
        installed,
        workspace,
        paths="a folder\ntrain.py\n",
        args="--fail-on  error --select NPU101",
        format="json",
        annotations="false",
    )
    assert job.code == 0, job.printed
    findings = json.loads(Path(job.outputs["check"]["report"]).read_text())["findings"]
    assert [(finding["path"], finding["code"]) for finding in findings] == [("a folder/b.py", "NPU101")]
    assert ANNOTATION.findall(job.printed) == []


@pytest.mark.parametrize("inputs", [{"paths": "nowhere"}, {"format": "nonsense"}, {"args": "--nonsense"}])
def test_a_command_that_failed_ends_the_job_at_once(
    installed: Job, workspace: Path, inputs: dict[str, str]
) -> None:
    job = check(installed, workspace, **inputs)
    assert job.code == 2
    assert "npu-migrate: error:" in job.printed
    assert job.outputs["check"] == {}
