"""The HTML report as text: well formed, complete, harmless. `test_html_browser.py` opens it in a browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hard_cases import HARD, ONE, REPORTS, SCRIPT, many, printed, rendered
from html_pages import ATTACKS, fixture_source, fixtures, hostile, page_of

from npu_migrate.findings import FileCounts, Report
from npu_migrate.reports.html import html_report
from npu_migrate.reports.html.characters import visible
from npu_migrate.reports.notebooks import short_place
from npu_migrate.reports.surroundings import Making, Surroundings
from npu_migrate.rules import ALL_RULES
from npu_migrate.version import __version__

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
        assert f"{one.path}:{short_place(one)}" in page.text
        assert one.fix is None or one.fix.title in page.text
        assert all(related.message in page.text for related in one.related)


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


def test_how_it_was_made_is_said() -> None:
    making = Making(
        "2026-11-28 22:40 UTC", "a" * 40, {"select": "[]", "baseline": '"</pre>"'}, "pyproject.toml"
    )
    around = Surroundings(ALL_RULES, lambda path: None, "/", making=making)
    text = " ".join(page_of(html_report(REPORTS["marked"], around)).text.split())
    for said in (
        f"Made 2026-11-28 22:40 UTC Last commit {'a' * 40} ",
        'Settings: pyproject.toml select = [] baseline = "</pre>"',
    ):
        assert said in text
    around = replace(around, making=replace(making, commit=None, settings_file=None))
    text = page_of(html_report(REPORTS["marked"], around)).text
    assert "Last commit" not in text and "Settings: the defaults and the options" in text


def test_the_page_of_a_rule_is_linked_if_there_is_one() -> None:
    around = Surroundings(ALL_RULES, lambda path: None, "/", documentation="https://docs.example.com")
    linked = html_report(Report((ONE,)), around)
    assert '<a href="https://docs.example.com/rules/NPU101/" rel="noreferrer">' in linked
    assert "Page of this rule" not in rendered(Report((ONE,)), "html")


def test_silence_is_explained() -> None:
    assert "No findings in 1 analysed file." in page_of(rendered(REPORTS["nothing"], "html")).text
    assert "Nothing was analysed." in page_of(rendered(Report(()), "html")).text
    assert "could not be analysed" not in page_of(rendered(REPORTS["nothing"], "html")).text
    assert "No findings in 1 analysed file." not in page_of(rendered(REPORTS["marked"], "html")).text


def test_equal_fingerprints_get_anchors_of_their_own() -> None:
    page = page_of(rendered(Report((ONE, ONE, ONE)), "html"))
    assert page.values("id")[:3] == [ONE.fingerprint, f"{ONE.fingerprint}-2", f"{ONE.fingerprint}-3"]


@pytest.mark.long
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
