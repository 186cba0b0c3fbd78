"""What a release needs: one version and address, a valid workflow, pages that promise nothing too early."""

from __future__ import annotations

import ast
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from runtime.worlds import available_worlds, interpreter

import npu_migrate

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[1]
ADDRESS = "https://github.com/npu-migrate/npu-migrate"
EXTENSION = REPOSITORY / "editors" / "vscode"
WORKFLOW = REPOSITORY / ".github" / "workflows" / "release.yml"
TEXTS = (
    *sorted(REPOSITORY.glob("*.md")),
    *sorted((REPOSITORY / "docs").glob("*.md")),
    *sorted((REPOSITORY / "docs" / "zh").glob("*.md")),
    *sorted((REPOSITORY / "docs" / "examples").glob("*.yml")),
    EXTENSION / "README.md",
    EXTENSION / "CHANGELOG.md",
)
NEEDS_THE_RELEASE = re.compile(
    r"pip install ['\"]?npu-migrate|(?:uses: |repo: https://github.com/)npu-migrate/"
    r"|(?:uvx|pipx run|pipx install|uv tool install) ['\"]?npu-"
)


def project() -> dict[str, Any]:
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)["project"]
    return found


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    return found


def test_there_is_one_version() -> None:
    assert {project()["version"], manifest()["version"]} == {npu_migrate.__version__}
    changelogs = (REPOSITORY / "CHANGELOG.md", EXTENSION / "CHANGELOG.md")
    heading = f"\n## [{npu_migrate.__version__}] - "
    assert all(heading in changelog.read_text(encoding="utf-8") for changelog in changelogs)


def test_there_is_one_address() -> None:
    assert all(url.startswith(ADDRESS) for url in project()["urls"].values())
    assert manifest()["repository"]["url"] == f"{ADDRESS}.git"
    assert manifest()["homepage"].startswith(ADDRESS) and manifest()["bugs"]["url"].startswith(ADDRESS)
    others = re.compile(r"(?:github\.com/|uses: )(?!npu-migrate/)[\w-]+/npu-migrate\b")
    assert [text.name for text in TEXTS if others.search(text.read_text(encoding="utf-8"))] == []


def examples(text: Path) -> list[str]:
    """The blocks of a page; of another file, the whole."""
    content = text.read_text(encoding="utf-8")
    if text.suffix != ".md":
        return [content]
    return re.findall(r"^ *```\w+\n(.*?)^ *```", content, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_what_cannot_run_before_the_release_says_so(text: Path) -> None:
    silent = [
        line
        for block in examples(text)
        for line in block.splitlines()
        if NEEDS_THE_RELEASE.search(line) and "not published yet" not in line
    ]
    assert silent == []


def test_some_examples_need_the_release() -> None:
    """So the test above can fail."""
    found = [line for text in TEXTS for block in examples(text) for line in block.splitlines()]
    assert sum(NEEDS_THE_RELEASE.search(line) is not None for line in found) > 8


def test_the_workflow_is_valid() -> None:
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*words, str(WORKFLOW)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_holds_no_secrets_and_trusts_no_tag_blindly() -> None:
    text = WORKFLOW.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert "secrets." not in text
    assert workflow["permissions"] == {}
    assert {name: job.get("environment") for name, job in workflow["jobs"].items()} == {
        "build": None,
        "executable": None,
        "pypi": "pypi",
        "marketplace": "marketplace",
        "downloads": None,
    }
    # A name that stands in a script as it is could be a command.
    runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert not any("${{" in run for run in runs)


def test_the_extension_has_an_icon_of_the_right_size() -> None:
    data = (EXTENSION / manifest()["icon"]).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert width == height >= 128


def test_the_archive_of_the_sources_names_only_what_is_there() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    included = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [name for name in included if not (REPOSITORY / name).exists()] == []


def said_by_backend(python: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-c", "import npu_migrate_build; print(npu_migrate_build.build_wheel)"],
        cwd=REPOSITORY / "build_backend",
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("world", [one for one in available_worlds() if one == "1.15"])
def test_an_old_python_is_told_what_to_do(world: str) -> None:
    """This is what pip shows of it."""
    done = said_by_backend(interpreter(world))
    assert done.returncode == 1
    assert done.stderr.startswith(
        "npu-migrate needs Python 3.10 or newer, and this is Python 3.7. It only reads"
    )
    assert done.stderr.count("\n") == 1


def test_an_old_python_needs_nothing_to_be_told() -> None:
    system = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert all("python_version >= '3.10'" in requirement for requirement in system["requires"])
    assert system["backend-path"] == ["build_backend"]
    source = (REPOSITORY / "build_backend" / "npu_migrate_build.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 4))
