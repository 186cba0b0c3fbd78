"""Chinese sentences have Chinese punctuation, also where code puts texts together."""

from __future__ import annotations

import html
import json
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from languages.po_files import translations
from languages.test_catalogue import text_of
from languages.test_sentences import CHINESE, said_in_fixtures

from npu_migrate.cli import command

MODELS = Path(__file__).resolve().parents[1] / "npu_models"
PROGRAMS = ("bert_pretraining_hooks", "crnn_queues", "dqn_agent", "openpose_both_fields", "din_mx_rec")

HAN = "\N{CJK UNIFIED IDEOGRAPH-4E00}-\N{CJK UNIFIED IDEOGRAPH-9FFF}\N{FULLWIDTH RIGHT PARENTHESIS}"
HALF = re.compile(rf"[{HAN}] ?[,:;?!](?!\w)|[,:;?!] ?[{HAN}]|[{HAN}] ?\([^)]|[{HAN}]\.(?![\w{{])")
"""A half-width mark beside a Chinese character. ``f()`` and ``.b`` are code."""

PLACED = re.compile(r"^ +[=|] [\w./]+(:\d+)+: ", re.MULTILINE)
"""A place as compilers write it, which terminals make a link of."""


def marks_in(text: str) -> list[str]:
    """The places of half-width marks, with what is around them."""
    shown = PLACED.sub("", text)
    return [shown[max(found.start() - 20, 0) : found.end() + 20] for found in HALF.finditer(shown)]


def told(*arguments: str) -> str:
    paths = [str(MODELS / one) for one in PROGRAMS]
    done = CliRunner().invoke(command, ["--no-cache", "--language", "zh", *arguments, *paths])
    return done.stdout_bytes.decode() + done.stderr


def test_marks_are_found() -> None:
    for text in ("修复: Adam", "Adam: 修复", "修复 (NPU101)", "修复.", "修, b"):
        assert marks_in(text), text
    for text in ("修复：Adam", "在字段.b中", "f()，修复", "调用f(x)"):
        assert not marks_in(text), text


def test_the_catalogue() -> None:
    assert [one for one in translations(text_of("zh")).values() if marks_in(one)] == []


def test_all_that_the_cases_say() -> None:
    assert [said for text in said_in_fixtures() if marks_in(said := CHINESE.say(text))] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--format", "text"),
        ("--format", "concise"),
        ("--format", "markdown"),
        ("--format", "text", "--group-by", "rule"),
        ("--format", "concise", "--group-by", "program"),
        ("--api-report",),
    ],
    ids=" ".join,
)
def test_what_people_read(arguments: tuple[str, ...]) -> None:
    text = told(*arguments)
    assert marks_in(re.sub(r"^\d+\. ", "", text, flags=re.MULTILINE)) == []


def test_the_page() -> None:
    page = told("--format", "html", "--api-report")
    shown = re.sub(r"<(style|script|pre)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert marks_in(html.unescape(re.sub(r"<[^>]*>", "", shown))) == []


def test_reviews(tmp_path: Path) -> None:
    patch = tmp_path / "change.patch"
    files = [str(one.relative_to(MODELS)) for name in PROGRAMS for one in (MODELS / name).rglob("*.py")]
    parts = []
    for name in files[::2]:
        lines = (MODELS / name).read_text("utf-8").splitlines()
        parts.append(f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,{len(lines)} @@\n")
        parts.extend(f"+{line}\n" for line in lines)
    patch.write_text("".join(parts), encoding="utf-8")
    tree = tmp_path / "tree"
    subprocess.run(["cp", "-r", str(MODELS), str(tree)], check=True)
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    for form in ("github-review", "rdjson"):
        arguments = ["--no-cache", "--language", "zh", "--format", form, "--unsafe-fixes"]
        paths = [str(tree / one) for one in PROGRAMS]
        done = CliRunner().invoke(command, [*arguments, "--diff-file", str(patch), *paths])
        texts = [*_texts(json.loads(done.stdout))]
        assert any(map(CHINESE_TEXT.search, texts)), done.output
        assert [found for text in texts for found in marks_in(text)] == []


CHINESE_TEXT = re.compile(f"[{HAN}]")


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []
