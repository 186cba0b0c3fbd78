"""The extension in VS Code's workbench: from a squiggle over the light bulb to a file that is saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import tool
from editing import FIX_TITLE, LOOP, PROJECTS, WIDE, project, written
from fidelity import assert_same_tree
from workbench import bundle, opened, served

pytestmark = [pytest.mark.needs("vscode", "vscode page", "chromium"), pytest.mark.asyncio]

LOOPS = project(train=LOOP, settings="LOOP = 30\n")
LOOP_FINDINGS = ("4: NPU104", "4: NPU203")
UNSAFE_TITLE = "Save checkpoints every 120 steps, a multiple of iterations_per_loop (unsafe)"
ALL_TITLE = "Fix all safe npu-migrate problems"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is."""
    folder = tmp_path_factory.mktemp("vscode") / "page"
    bundle(folder)
    with served(folder) as place:
        yield place


@pytest.mark.parametrize("name", PROJECTS)
async def test_a_safe_fix_from_the_light_bulb(name: str, address: str, tmp_path: Path) -> None:
    tree = PROJECTS[name]
    async with opened(address, tmp_path, tree) as window:
        await window.show("reader.py" if "reader.py" in tree else "train.py")
        await window.page.locator(".squiggly-warning, .squiggly-error").first.wait_for()
        await window.go_to_finding("NPU101")
        assert await window.call("marked", "NPU101") == "make_one_shot_iterator"
        assert "auto" in await window.bulb(), "VS Code has a preferred fix"
        await window.page.locator("[class*=lightbulb]:visible").first.click()
        assert await window.menu() == [FIX_TITLE, "Disable NPU101 for this line", "Explain NPU101"]
        await window.choose(FIX_TITLE)
        await window.expect()
        assert_same_tree(await window.saved(), written(tree, "--select", "NPU101"))


async def test_an_unsafe_fix_is_marked_and_not_preferred(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, LOOPS) as window:
        await window.show("train.py")
        await window.expect(*LOOP_FINDINGS)
        await window.go_to_finding("NPU203")
        await window.page.keyboard.press("Control+.")
        # The call around it, which NPU104 speaks of, has a safe fix; that one is preferred.
        assert {UNSAFE_TITLE, "Disable NPU203 for this line", "Explain NPU203"} <= {*await window.menu()}
        await window.choose(UNSAFE_TITLE)
        await window.expect("4: NPU104")
        assert_same_tree(await window.saved(), written(LOOPS, "--select", "NPU203", "--unsafe-fixes"))


async def test_the_preferred_fix(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, LOOPS) as window:
        await window.show("train.py")
        await window.go_to_finding("NPU104")
        await window.call("run", "editor.action.autoFix")
        await window.expect("4: NPU203")
        assert_same_tree(await window.saved(), written(LOOPS, "--select", "NPU104"))


async def test_fixing_all_as_a_source_action(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, LOOPS) as window:
        await window.show("train.py")
        await window.expect(*LOOP_FINDINGS)
        await window.go_to_finding("NPU203")
        await window.call("run", "editor.action.sourceAction")
        assert await window.menu() == [ALL_TITLE]
        await window.choose(ALL_TITLE)
        await window.expect("4: NPU203")
        assert_same_tree(await window.saved(), written(LOOPS))


async def test_fixing_all_on_each_save(address: str, tmp_path: Path) -> None:
    settings = {"editor.codeActionsOnSave": {"source.fixAll.npuMigrate": "explicit"}}
    async with opened(address, tmp_path, LOOPS, settings) as window:
        await window.show("train.py")
        await window.go_to_finding("NPU104")
        await window.page.keyboard.press("Control+s")
        await window.expect("4: NPU203")
        await window.page.locator(".tab:not(.dirty)", has_text="train.py").wait_for()
        assert_same_tree(await window.files(), written(LOOPS))


async def test_the_command_of_the_extension_after_typing(address: str, tmp_path: Path) -> None:
    tree = PROJECTS["wide"]
    typed = "# 取一批😀"
    async with opened(address, tmp_path, tree) as window:
        await window.show("train.py")
        await window.expect("4: NPU101")
        await window.call("goTo", 0, 0)
        await window.page.keyboard.type(typed)
        await window.page.keyboard.press("Enter")
        await window.expect("5: NPU101")
        assert await window.call("marked", "NPU101") == "make_one_shot_iterator"
        await window.go_to_finding("NPU101")
        await window.call("run", "npuMigrate.fixAll")
        await window.expect()
        changed = {**tree, "train.py": f"{typed}\r\n{WIDE}".encode()}
        assert_same_tree(await window.saved(), written(changed))


async def test_a_finding_that_is_disabled_and_its_page(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, PROJECTS["wide"]) as window:
        await window.show("train.py")
        await window.go_to_finding("NPU101")
        finding = await window.hover()
        assert "npu-migrate(NPU101)" in finding
        await window.page.keyboard.press("Escape")
        await window.page.keyboard.press("Control+.")
        await window.menu()
        await window.choose("Disable NPU101 for this line")
        await window.expect()
        line = (await window.text()).splitlines()[3]
        await window.call("goTo", 3, utf16(line[: line.index("NPU101")]) + 1)
        comment = await window.hover()
        assert comment.startswith("NPU101 one-shot-iterator")
        assert comment.strip() in finding


async def test_explaining_a_rule(address: str, tmp_path: Path) -> None:
    async with opened(address, tmp_path, PROJECTS["wide"]) as window:
        await window.show("train.py")
        await window.go_to_finding("NPU101")
        await window.page.keyboard.press("Control+.")
        await window.menu()
        await window.choose("Explain NPU101")
        await window.page.locator(".tab.active", has_text="NPU101.md").wait_for()
        assert await window.text() == tool("--explain", "NPU101").decode()


def utf16(text: str) -> int:
    """Its length as VS Code counts."""
    return len(text.encode("utf-16-le")) // 2
