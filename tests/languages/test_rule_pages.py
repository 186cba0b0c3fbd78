"""Each rule has a page in Chinese with the sections, the code and the sources of the English one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from chinese_text import badly_written, blocks, names, rows

from npu_migrate.languages.language import Language
from npu_migrate.languages.pages import filled
from npu_migrate.rules import ALL_RULES, CODES
from npu_migrate.rules.rule import Rule

FOLDER = Path(__file__).resolve().parents[2] / "npu_migrate" / "languages" / "zh"
CHINESE = Language("zh")

HEADINGS = {
    "What it does": "作用",
    "Why": "原因",
    "Example": "示例",
    "Use instead": "改为",
    "Severity": "严重程度",
    "Initialize on first use": "首次使用时初始化",
    "Fix safety": "修复的安全性",
    "Sources": "来源",
    "All session keys": "全部会话配置项",
}
"""What the sections of a page are called."""

LABEL = re.compile(r"\b(?:SEED|DOC|REC|API|CODE|FAQ|OPS|OTH|TF|XLSX|TOOL|INTRO)\b[-:\w/.]*")


def sections(page: str) -> Iterator[tuple[str, str]]:
    """The sections of a page: heading and text. Code has no headings in it."""
    for part in re.split(r"^## ", page.strip(), flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        yield heading, text.strip()


def chinese(rule: Rule) -> str:
    """The page of a rule, with the English rows of its generated table."""
    return filled(CHINESE.page(rule.code) or "", rule.documentation, str)


def labels(text: str) -> list[str]:
    """The labels of sources in a text, in their order."""
    return [label.rstrip(".") for label in LABEL.findall(text.replace("TensorFlow", ""))]


each_rule = pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.code)


def test_there_is_a_page_for_each_rule_and_no_other() -> None:
    assert sorted(file.stem for file in (FOLDER / "rules").iterdir()) == sorted(CODES)


def test_there_is_a_summary_for_each_rule_and_no_other() -> None:
    assert [*CHINESE.summaries] == [*CODES]
    assert [code for code, text in CHINESE.summaries.items() if not text.endswith("。")] == []


@each_rule
def test_the_sections_are_the_same(rule: Rule) -> None:
    expected = [HEADINGS[heading] for heading, _ in sections(rule.documentation)]
    assert [heading for heading, _ in sections(chinese(rule))] == expected


@each_rule
def test_the_code_is_the_same(rule: Rule) -> None:
    assert blocks(chinese(rule)) == blocks(rule.documentation)


@each_rule
def test_each_section_names_the_same_code_and_rules(rule: Rule) -> None:
    for (heading, english), (_, translated) in zip(
        sections(rule.documentation), sections(chinese(rule)), strict=True
    ):
        assert names(translated) == names(english), heading


@each_rule
def test_lists_and_tables_have_as_many_rows(rule: Rule) -> None:
    for mark in ("- ", "|"):
        assert rows(chinese(rule), mark) == rows(rule.documentation, mark), mark


@each_rule
def test_the_sources_are_the_same(rule: Rule) -> None:
    english = dict(sections(rule.documentation))["Sources"]
    translated = dict(sections(chinese(rule)))[HEADINGS["Sources"]]
    assert labels(translated) == labels(english)


@each_rule
def test_chinese_is_written_in_one_way(rule: Rule) -> None:
    assert badly_written(CHINESE.page(rule.code) or "") == []


@pytest.mark.parametrize(
    ("code", "row"), [("NPU604", "| `precision_mode` |"), ("NPU605", "| enable_dump = True |")]
)
def test_generated_tables_are_filled(code: str, row: str) -> None:
    rule = next(rule for rule in ALL_RULES if rule.code == code)
    page = filled(CHINESE.page(code) or "", rule.documentation, CHINESE.say)
    assert "{rows}" not in page
    assert row in page


def test_what_stands_behind_a_name_and_bars_in_cells_are_kept() -> None:
    english = "| a | b |\n|---|---|\n| `x` (old) | of the form 0\\|1 |\n| y |  |"
    assert filled("| 甲 | 乙 |\n{rows}", english, str.upper) == (
        "| 甲 | 乙 |\n| `x`（OLD） | OF THE FORM 0\\|1 |\n| Y |  |"
    )
