"""The Chinese pages of the documentation say what their English twins say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chinese_text import badly_written, blocks, names, rows, without_blocks

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
TWINS = {
    REPOSITORY / "README.zh-CN.md": REPOSITORY / "README.md",
    **{page: DOCS / page.name for page in sorted((DOCS / "zh").glob("*.md"))},
}
"""Each Chinese page with the English one."""

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)

each_page = pytest.mark.parametrize("page", TWINS, ids=lambda page: page.name)


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The addresses of a page's headings, as mkdocs.yml, GitHub and Gitee make them."""
    titles = (match[2] for match in HEADING.finditer(without_blocks(read(page))))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@each_page
def test_a_page_has_a_twin(page: Path) -> None:
    assert TWINS[page].is_file()


@each_page
def test_the_code_is_the_same(page: Path) -> None:
    assert blocks(read(page)) == blocks(read(TWINS[page]))


@each_page
def test_headings_tables_and_lists_are_as_many(page: Path) -> None:
    for mark in ("# ", "## ", "### ", "- ", "|"):
        assert rows(read(page), mark) == rows(read(TWINS[page]), mark), mark


@each_page
def test_the_names_in_the_text_are_the_same(page: Path) -> None:
    """Options, settings, files and codes of rules."""
    assert names(read(page)) == names(read(TWINS[page]))


@each_page
def test_links_to_headings_lead_somewhere(page: Path) -> None:
    wrong = []
    for link in LINK.findall(without_blocks(read(page))):
        target, hash_, heading = link.partition("#")
        if hash_ and "://" not in target:
            other = (page.parent / target).resolve() if target else page
            if heading not in anchors(other):
                wrong.append(link)
    assert wrong == []


@each_page
def test_a_page_that_is_there_in_chinese_is_linked_in_chinese(page: Path) -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve() for link in LINK.findall(without_blocks(read(page)))
    }
    assert linked & {*TWINS.values()} <= {TWINS[page]}


@each_page
def test_chinese_is_written_in_one_way(page: Path) -> None:
    assert badly_written(read(page)) == []


def test_the_navigation_has_every_page() -> None:
    navigation = read(REPOSITORY / "mkdocs.yml")
    assert [page.name for page in (DOCS / "zh").glob("*.md") if f"zh/{page.name}\n" not in navigation] == []


def test_the_languages_are_linked() -> None:
    for english, chinese, there, back in (
        (REPOSITORY / "README.md", REPOSITORY / "README.zh-CN.md", "README.zh-CN.md", "README.md"),
        (DOCS / "index.md", DOCS / "zh" / "index.md", "zh/index.md", "../index.md"),
    ):
        assert f"]({there})" in read(english).partition("\n## ")[0]
        assert f"]({back})" in read(chinese).partition("\n## ")[0]
