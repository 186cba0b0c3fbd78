"""The HTML report as text: well formed, complete, harmless. `test_html_browser.py` opens it in a browser."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from html.parser import HTMLParser
from importlib import resources
from itertools import groupby

import pytest
from command import folder_with
from fidelity import Tree
from fixture_cases import all_cases
from hard_cases import HARD, ONE, REPORTS, SCRIPT, many, printed, rendered
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from npu_migrate import __version__, check
from npu_migrate.findings import FileCounts, Position, Range, Report, TextEdit
from npu_migrate.reports.diff import unified_diff
from npu_migrate.reports.html import html_report
from npu_migrate.reports.html.characters import visible
from npu_migrate.reports.html.excerpt import around
from npu_migrate.reports.html.folders import folder_tree
from npu_migrate.reports.html.hunks import hunks_of
from npu_migrate.reports.html.markdown import to_html
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.rules import ALL_RULES
from npu_migrate.rules.rule import Rule
from npu_migrate.sources.lines import LineIndex
from npu_migrate.sources.source import Source, UndecodableFile, decode

VOID = {"meta", "input"}
ATTACKS = (
    "</script><script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "'\"><svg onload=document.title='run'>",
    "javascript:document.title='run'",
    "{{ 7 * 7 }}{% raw %}",
    "</pre></details></article><!--",
    "nul \0 surrogate \udcff direction \u202e\u2066 invisible \u200b end",
)


@dataclass
class Page(HTMLParser):
    """A page as a strict reader sees it: every tag is closed, and only once."""

    open_tags: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert len(values) == len(attrs), f"<{tag}> has an attribute twice: {attrs}"
        self.tags.append((tag, values))
        self.attributes |= values.keys()
        self.ids += filter(None, [values.get("id")])
        self.links += [values[name] or "" for name in ("href", "src", "action", "data") if name in values]
        if tag not in VOID:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags and self.open_tags[-1] == tag, f"</{tag}> closes {self.open_tags[-3:]}"
        self.open_tags.pop()

    def handle_data(self, data: str) -> None:
        if self.open_tags[-1:] not in (["script"], ["style"]):
            self.pieces.append(data)

    @cached_property
    def text(self) -> str:
        return "".join(self.pieces)

    def values(self, attribute: str, tag: str = "article") -> list[str | None]:
        return [values[attribute] for name, values in self.tags if name == tag and attribute in values]


def page_of(text: str) -> Page:
    """The page, after the checks that every page must pass."""
    page = Page()
    page.feed(text)
    page.close()
    assert page.open_tags == []
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links), page.links
    assert not any(name.startswith("on") or name in ("style", "srcdoc") for name in page.attributes)
    assert text.isascii() and text.endswith("</html>\n")
    assert {tag for tag, _ in page.tags} <= ALLOWED_TAGS
    return page


ALLOWED_TAGS = {
    *("html", "head", "meta", "title", "style", "script", "body", "header", "main", "section", "article"),
    *("h1", "h2", "h3", "h4", "p", "ul", "li", "dl", "dt", "dd", "div", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td", "pre", "label", "input", "button"),
    *("a", "span", "strong", "code", "mark", "ins", "del"),
}


# -- the page ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_is_a_page(name: str) -> None:
    page = page_of(rendered(REPORTS[name], "html"))
    assert len(page.values("data-rule")) == len(REPORTS[name].diagnostics)


def test_the_fixtures_are_a_page_with_everything() -> None:
    report = fixtures()
    page = page_of(html_report(report, Surroundings(ALL_RULES, fixture_source, "/fixtures")))
    assert page.values("data-rule") == [one.code for one in report.diagnostics]
    assert page.values("data-severity") == [one.severity.label for one in report.diagnostics]
    assert page.values("data-state") == ["suppressed" if one.suppressed else "" for one in report.diagnostics]
    fixable = [one.fix.applicability.value if one.fix else "none" for one in report.diagnostics]
    assert page.values("data-fixable") == fixable
    assert {one.fingerprint for one in report.diagnostics} <= set(page.ids)
    assert {f"rule-{one.code}" for one in report.diagnostics} <= set(page.ids)
    for one in report.diagnostics:
        assert one.message in page.text
        assert f"{one.path}:{one.range.start.line}:{one.range.start.column}" in page.text
        assert one.fix is None or one.fix.title in page.text
        assert all(related.message in page.text for related in one.related)


@cache
def fixture_tree() -> Tree:
    """The scripts of all cases together."""
    return {f"{case.name}/{path}": data for case in all_cases() for path, data in case.before.items()}


@cache
def fixtures() -> Report:
    """What is found in them."""
    with folder_with(fixture_tree()):
        return check(["."])


def fixture_source(path: str) -> Source | None:
    try:
        return decode(path, fixture_tree()[path])
    except UndecodableFile:
        return None


def test_what_was_run_is_said() -> None:
    report = replace(REPORTS["marked"], files=FileCounts(40, 31, 3, 6, 2, 1), fixed_safe=2, fixed_unsafe=1)
    text = " ".join(page_of(rendered(report, "html")).text.split())
    for said in (
        f"Tool npu-migrate {__version__}",
        "Folder /home/me/a project",
        "Files discovered 40",
        "Analysed 6",
        "Skipped: of no concern to any rule 31",
        "Failed 2",
        "Read for context 3",
        "Changed 1",
        "Fixed findings 2 safe, 1 unsafe",
        "1 error 0 warnings 0 info 1 fixable: --write 0 fixable: --write --unsafe-fixes",
        "2 suppressed 1 baselined",
        "2 files could not be analysed: what they hold is unknown.",
    ):
        assert said in text


def test_silence_is_explained() -> None:
    assert "No findings in 1 analysed file." in page_of(rendered(REPORTS["nothing"], "html")).text
    assert "Nothing was analysed." in page_of(rendered(Report(()), "html")).text
    assert "could not be analysed" not in page_of(rendered(REPORTS["nothing"], "html")).text
    assert "No findings in 1 analysed file." not in page_of(rendered(REPORTS["marked"], "html")).text


def test_equal_fingerprints_get_anchors_of_their_own() -> None:
    page = page_of(rendered(Report((ONE, ONE, ONE)), "html"))
    assert page.values("id")[:3] == [ONE.fingerprint, f"{ONE.fingerprint}-2", f"{ONE.fingerprint}-3"]


def test_ten_thousand_findings_stay_below_twenty_megabytes() -> None:
    text = rendered(many(10_000), "html")
    assert text.count("<article id=") >= 10_000
    assert len(text) < 20_000_000


def test_many_programs_are_cut() -> None:
    programs = tuple(f"run{number:02}.py" for number in range(13))
    text = page_of(rendered(Report((replace(ONE, programs=programs),)), "html")).text
    assert "run09.py and 3 more" in text
    assert "run10.py" not in text


def test_a_file_that_is_gone_is_said() -> None:
    nowhere = Surroundings(ALL_RULES, lambda path: None, "/")
    assert "The file cannot be read." in page_of(html_report(Report((ONE,)), nowhere)).text
    assert "The file cannot be read." not in page_of(rendered(Report((ONE,)), "html")).text


def test_a_notebook_shows_the_code_of_its_cells() -> None:
    def cell(kind: str, *lines: str) -> dict[str, object]:
        outputs = {"execution_count": None, "outputs": []} if kind == "code" else {}
        return {"cell_type": kind, "metadata": {}, "source": list(lines), **outputs}

    notebook = {
        "cells": [
            cell("markdown", "# Training"),
            cell("code", "%matplotlib inline\n", "import tensorflow as tf"),
            cell("code", *SCRIPT.splitlines(keepends=True)[2:]),
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    text = page_of(printed({"train.ipynb": json.dumps(notebook, indent=1).encode()}, "html")).text
    assert "train.ipynb:cell 3:2:" in text
    assert 'dataset = tf.data.Dataset.range(8)\n名 = "🚀"; batch = dataset.make_one_shot_iterator()' in text


# -- hostile text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_is_text_everywhere(attack: str) -> None:
    page = page_of(rendered(hostile(attack), "html", folder=f"/home/{attack}"))
    assert page.text.count(visible(attack)) >= 8
    assert [name for name, _ in page.tags].count("script") == 1
    assert visible(attack) == attack or attack not in page.text


def hostile(attack: str) -> Report:
    """A finding of which every text that may come from a repository is `attack`."""
    related = (replace(ONE.related[0], path=attack, message=attack),)
    assert ONE.fix is not None
    edit = TextEdit(f"{attack}/x.py", Range(Position(5, 1), Position(5, 1)), f"{attack}\n")
    fix = replace(ONE.fix, title=attack, edits=(edit,))
    programs = (attack, "train.py")
    path = f"{attack}/x.py"
    return Report((replace(ONE, message=attack, path=path, related=related, fix=fix, programs=programs),))


def test_odd_file_names_are_shown() -> None:
    page = page_of(printed(HARD, "html"))
    assert "new\nline⟨U+000D⟩.py" in page.text
    assert "escape⟨U+001B⟩[31m.py" in page.text
    assert "not-utf8-⟨U+DCFF⟩.py" in page.text


def test_the_policy_names_the_only_script_and_style() -> None:
    text = rendered(REPORTS["marked"], "html")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(part.strip().split(" ", 1) for part in policy[1].replace("&#39;", "'").split(";"))
    assert rules.keys() == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/]{43}='", rules["script-src"])


@given(st.text())
def test_visible_text_hides_nothing(text: str) -> None:
    shown = visible(text)
    assert all(one.isprintable() or one.isspace() for one in shown)
    assert all(one in shown for one in text if one.isprintable())
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", shown
    )


# -- the parts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.code)
def test_rule_pages_are_rendered_as_a_markdown_library_does(rule: Rule) -> None:
    expected = MarkdownIt("commonmark").enable("table").render(rule.documentation)
    assert normal(to_html(rule.documentation, 0)) == normal(expected)


def normal(page: str) -> str:
    """HTML without what makes no difference."""
    same_quotes = str(page).replace("&#34;", '"').replace("&quot;", '"').replace("&#39;", "'")
    return re.sub(r"\s+", " ", re.sub(r' class="language-\w+"', "", same_quotes)).replace("> <", "><").strip()


def test_hunks_are_those_of_the_diff() -> None:
    compared = 0
    for edits in (found.fix.edits for found in fixtures().diagnostics if found.fix):
        for path, group in groupby(sorted(edits, key=lambda one: one.path), key=lambda one: one.path):
            source, own = decode(path, fixture_tree()[path]), tuple(group)
            at = source.lines.offset_of
            after = source.spliced((at(one.range.start), at(one.range.end), one.text) for one in own)
            whole = unified_diff(path, source.data, after).decode(source.encoding).replace("\r\n", "\n")
            hunks = hunks_of(source, own)
            shown = "".join(f"{one.header}\n{''.join(run.text for run in one.runs)}" for one in hunks)
            assert shown == whole.split("\n", 2)[2]
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
