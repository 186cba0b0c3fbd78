"""What the HTML report is made of: text, rule pages, diffs, excerpts, folders, colours."""

from __future__ import annotations

import re
from importlib import resources
from itertools import groupby

import pytest
from html_pages import fixture_tree, fixtures
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from npu_migrate.places import Position, Range
from npu_migrate.reports.diff import unified_diff
from npu_migrate.reports.html.characters import visible
from npu_migrate.reports.html.excerpt import around, shortened
from npu_migrate.reports.html.folders import folder_tree
from npu_migrate.reports.html.hunks import hunks_of
from npu_migrate.reports.html.markdown import to_html
from npu_migrate.rules import ALL_RULES
from npu_migrate.rules.rule import Rule
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.source import decode


@given(st.text())
def test_visible_text_hides_nothing(text: str) -> None:
    shown = visible(text)
    assert all(one.isprintable() or one.isspace() for one in shown)
    assert all(one in shown for one in text if one.isprintable())
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", shown
    )


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.code)
def test_rule_pages_are_rendered_as_a_markdown_library_does(rule: Rule) -> None:
    expected = MarkdownIt("commonmark").enable("table").render(rule.documentation)
    assert normal(to_html(rule.documentation, 0)) == normal(expected)


def normal(page: str) -> str:
    """HTML without what makes no difference."""
    same_quotes = str(page).replace("&#34;", '"').replace("&quot;", '"').replace("&#39;", "'")
    return re.sub(r"\s+", " ", re.sub(r' class="language-\w+"', "", same_quotes)).replace("> <", "><").strip()


def side(diff: str, other: str) -> list[str]:
    """The headers and lines of one side of a diff, that which `other` does not mark."""
    lines = diff.split("\n")
    return [line if line.startswith("@@") else line[1:] for line in lines if not line.startswith(other)]


def test_hunks_are_those_of_the_diff() -> None:
    compared = 0
    for edits in (found.fix.edits for found in fixtures().diagnostics if found.fix):
        for path, group in groupby(sorted(edits, key=lambda one: one.path), key=lambda one: one.path):
            source, own = decode(path, fixture_tree()[path]).file, tuple(group)
            at = source.lines.offset_of
            after = source.spliced((at(one.range.start), at(one.range.end), one.text) for one in own)
            whole = unified_diff(path, source.data, after).decode(source.encoding).replace("\r\n", "\n")
            hunks = hunks_of(source, own)
            shown = "".join(f"{one.header}\n{''.join(run.text for run in one.runs)}" for one in hunks)
            # A notebook may be a single line.
            expected = "\n".join(f"{line[:1]}{shortened(line[1:])}" for line in whole.split("\n")[2:])
            # Beside a blank line that is there, added ones are told in several ways.
            assert side(shown, "-") == side(expected, "-")
            assert side(shown, "+") == side(expected, "+")
            compared += 1
    assert compared > 200


TEN_LINES = LineIndex("".join(f"line {number}\n" for number in range(1, 11)))


@pytest.mark.parametrize(
    ("start", "end", "context", "numbers", "marked"),
    [
        ((3, 6), (3, 7), 2, [1, 2, 3, 4, 5], [None, None, "3", None, None]),
        ((1, 1), (1, 5), 2, [1, 2, 3], ["line", None, None]),
        ((10, 1), (10, 5), 2, [8, 9, 10], [None, None, "line"]),
        ((3, 6), (5, 5), 1, [2, 3, 4, 5, 6], [None, "3", "line 4", "line", None]),
        ((3, 1), (4, 1), 0, [3], ["line 3"]),
        ((3, 4), (3, 4), 0, [3], [""]),
        ((11, 1), (11, 1), 1, [10, 11], [None, ""]),
    ],
)
def test_an_excerpt_marks_the_place(
    start: tuple[int, int],
    end: tuple[int, int],
    context: int,
    numbers: list[int],
    marked: list[str | None],
) -> None:
    excerpt = around(TEN_LINES, Range(Position(*start), Position(*end)), context)
    assert excerpt is not None
    assert [line.number for line in excerpt.lines] == numbers
    assert [line.marked for line in excerpt.lines] == marked


def test_a_long_excerpt_is_cut_and_says_so() -> None:
    lines = LineIndex("x\n" * 100)
    excerpt = around(lines, Range(Position(10, 1), Position(60, 2)), 2)
    assert excerpt is not None
    assert [excerpt.lines[0].number, excerpt.lines[-1].number, excerpt.left_out] == [8, 21, 39]


def test_a_long_line_is_cut_around_the_place() -> None:
    lines = LineIndex(f"{'a' * 5000}here{'b' * 5000}")
    excerpt = around(lines, Range(Position(1, 5001), Position(1, 5005)), 2)
    assert excerpt is not None
    (line,) = excerpt.lines
    assert (line.before, line.marked, line.after) == (f"…{'a' * 80}", "here", f"{'b' * 300}…")


def test_a_place_behind_the_end_has_no_excerpt() -> None:
    assert around(TEN_LINES, Range(Position(12, 1), Position(12, 1)), 2) is None


def test_folders_are_a_tree_that_counts_what_is_below() -> None:
    paths = [
        "top.py",
        "zoo/bert/run.py",
        "zoo/bert/run.py",
        "zoo/gpt/a/b/train.py",
        "zoo-2/x.py",
        "../o/p.py",
    ]
    rows = [(row.label, row.depth, row.count) for row in folder_tree(paths)]
    assert rows == [
        (".", 0, 1),
        ("../o", 0, 1),
        ("zoo", 0, 3),
        ("bert", 1, 2),
        ("gpt/a/b", 1, 1),
        ("zoo-2", 0, 1),
    ]


# -- colours -----------------------------------------------------------------------------------------------


def palettes() -> list[dict[str, str]]:
    """The light palette, the dark one of the system, and the dark one of the switch."""
    css = resources.files("npu_migrate.reports.html").joinpath("templates/report.css").read_text("utf-8")
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", css)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in blocks]


def test_there_is_one_dark_palette() -> None:
    light, of_system, of_switch = palettes()
    assert of_system == of_switch
    assert light.keys() == of_system.keys()


@pytest.mark.parametrize("index", [0, 1], ids=["light", "dark"])
def test_all_text_has_the_contrast_of_wcag_aa(index: int) -> None:
    palette = palettes()[index]
    words = ("text", "muted", "link", "error", "warning", "info", "safe", "unsafe")
    pairs = {(word, ground) for word in words for ground in ("page", "panel")}
    pairs |= {("text", ground) for ground in ("mark", "added", "removed")} | {
        ("page", "link"),
        ("page", "text"),
    }
    too_close = {pair for pair in pairs if contrast(*(palette[name] for name in pair)) < 4.5}
    assert too_close == set()


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    shares = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
