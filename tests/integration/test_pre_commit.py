"""The hooks, as pre-commit itself reads, installs and runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "npu_migrate" / "examples" / "linear_regression"

PACKAGE = ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml", "npu_migrate", "build_backend")
"""What a hook's environment is built from."""

CHECKED = ("pyproject.toml", ".pre-commit-config.yaml", "benchmarks", "docs", "npu_migrate", "tests")
"""What the hooks of this repository look at."""

CELL = """\
import tensorflow as tf
iterator = tf.data.Dataset.range(3).make_one_shot_iterator()
number = tf.to_float(iterator.get_next())
train_op = tf.train.AdamOptimizer().minimize(number * tf.get_variable("w", []))
with tf.Session() as sess:
    print(sess.run([number, train_op]))
"""

NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": CELL.splitlines(keepends=True),
        }
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 4,
}


class Folder:
    """A Git repository below a temporary folder, with its own home and its own cache of pre-commit."""

    def __init__(self, path: Path, cache: Path) -> None:
        self.path = path
        person = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", "Someone"), ("EMAIL", "someone@example.com"))
        }
        programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        settings = {
            "PRE_COMMIT_HOME": str(cache),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PRE_COMMIT_COLOR": "never",
        }
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._environment = {**inherited, **person, **settings, "PATH": programs}
        path.mkdir(exist_ok=True)
        self.run("git", "init", "--quiet")

    def run(self, *command: str, code: int = 0) -> str:
        """What the command prints; its exit code must be `code`."""
        done = subprocess.run(
            command,
            cwd=self.path,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        assert done.returncode == code, done.stdout
        return done.stdout

    def add(self, *sources: Path) -> None:
        """Copies files and folders into the repository and stages them."""
        for source in sources:
            if source.is_dir():
                junk = shutil.ignore_patterns("__pycache__", "node_modules", ".*_cache")
                shutil.copytree(source, self.path / source.name, ignore=junk)
            else:
                shutil.copy(source, self.path)
        self.run("git", "add", ".")

    def read(self, name: str) -> str:
        return (self.path / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> str:
    """A repository with the hooks, tagged v1."""
    folder = Folder(tmp_path_factory.mktemp("npu-migrate"), cache)
    folder.add(*(REPOSITORY / name for name in PACKAGE))
    folder.run("git", "commit", "--quiet", "--message", "npu-migrate")
    folder.run("git", "tag", "v1")
    return str(folder.path)


@pytest.fixture
def project(tmp_path: Path, cache: Path) -> Iterator[Folder]:
    folder = Folder(tmp_path / "project", cache)
    folder.add(*EXAMPLE.glob("*.py"))
    return folder


def test_the_manifest_is_valid(project: Folder) -> None:
    assert project.run("pre-commit", "validate-manifest", str(REPOSITORY / ".pre-commit-hooks.yaml")) == ""


def test_both_hooks_in_a_trial(project: Folder, hooks: str) -> None:
    (project.path / "train.ipynb").write_text(json.dumps(NOTEBOOK, indent=1))
    project.run("git", "add", ".")
    output = project.run("pre-commit", "try-repo", hooks, "--all-files", code=1)
    check, fix = re.split(r"^npu-migrate --write\.+", output, flags=re.MULTILINE)
    assert re.search(r"^npu-migrate\.+Failed\n- hook id: npu-migrate\n- exit code: 1$", check, re.MULTILINE)
    assert "input_pipeline.py:14:24: NPU101" in check
    assert "train.ipynb:cell 1:2:37: NPU101" in check
    assert fix.startswith("Failed\n- hook id: npu-migrate-fix\n- files were modified by this hook\n")
    assert "make_one_shot_iterator" not in project.read("input_pipeline.py")
    assert "tables_initializer" in project.read("train.py")
    assert "make_one_shot_iterator" not in project.read("train.ipynb")


def test_commits(project: Folder, hooks: str) -> None:
    """The hook sees only the files of the commit. It knows the others, and does not change them."""
    configuration = (
        f"repos:\n- repo: {hooks}\n  rev: v1\n  hooks:\n  - id: npu-migrate-fix\n    args: [--select, NPU1]\n"
    )
    (project.path / ".pre-commit-config.yaml").write_text(configuration)
    project.run("git", "add", ".")
    project.run("git", "commit", "--quiet", "--message", "before the hook")
    project.run("pre-commit", "install")
    commit = ("git", "commit", "--all", "--quiet", "--message", "a change")
    pipeline, script = project.path / "input_pipeline.py", project.path / "train.py"

    script.write_text("# changed\n" + script.read_text())
    project.run(*commit)

    changed = "# changed\n" + pipeline.read_text()
    pipeline.write_text(changed)
    assert "train.py" in project.run(*commit, code=1)
    assert pipeline.read_text() == changed

    script.write_text("# changed again\n" + script.read_text())
    assert "- files were modified by this hook" in project.run(*commit, code=1)
    assert "make_one_shot_iterator" not in pipeline.read_text()
    assert "tables_initializer" in script.read_text()
    project.run(*commit)


def test_the_configuration_of_this_repository_is_valid(project: Folder) -> None:
    assert project.run("pre-commit", "validate-config", str(REPOSITORY / ".pre-commit-config.yaml")) == ""


def test_this_repository_passes_its_own_hook(tmp_path: Path, cache: Path) -> None:
    """And it would not pass with a finding."""
    folder = Folder(tmp_path / "repository", cache)
    folder.add(*(REPOSITORY / name for name in CHECKED))
    command = ("pre-commit", "run", "npu-migrate", "--all-files")
    assert re.fullmatch(r"npu-migrate\.+Passed\n", folder.run(*command))
    folder.add(EXAMPLE / "input_pipeline.py")
    assert "input_pipeline.py:14:24: NPU101" in folder.run(*command, code=1)
