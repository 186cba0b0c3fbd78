"""The HTML report in Chromium, opened as a reader opens it: a file, without any network."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hard_cases import ONE, many, rendered
from html_pages import ATTACKS, hostile
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright

from npu_migrate.findings import Applicability, FileCounts, Report, Severity
from npu_migrate.reports.html.characters import visible

pytestmark = pytest.mark.needs("chromium")

NPU101 = "NPU101 error one-shot-iterator"
NPU106 = "NPU106 warning partial-batch"
NPU202 = "NPU202 info steps-not-divisible"
ASSUMED = ONE.fix and replace(ONE.fix, applicability=Applicability.UNSAFE)
FINDINGS = (
    ONE,
    replace(ONE, fingerprint="1" * 32, path="models/bert/run.py", message="bert fails"),
    replace(
        ONE,
        fingerprint="2" * 32,
        code="NPU106",
        name="partial-batch",
        severity=Severity.WARNING,
        path="models/gpt/run.py",
        fix=ASSUMED,
    ),
    replace(
        ONE,
        fingerprint="3" * 32,
        code="NPU202",
        name="steps-not-divisible",
        severity=Severity.INFO,
        path="models/x.py",
        fix=None,
    ),
    replace(ONE, fingerprint="4" * 32, suppressed=True),
    replace(ONE, fingerprint="5" * 32, baselined=True, path="models/bert/run.py"),
)
REPORT = Report(FINDINGS, FileCounts(discovered=4, analysed=4))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
        running = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        yield running
        running.close()


@contextmanager
def opened(
    browser: Browser,
    folder: Path,
    report: Report = REPORT,
    anchor: str = "",
    width: int = 1280,
    **options: object,
) -> Iterator[Page]:
    """The report in a window of its own. Nothing may be fetched, and nothing may be complained about."""
    file = folder / "report.html"
    file.write_text(rendered(report, "html"), encoding="ascii")
    context = browser.new_context(viewport={"width": width, "height": 800}, **options)  # type: ignore[arg-type]
    page = context.new_page()
    complaints: list[str] = []
    fetched: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        complaints.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(f"{file.as_uri()}{anchor}")
    yield page
    assert complaints == []
    assert {url.partition("#")[0] for url in fetched} == {file.as_uri()}
    context.close()


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    with opened(browser, tmp_path) as opened_page:
        yield opened_page


def shown(page: Page) -> list[str]:
    """The first digits of the findings that are shown, after a check that the page tells their number."""
    articles = page.locator(".findings article").filter(visible=True)
    anchors = [article.get_attribute("id") or "" for article in articles.all()]
    expect(page.get_by_role("status")).to_have_text(re.compile(f"^{len(anchors)} of 6 shown"))
    return [anchor[0] for anchor in anchors]


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


# -- filters -----------------------------------------------------------------------------------------------


def test_suppressed_and_baselined_findings_are_hidden_until_asked_for(page: Page) -> None:
    assert shown(page) == ["0", "1", "2", "3"]
    switch = button(page, "Show suppressed and baselined (2)")
    switch.click()
    assert shown(page) == ["0", "1", "2", "3", "4", "5"]
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    assert shown(page) == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("error", "23"),
        ("warning", "013"),
        ("info", "012"),
        ("safe fix", "23"),
        ("unsafe fix", "013"),
        ("no fix", "012"),
        (NPU101, "01"),
        (NPU106, "2"),
        ("models/", "123"),
        ("bert/", "1"),
        ("(top folder)", "0"),
    ],
)
def test_a_filter_and_back(page: Page, name: str, left: str) -> None:
    toggle = button(page, name)
    before = toggle.get_attribute("aria-pressed")
    toggle.click()
    assert shown(page) == list(left)
    assert {before, toggle.get_attribute("aria-pressed")} == {"true", "false"}
    toggle.click()
    assert shown(page) == ["0", "1", "2", "3"]


def test_filters_of_one_kind_add_up_and_kinds_narrow(page: Page) -> None:
    button(page, NPU101).click()
    button(page, NPU202).click()
    assert shown(page) == ["0", "1", "3"]
    button(page, "models/").click()
    assert shown(page) == ["1", "3"]
    expect(page.get_by_role("status")).to_have_text("2 of 6 shown (NPU101, NPU202, models/)")
    button(page, "Clear filters").click()
    assert shown(page) == ["0", "1", "2", "3"]


def test_the_search_takes_words_in_any_order_and_case(page: Page) -> None:
    box = page.get_by_label("Search")
    box.fill("FAILS bert")
    assert shown(page) == ["1"]
    box.fill("partial-batch")
    assert shown(page) == ["2"]
    box.fill("no such word")
    assert shown(page) == []
    expect(page.get_by_text("No finding matches the filters.")).to_be_visible()
    box.fill("")
    assert shown(page) == ["0", "1", "2", "3"]


def test_the_filters_work_from_the_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the findings")).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(button(page, "error")).to_be_focused()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Space")
    assert shown(page) == ["2", "3"]


# -- links -------------------------------------------------------------------------------------------------


def test_a_link_shows_its_finding_even_if_that_is_hidden(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, anchor=f"#{'4' * 32}") as page:
        assert shown(page) == ["0", "1", "2", "3", "4"]
        expect(page.locator(f"[id='{'4' * 32}']")).to_be_in_viewport()
        expect(page.get_by_role("status")).to_contain_text("only because of the link")
        button(page, NPU106).click()
        assert shown(page) == ["2", "4"]
        page.evaluate("location.hash = '#' + '1'.repeat(32)")
        assert shown(page) == ["1", "2"]


def test_a_finding_links_to_itself(page: Page) -> None:
    page.locator(".findings article").nth(2).get_by_label("Link to this finding").click()
    assert page.url.endswith(f"#{'2' * 32}")


def test_a_code_leads_to_the_explanation_of_its_rule(page: Page) -> None:
    page.locator(".findings article").first.get_by_role("link", name="NPU101").click()
    expect(page.locator("#rule-NPU101 h3")).to_be_in_viewport()
    expect(page.locator("#rule-NPU101")).to_contain_text("one-shot iterator")


@pytest.mark.parametrize("anchor", ["#no-such-thing", "#%E0%A4%A", "#rule-NPU106"])
def test_other_anchors_do_no_harm(browser: Browser, tmp_path: Path, anchor: str) -> None:
    with opened(browser, tmp_path, anchor=anchor) as page:
        assert shown(page) == ["0", "1", "2", "3"]


def test_the_link_to_one_of_ten_thousand(browser: Browser, tmp_path: Path) -> None:
    anchor = f"{9_000:032x}"
    with opened(browser, tmp_path, many(10_000), anchor=f"#{anchor}") as page:
        expect(page.locator(f"[id='{anchor}'] h3")).to_be_in_viewport()
        page.locator("#search").fill("00123/train.py")
        expect(page.locator("#status")).to_have_text(
            "11 of 10000 shown; one of them only because of the link to it"
        )


# -- what it looks like ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_that_of_the_system_until_it_is_switched(
    browser: Browser, tmp_path: Path, scheme: str
) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    with opened(browser, tmp_path, color_scheme=scheme) as page:
        switch = button(page, "Dark")
        expect(switch).to_have_attribute("aria-pressed", str(scheme == "dark").lower())
        before = page.evaluate(ground)
        switch.click()
        switched = page.evaluate(ground)
        assert {before, switched} == {"rgb(255, 255, 255)", "rgb(17, 21, 26)"}
        assert (before == "rgb(17, 21, 26)") == (scheme == "dark")
        page.emulate_media(media="print")
        assert page.evaluate(ground) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("width", [375, 800, 1280])
def test_the_page_is_never_wider_than_the_window(browser: Browser, tmp_path: Path, width: int) -> None:
    report = Report((*FINDINGS, replace(ONE, path="x" * 400, message="y" * 400, fingerprint="6" * 32)))
    with opened(browser, tmp_path, report, width=width) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_print_holds_the_fixes_and_no_controls(page: Page) -> None:
    page.emulate_media(media="print")
    expect(page.locator("article").first.locator("ins").first).to_be_visible()
    expect(page.get_by_label("Search")).to_be_hidden()
    expect(page.get_by_role("button", name="Clear filters")).to_be_hidden()


def test_without_scripts_everything_is_there_and_no_dead_controls(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, java_script_enabled=False) as page:
        articles = page.locator(".findings article")
        expect(articles.filter(visible=True)).to_have_count(6)
        expect(page.get_by_role("status")).to_have_text("6, 2 of them suppressed or baselined")
        expect(page.get_by_role("button", disabled=False)).to_have_count(0)
        expect(page.get_by_label("Search")).to_be_hidden()
        articles.first.locator("summary").click()
        expect(articles.first.locator("ins").first).to_be_visible()


def test_a_report_without_findings_says_what_was_looked_for(browser: Browser, tmp_path: Path) -> None:
    with opened(
        browser, tmp_path, Report((), FileCounts(discovered=2, analysed=1, skipped_by_gate=1))
    ) as page:
        expect(page.get_by_text("No findings in 1 analysed file.").first).to_be_visible()
        expect(page.get_by_text("No finding matches the filters.")).to_be_hidden()
        expect(page.get_by_label("Search")).to_be_hidden()


# -- hostile text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_does_nothing(browser: Browser, tmp_path: Path, attack: str) -> None:
    with opened(browser, tmp_path, hostile(attack)) as page:
        assert page.title() == "npu-migrate: a project"
        expect(page.locator(".message")).to_have_text(visible(attack))
        page.locator("summary").click()
        page.locator(".row").last.click()
        expect(page.get_by_role("status")).to_have_text(re.compile("^1 of 1 shown"))
        assert page.title() == "npu-migrate: a project"
        assert page.locator("script, img, svg, iframe").count() == 1


def test_the_policy_stops_what_escaping_would_have_let_through(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    injected = ATTACKS[0].removeprefix("</script>") + ATTACKS[1]
    file.write_text(rendered(REPORT, "html").replace("<main>", f"<main>{injected}"), encoding="ascii")
    context = browser.new_context()
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.title() == "npu-migrate: a project"
    context.close()
