#!/usr/bin/env python3
"""Writes the pages on rules and on verdicts:  python docs/generate_rules.py

The pages are made from the catalogue in the package, so they say what ``npu-migrate --explain`` says, in
English and in Chinese. They are kept in the repository; a test fails when they are not up to date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = Path(__file__).with_name("rules")
CHINESE_FOLDER = Path(__file__).with_name("zh") / "rules"
VERDICTS = Path(__file__).with_name("verdicts.md")
sys.path.insert(0, str(REPOSITORY))

from npu_migrate.languages.language import Language  # noqa: E402 - after the path is known
from npu_migrate.rehearsal.wording import SENTENCES  # noqa: E402
from npu_migrate.reports.catalogue import rule_page  # noqa: E402
from npu_migrate.reports.translating import translated_rules  # noqa: E402
from npu_migrate.rules import ALL_RULES  # noqa: E402
from npu_migrate.rules.rule import Rule  # noqa: E402
from npu_migrate.run_codes import RUN_CODES  # noqa: E402

GROUPS = {
    "NPU1": "Data input",
    "NPU2": "Iteration offload",
    "NPU3": "Training acceleration",
    "NPU4": "Loss scaling",
    "NPU5": "Rec SDK `init`",
    "NPU6": "Options of the NPU",
    "NPU7": "From GPU to NPU",
    "NPU8": "Distributed training",
    "NPU9": "The tool itself",
}
"""The first characters of the codes, with the heading of each group in the index."""

INTRODUCTION = """\
# Rules

Each rule has a code that never changes its meaning. `npu-migrate --explain CODE` prints the page of a rule
in the terminal. The labels of the sources are explained in [Sources](../sources.md).

**Severity.** *error*: the script fails or trains wrongly on the NPU, by the vendor's documents or by what
the runtime does. *warning*: likely wrong. *info*: advice. When a finding rests only on the default of a flag
or of an argument, its severity is one step lower and its message says where the default is.

**Fix.** *safe*: the script still runs and computes the same on the CPU, and on the NPU it does what it
already asks for. *unsafe*: right only under an assumption, which the message states; applied only with
`--unsafe-fixes`. *manual*: there is no edit, the message says what to do.
"""

CHINESE_GROUPS = {
    "NPU1": "数据输入",
    "NPU2": "训练迭代循环下沉",
    "NPU3": "训练加速",
    "NPU4": "Loss Scaling",
    "NPU5": "Rec SDK的`init`",
    "NPU6": "NPU的选项",
    "NPU7": "从GPU到NPU",
    "NPU8": "分布式训练",
    "NPU9": "工具自身",
}

CHINESE_INTRODUCTION = "\n\n".join(
    (
        "# 规则",
        "每条规则有一个编号，编号的含义从不改变。`npu-migrate --explain CODE`在终端中打印一条规则的规则页。"
        "各来源的标签在[来源](../sources.md)中说明。",
        "**严重程度**：*错误*，按厂商的文档或运行时的行为，脚本在NPU上会失败或训练出错。"
        "*警告*，很可能有误。*提示*，仅为建议。"
        "如果问题只基于flag或参数的默认值，其级别降低一级，消息会说明默认值在哪里。",
        "**修复**：*安全*，脚本在CPU上仍能运行且计算结果相同，在NPU上做它原本要求的事。"
        "*不安全*，只在某个假设成立时才正确，消息会说明该假设；只有加上`--unsafe-fixes`才应用。"
        "*手工修改*，没有可做的编辑，消息会说明应当怎么做。\n",
    )
)

CHINESE_HEADER = """
## {prefix}xx {title}

| 编号 | 名称 | 查找的内容 | 严重程度 | 修复 |
|---|---|---|---|---|"""

VERDICTS_INTRODUCTION = """\
# Verdicts

What a [rehearsal](rehearsal.md) says of a run, for each code. Where a rule finds the same by reading, it has
the same code. The labels of the sources are explained in [Sources](sources.md).

| code | name | what it says | sources |
|---|---|---|---|"""

HEADER = """
## {prefix}xx {title}

| code | name | finds | severity | fix |
|---|---|---|---|---|"""


def pages(rules: Iterable[Rule]) -> dict[str, str]:
    """The text of each page, by file name."""
    ordered = sorted(rules, key=lambda rule: rule.code)
    listed = index(ordered, INTRODUCTION, HEADER, GROUPS)
    return {"index.md": listed} | {f"{rule.code}.md": rule_page(rule) for rule in ordered}


def chinese_pages(rules: Iterable[Rule]) -> dict[str, str]:
    """The text of each page in Chinese, by file name."""
    chinese = Language("zh")
    ordered = translated_rules(sorted(rules, key=lambda rule: rule.code), chinese)
    listed = index(ordered, CHINESE_INTRODUCTION, CHINESE_HEADER, CHINESE_GROUPS)
    return {"index.md": listed} | {f"{rule.code}.md": rule_page(rule, chinese.say) for rule in ordered}


def index(rules: Iterable[Rule], introduction: str, header: str, groups: Mapping[str, str]) -> str:
    """The page that lists all rules, group by group."""
    parts = [introduction]
    rules = list(rules)
    for prefix, title in groups.items():
        members = [rule for rule in rules if rule.code.startswith(prefix)]
        if members:
            parts += [header.format(prefix=prefix, title=title), *map(_row, members)]
    return "\n".join(parts) + "\n"


def verdicts(rules: Iterable[Rule]) -> str:
    """The page that lists what a rehearsal says, code by code."""
    known = {rule.code for rule in rules}
    lines = [VERDICTS_INTRODUCTION]
    for code, one in RUN_CODES.items():
        where = f"[{code}](rules/{code}.md)" if code in known else code
        said = (sentence for (of, _), sentence in SENTENCES.items() if of == code)
        texts = "; or: ".join(re.sub(r"\{\w+\}", "…", text) for text in said)
        lines.append(f"| {where} | {one.name} | {texts} | {', '.join(one.sources)} |")
    return "\n".join(lines) + "\n"


def _row(rule: Rule) -> str:
    cells = (f"[{rule.code}]({rule.code}.md)", rule.name, rule.summary, rule.severity, rule.fix)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def main() -> None:
    """Write all pages and remove those of rules that are gone."""
    for folder, wanted in ((FOLDER, pages(ALL_RULES)), (CHINESE_FOLDER, chinese_pages(ALL_RULES))):
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.md"):
            if old.name not in wanted:
                old.unlink()
        for name, text in wanted.items():
            (folder / name).write_text(text, encoding="utf-8")
    VERDICTS.write_text(verdicts(ALL_RULES), encoding="utf-8")


if __name__ == "__main__":
    main()
