"""The pipelines that docs/ci.md shows have the form that their services ask for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```yaml\n# (\S+)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL))

CHECKS = {
    ".pre-commit-config.yaml": ["pre_commit", "validate-config"],
    ".github/workflows/npu-migrate.yml": ["check_jsonschema", "--builtin-schema", "vendor.github-workflows"],
    ".gitlab-ci.yml": [
        "check_jsonschema",
        "--builtin-schema",
        "vendor.gitlab-ci",
        "--data-transform",
        "gitlab-ci",
    ],
}


def test_every_file_is_named() -> None:
    assert PAGE.count("```yaml") == len(FILES)
    assert FILES.keys() >= CHECKS.keys()


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_yaml(name: str) -> None:
    assert isinstance(yaml.safe_load(FILES[name]), dict)


@pytest.mark.parametrize("name", CHECKS)
def test_the_form_is_valid(name: str, tmp_path: Path) -> None:
    file = tmp_path / "file.yml"
    file.write_text(FILES[name], encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", *CHECKS[name], str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hook_of_the_page_exists() -> None:
    (repository,) = yaml.safe_load(FILES[".pre-commit-config.yaml"])["repos"]
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["id"] for hook in repository["hooks"]} <= {hook["id"] for hook in hooks}


def test_the_inputs_of_the_action_are_documented() -> None:
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
    table = re.findall(
        r"^\| ([a-z]+) \| (?:`(.*?)`)? *\|", PAGE.partition("## GitHub")[2], flags=re.MULTILINE
    )
    documented = {name: default for name, default in table if name != "input"}
    assert documented == {name: declared["default"] for name, declared in action["inputs"].items()}
    (job,) = yaml.safe_load(FILES[".github/workflows/npu-migrate.yml"])["jobs"].values()
    assert job["steps"][-1]["with"].keys() <= action["inputs"].keys()
