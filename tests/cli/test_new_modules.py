"""Fixes that add a module to the project, on all ways that lead out of the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from command import folder_with, tool
from fidelity import read_tree
from unprivileged import unprivileged_folder

import npu_migrate
from npu_migrate.cli import command
from npu_migrate.settings import Settings

MODULE = "first_use_iterator.py"
SCRIPT = """\
import tensorflow as tf

value = tf.data.Dataset.range(8).make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print(sess.run(value))
"""
FIRST_USE = ("--initialize", "first-use")
TREE = {"train.py": SCRIPT.encode(), "evaluate.py": SCRIPT.encode()}


def told(*arguments: str, text: str | None = None) -> tuple[str, str, int]:
    """Standard output, standard error and exit code."""
    result = CliRunner().invoke(command, [*arguments], input=text, standalone_mode=False)
    code = result.return_value if result.exception is None else 2
    return result.stdout, f"{result.stderr}{result.exception or ''}", code


def test_the_module_is_written_once_for_all_files() -> None:
    with folder_with(TREE) as folder:
        assert told(".", "--write", *FIRST_USE)[2] == 0
        written = read_tree(folder)
        assert written.keys() == {*TREE, MODULE}
        assert b"first_use_iterator.make(tf.data.Dataset.range(8)).get_next()" in written["train.py"]
        assert told(".", "--write", *FIRST_USE)[2] == 0
        assert read_tree(folder) == written


def test_the_setting_says_the_same_as_the_option() -> None:
    settings = b'[tool.npu-migrate]\ninitialize = "first-use"\n'
    with folder_with(TREE | {"pyproject.toml": settings}) as folder:
        assert tool(".", "--diff") == tool(".", "--diff", *FIRST_USE)
        assert MODULE.encode() not in tool(".", "--diff", "--initialize", "explicit")
        assert read_tree(folder).keys() == {*TREE, "pyproject.toml"}


def test_each_fix_alone_brings_the_module() -> None:
    with folder_with(TREE):
        findings = json.loads(tool(".", "--format", "json", *FIRST_USE))["findings"]
        for finding in findings:
            start = {"line": 1, "column": 1}
            (new,) = [edit for edit in finding["fix"]["edits"] if edit["path"] == MODULE]
            assert new["range"] == {"start": start, "end": start}


@pytest.mark.needs("git")
def test_git_applies_the_diff_and_makes_the_file() -> None:
    with folder_with(TREE) as folder:
        diff = tool("train.py", "--diff", *FIRST_USE)
        assert b"--- /dev/null\n+++ b/first_use_iterator.py\n@@ -0,0 +1," in diff
        subprocess.run(["git", "apply", "-"], input=diff, cwd=folder, check=True)
        assert tool("train.py", "--diff", *FIRST_USE) == b""
        assert (folder / MODULE).read_text("utf-8").isascii()


def test_a_copy_gets_the_module_and_the_original_does_not(tmp_path: Path) -> None:
    with folder_with({f"src/{name}": text for name, text in TREE.items()}) as folder:
        told("src", "--output", str(tmp_path / "copy"), *FIRST_USE)
        copied = read_tree(tmp_path / "copy")
        told("src", "--write", *FIRST_USE)
        assert copied == read_tree(folder / "src")


def test_standard_input_gets_only_fixes_that_need_no_new_file() -> None:
    with folder_with(TREE) as folder:
        unchanged = told("-", "--write", "--stdin-filename", "train.py", *FIRST_USE, text=SCRIPT)[0]
        assert unchanged == SCRIPT
        told("evaluate.py", "--write", *FIRST_USE)
        changed = told("-", "--write", "--stdin-filename", "train.py", *FIRST_USE, text=SCRIPT)[0]
        assert "first_use_iterator.make" in changed
        assert (folder / "train.py").read_text("utf-8") == SCRIPT


def test_the_functions_of_the_package_hand_out_one_text() -> None:
    settings = Settings(initialize="first-use")
    assert npu_migrate.fix_source(SCRIPT, settings=settings) == SCRIPT
    (diagnostic,) = npu_migrate.check_source(SCRIPT, settings=settings)
    assert diagnostic.fix is not None
    assert {Path(edit.path).name for edit in diagnostic.fix.edits} == {"<stdin>", MODULE}


def test_a_module_outside_of_what_was_named_is_not_written() -> None:
    inner = {"train.py": b"import lib.data\n", "lib/data.py": SCRIPT.encode()}
    with folder_with(inner | {"pyproject.toml": b""}) as folder:
        report = json.loads(tool("lib/data.py", "--format", "json", *FIRST_USE))
        (finding,) = report["findings"]
        assert finding["fix"] is None
        assert f"{MODULE}, which was not given to this run" in finding["message"]
        told(".", "--write", *FIRST_USE)
        assert (folder / MODULE).is_file()
        assert b"\nimport first_use_iterator\n" in (folder / "lib/data.py").read_bytes()


def test_a_folder_that_nobody_may_write_to_leaves_the_scripts_alone() -> None:
    with unprivileged_folder() as shared, folder_with({}):
        folder = shared / "project"
        folder.mkdir()
        (folder / "train.py").write_text(SCRIPT, "utf-8")
        folder.chmod(0o555)
        _, said, code = told(str(folder), "--write", *FIRST_USE)
        folder.chmod(0o755)
        assert (folder / "train.py").read_text("utf-8") == SCRIPT
        assert code == 2
        assert "cannot be written" in said


def test_a_module_of_that_name_that_git_ignores_is_not_overwritten() -> None:
    theirs = {".gitignore": f"{MODULE}\n".encode(), MODULE: b"COUNT = 3\n", "pyproject.toml": b""}
    with folder_with(TREE | theirs) as folder:
        told(".", "--write", *FIRST_USE)
        assert (folder / MODULE).read_bytes() == b"COUNT = 3\n"
        assert (folder / "first_use_iterator_1.py").is_file()


@pytest.mark.parametrize("value", ['"sometimes"', "true"])
def test_a_wrong_setting_takes_one_line(value: str) -> None:
    with folder_with(TREE | {"pyproject.toml": f"[tool.npu-migrate]\ninitialize = {value}\n".encode()}):
        _, said, code = told(".")
        assert code == 2
        assert "initialize must be one of explicit, first-use, explicit-then-first-use" in said
