"""What a run says on standard error beside its summary, and the settings that a page lists."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner
from command import folder_with
from fidelity import Tree
from languages.test_spoken import SCRIPT, TREE

from npu_migrate.cli import command

BROKEN = {**TREE, Path("old.py"): b"print 'import tensorflow as tf; npu_bridge'\n"}
ENGLISH = re.compile(r"(?<![\w./-])[a-z]{2,} [a-z]{2,}(?![\w./-])")


def noted(tree: Tree, *arguments: str, environment: dict[str, str] | None = None) -> str:
    with folder_with(tree):
        done = CliRunner(env=environment or {}).invoke(command, ["--language", "zh", *arguments])
    return done.stderr


@pytest.mark.parametrize(
    ("tree", "arguments", "note"),
    [
        (
            {Path("empty/README"): b""},
            ("--no-cache", "empty"),
            "npu-migrate: empty：其中没有Python文件或notebook",
        ),
        (BROKEN, ("--no-cache", "--write-baseline", "b.json", "."), "npu-migrate: 已接受未能分析的1个文件"),
        (TREE, ("--no-cache", "--verbose", "."), "npu-migrate: 设置不来自任何文件"),
        (TREE, ("--no-cache", "--verbose", "."), 'npu-migrate: 设置项language = "zh"'),
        (TREE, ("--no-cache", "--verbose", "."), "npu-migrate: 设置项cann = 未设置"),
    ],
)
def test_notes(tree: Tree, arguments: tuple[str, ...], note: str) -> None:
    said = noted(tree, *arguments)
    assert note in said
    assert ENGLISH.findall(said) == []


def test_why_there_is_no_cache(tmp_path: Path) -> None:
    other = tmp_path / "cache"
    other.mkdir()
    other.chmod(0o777)
    said = noted(TREE, "--verbose", ".", environment={"NPU_MIGRATE_CACHE_DIR": str(other)})
    assert f"npu-migrate: 未使用缓存：{other}：其他用户可以写入" in said


def test_the_cache_is_removed(tmp_path: Path) -> None:
    with folder_with(TREE):
        done = CliRunner(env={"NPU_MIGRATE_CACHE_DIR": str(tmp_path / "none")}).invoke(
            command, ["--language", "zh", "--clean-cache"]
        )
    assert done.stdout == f"没有可删除的内容：{tmp_path / 'none'}中没有缓存。\n"


def test_what_a_copy_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "train.py").write_text(SCRIPT, encoding="utf-8")
    os.mkfifo(tmp_path / "tree" / "pipe")
    arguments = ["--no-cache", "--language", "zh", "--output", str(tmp_path / "copy"), str(tmp_path / "tree")]
    assert "pipe：既不是文件也不是目录，未复制\n" in CliRunner().invoke(command, arguments).stderr


def test_a_page_names_the_settings() -> None:
    with folder_with(TREE):
        done = CliRunner().invoke(command, ["--no-cache", "--language", "zh", "--format", "html", "train.py"])
    listed = unescape(re.findall('<details class="settings">(.*?)</details>', done.stdout, re.DOTALL)[0])
    assert 'language = "zh"' in listed
    assert "cann = 未设置" in listed
    assert "not set" not in listed
