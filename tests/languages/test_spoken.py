"""What people are told in Chinese: by the command line, in each format, and by the editor."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner
from command import folder_with, tool
from languages.test_catalogue import CHINESE

from npu_migrate.cli import command
from npu_migrate.reports.characters import width_of
from npu_migrate.reports.formats import FORMATS
from npu_migrate.rules import ALL_RULES

SCRIPT = dedent(
    """
    import tensorflow as tf

    dataset = tf.data.Dataset.range(8)
    名称 = "宽"; iterator = dataset.make_one_shot_iterator()
    weight = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(weight * tf.cast(iterator.get_next(), tf.float32))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
    """
)
TREE = {Path("train.py"): SCRIPT.encode()}
_FOLDER = re.compile(r"/[\w/]*tmp\w+")
SPOKEN = [name for name, form in FORMATS.items() if form.spoken and name != "github-review"]
FOR_PROGRAMS = [name for name, form in FORMATS.items() if not form.spoken]

HEADLINE = "one-shot迭代器：当iterations_per_loop大于1时，在NPU上会中止"
TITLE = "改为可初始化迭代器，并运行其初始化操作"


def report(form: str, *arguments: str, **environment: str) -> str:
    with folder_with(TREE):
        runner = CliRunner(env={**environment})
        result = runner.invoke(command, ["--no-cache", "--quiet", "--format", form, *arguments, "train.py"])
        return result.stdout_bytes.decode()


def test_the_text_report() -> None:
    lines = report("text", "--language", "zh").splitlines()
    assert lines[0] == f"train.py:5:30: NPU101[*] 警告 {HEADLINE}"
    assert f"  = 修复：{TITLE}" in lines


def test_marks_stand_below_wide_characters() -> None:
    lines = report("text", "--language", "zh").splitlines()
    source, marks = lines[1], lines[2]
    before = source.index("make_one_shot_iterator")
    assert width_of(marks[: marks.index("^")]) == width_of(source[:before])
    assert marks.count("^") == len("make_one_shot_iterator")


@pytest.mark.parametrize("form", SPOKEN)
def test_formats_for_people_are_in_their_language(form: str) -> None:
    said = report(form, LANG="zh_CN.UTF-8", LC_ALL="", LC_MESSAGES="")
    told = said.encode().decode("unicode_escape") if form == "json" else _unescaped(said)
    assert HEADLINE in told or TITLE in told


@pytest.mark.parametrize("form", FOR_PROGRAMS)
def test_formats_for_programs_are_english_unless_somebody_asks(form: str) -> None:
    def said(*arguments: str, **environment: str) -> str:
        return _FOLDER.sub("", report(form, *arguments, **environment))

    english = said()
    assert said(LANG="zh_CN.UTF-8", LC_ALL="", LC_MESSAGES="") == english
    assert said(NPU_MIGRATE_LANGUAGE="zh") == english
    assert said("--language", "zh") != english


def _unescaped(text: str) -> str:
    return re.sub(r"&#(\d+);", lambda match: chr(int(match[1])), text)


def test_only_words_differ_between_languages() -> None:
    """Keys, codes, places and fingerprints are those of English."""

    def without_words(found: Any) -> Any:
        if isinstance(found, dict):
            return {
                key: "" if key in ("message", "title") else without_words(one) for key, one in found.items()
            }
        return [*map(without_words, found)] if isinstance(found, list) else found

    english, chinese = (json.loads(report("json", "--language", one)) for one in ("en", "zh"))
    assert without_words(chinese) == without_words(english)
    assert chinese["findings"][0]["message"] == HEADLINE
    assert chinese["findings"][0]["fingerprint"] == english["findings"][0]["fingerprint"]


def test_the_setting_decides() -> None:
    tree = {**TREE, Path("pyproject.toml"): b'[tool.npu-migrate]\nlanguage = "zh"\n'}
    with folder_with(tree):
        assert HEADLINE in tool("--no-cache", "train.py").decode()
        assert HEADLINE not in tool("--no-cache", "--language", "en", "train.py").decode()
        assert "## 作用" in tool("--explain", "NPU101").decode()


def test_the_summary() -> None:
    with folder_with(TREE):
        result = CliRunner().invoke(command, ["--no-cache", "--language", "zh", "train.py"])
    assert result.stderr == "发现：1个文件中有1个警告。\n1个文件：已分析1个。\n1个可用--write修复。\n"


def test_groups_and_statistics() -> None:
    with folder_with(TREE):
        grouped = tool("--no-cache", "--language", "zh", "--group-by", "rule", "train.py").decode()
        counted = tool("--no-cache", "--language", "zh", "--statistics", "train.py").decode()
    assert grouped.startswith("== NPU101 one-shot-iterator：1个警告 ==\n")
    head, row = counted.splitlines()
    assert head.split() == ["合计", "错误", "警告", "提示", "安全修复", "不安全修复", "无修复", "规则"]
    assert width_of(head[: head.index("规则")]) == width_of(row[: row.index("NPU101")])


def test_the_page() -> None:
    page = _unescaped(report("html", "--language", "zh"))
    assert '<html lang="zh">' in page
    assert '<h2 id="run">运行概况</h2>' in page
    text = re.sub(r"<(style|script|pre|code).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
    words = re.findall(r"(?<![\w./=-])[a-z]{2,} [a-z]{2,} [a-z]{2,}(?![\w./-])", text)
    assert words == []


def test_the_plan_of_a_migration() -> None:
    lines = report("markdown", "--language", "zh").splitlines()
    assert lines[2] == "1个文件中的1个程序有1处需要查看。"
    assert f"1. {TITLE}（NPU101）：`train.py:5`" in lines


def test_the_review() -> None:
    """A patch that adds the script: a comment gives the message, why it matters, and the fix."""
    lines = SCRIPT.splitlines()
    patch = f"--- /dev/null\n+++ b/train.py\n@@ -0,0 +1,{len(lines)} @@\n"
    patch += "".join(f"+{line}\n" for line in lines)
    with folder_with({**TREE, Path("change.patch"): patch.encode()}) as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        arguments = ("--format", "github-review", "--diff-file", "change.patch", "--language", "zh")
        review = json.loads(tool("--no-cache", *arguments, "train.py"))
    assert review["body"] == "npu-migrate在该更改中发现：1个警告。"
    texts = [comment["body"] for comment in review["comments"]]
    assert texts[0].startswith("**警告 NPU101** one-shot-iterator：one-shot迭代器：")
    assert "在NPU上，`iterations_per_loop`大于1时" in texts[0]
    assert any(TITLE in text for text in texts)


def test_the_list_of_rules() -> None:
    lines = tool("--list-rules", "--language", "zh").decode().splitlines()
    by_code = {line.split()[0]: line for line in lines}
    assert [rule.code for rule in ALL_RULES if not CHINESE.search(by_code[rule.code])] == []


def test_the_same_question_in_another_language_gets_another_answer(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")

    def asked(locale: str) -> str:
        environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "1"}
        arguments = [sys.executable, "-m", "npu_migrate", "train.py"]
        done = subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, check=False)
        return done.stdout.decode()

    assert HEADLINE in asked("zh_CN.UTF-8")
    assert HEADLINE not in asked("C.UTF-8")
    assert HEADLINE in asked("zh_CN.UTF-8")
