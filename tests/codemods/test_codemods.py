"""The fixes as LibCST codemods, by LibCST's own test case and its own command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import libcst
import pytest
from fixture_cases import Case, all_cases
from libcst.codemod import CodemodContext, CodemodTest

from npu_migrate import codemods
from npu_migrate.rules import ALL_RULES

BEFORE = """
    import tensorflow as tf

    data = tf.data.Dataset.range(3)  # three
    iterator = data.make_one_shot_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        print(sess.run(value))
"""
AFTER = """
    import tensorflow as tf

    data = tf.data.Dataset.range(3)  # three
    iterator = data.make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        print(sess.run(value))
"""


CODEMOD = [
    sys.executable,
    "-m",
    "libcst.tool",
    "codemod",
    "-x",
    "--no-format",
    "npu_migrate.codemods.Migrate",
]


def single(case: Case) -> bool:
    """Whether a case is one file that LibCST can read, and stays one file."""
    if len(case.before) != 1 or case.after.keys() != case.before.keys():
        return False
    ((name, data),) = case.before.items()
    if not name.endswith(".py"):
        return False
    try:
        return libcst.parse_module(data).bytes == data
    except (libcst.ParserSyntaxError, UnicodeDecodeError, LookupError, SyntaxError):
        return False


SINGLE = [case for case in all_cases() if single(case)]


class TestMigrate(CodemodTest):
    TRANSFORM = codemods.Migrate

    def test_a_fix(self) -> None:
        self.assertCodemod(BEFORE, AFTER)

    def test_a_second_run(self) -> None:
        self.assertCodemod(AFTER, AFTER)

    def test_a_file_of_others(self) -> None:
        self.assertCodemod("x = 1 # one", "x = 1 # one")


class TestOneRule(CodemodTest):
    TRANSFORM = codemods.BY_CODE["NPU101"]

    def test_its_fix(self) -> None:
        self.assertCodemod(BEFORE, AFTER)


class TestAnotherRule(CodemodTest):
    TRANSFORM = codemods.BY_CODE["NPU301"]

    def test_fixes_of_other_rules_are_left_out(self) -> None:
        self.assertCodemod(BEFORE, BEFORE)


@pytest.mark.parametrize("case", SINGLE, ids=lambda case: case.name)
def test_the_same_as_writing(case: Case, tmp_path: Path) -> None:
    ((name, data),) = case.before.items()
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    tree = libcst.parse_module(data)
    for unsafe, expected in ((False, case.after), (True, case.after_unsafe)):
        if expected.keys() == {name}:
            command = codemods.Migrate(CodemodContext(filename=str(file)), unsafe_fixes=unsafe)
            assert command.transform_module(tree).bytes == expected[name]


def test_there_is_a_command_for_each_rule_with_a_fix() -> None:
    assert {rule.code for rule in ALL_RULES if rule.fix != "manual"} == codemods.BY_CODE.keys()
    assert all(getattr(codemods, code) is command for code, command in codemods.BY_CODE.items())


def test_as_libcst_starts_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(dedent(BEFORE), "utf-8")
    (tmp_path / "other.py").write_text("x = 1\n", "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "libcst.tool",
            "codemod",
            "-x",
            "--no-format",
            "npu_migrate.codemods.Migrate",
            ".",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "train.py").read_text("utf-8") == dedent(AFTER)
    assert (tmp_path / "other.py").read_text("utf-8") == "x = 1\n"


@pytest.mark.parametrize("option", [[], ["--unsafe-fixes"]])
def test_what_cannot_be_used_takes_one_line(tmp_path: Path, option: list[str]) -> None:
    (tmp_path / "train.py").write_text(dedent(BEFORE), "utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.npu-migrate]\nselect = 7\n", "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "libcst.tool",
            "codemod",
            "-x",
            "npu_migrate.codemods.Migrate",
            *option,
            "train.py",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "select" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert (tmp_path / "train.py").read_text("utf-8") == dedent(BEFORE)
