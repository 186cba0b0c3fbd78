"""Code actions: what is offered, and that applying it does what the command line does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import folder_with, tool
from editor import Editor, capabilities, editor
from fidelity import Tree, read_tree
from fixture_cases import FIXTURES
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from scripts import ITERATOR, LOOP, READER, TRAINER, project

pytestmark = [pytest.mark.asyncio, pytest.mark.long]

FIX_ALL = "source.fixAll.npuMigrate"
FIX_TITLE = "Make the iterator initializable and run its initializer"
CASES = [
    "NPU101-one-shot-iterator/windows-newlines-and-bom",
    "NPU101-one-shot-iterator/tuple-of-tensors-and-iterator",
    "NPU101-one-shot-iterator/estimator-nested-function",
    "NPU101-one-shot-iterator/towers-in-a-loop",
    "NPU305-step-or-loss-hook-missing",
    "NPU904-unused-suppression",
]


def cases() -> list[Path]:
    """Folders with a script and what the command line makes of it."""
    found = []
    for name in CASES:
        folder = FIXTURES / name
        found += [folder] if (folder / "before").is_dir() else sorted(folder.iterdir())[:3]
    return [one for one in found if (one / "after").is_dir()]


def texts(tree: Tree) -> dict[str, str]:
    """The Python files of a tree as an editor shows them, without a byte order mark."""
    return {str(path): data.decode("utf-8-sig") for path, data in tree.items() if str(path).endswith(".py")}


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.parent.name[:6]}-{case.name}")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_fixing_all_gives_what_the_command_line_writes(
    case: Path, encoding: str, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(case / "before", folder)
    project(folder, {})
    after = texts(read_tree(case / "after"))
    able = capabilities(encoding=encoding, resolves=encoding == "utf-8", versioned=encoding == "utf-8")
    async with editor(folder, able=able) as one:
        uris = {
            name: one.open(folder / name, (folder / name).read_bytes().decode("utf-8-sig")) for name in after
        }
        for uri in uris.values():
            actions = await one.actions(uri, only=["source.fixAll"])
            for action in actions:
                assert action.kind == FIX_ALL
                one.apply(await one.edit_of(action))
        assert {name: one.texts[uri].text for name, uri in uris.items()} == after


async def test_a_fix_is_offered_where_its_finding_is(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": LOOP, "settings.py": "LOOP = 30\n"})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        found = await one.found(uri)
        # The call of the finding before it goes around.
        offered = [
            each
            for each in await one.offered(uri, found[1].range)
            if "NPU104" not in each.title and "enable_data_pre_proc" not in each.title
        ]
        assert [each.title for each in offered] == [
            "Save checkpoints every 120 steps, a multiple of iterations_per_loop (unsafe)",
            "Disable NPU203 for this line",
            "Fix all safe npu-migrate problems",
            "Explain NPU203",
        ]
        unsafe, _, everything = [each for each in offered if isinstance(each, types.CodeAction)]
        assert unsafe.is_preferred is None
        assert [told.code for told in unsafe.diagnostics or ()] == ["NPU203"]
        assert unsafe.edit is None
        start = types.Range(types.Position(0, 0), types.Position(0, 0))
        assert [each.title for each in await one.actions(uri, start)] == [everything.title]
        safe = (await one.actions(uri, found[0].range))[0]
        assert (safe.title, safe.is_preferred) == ("Set enable_data_pre_proc to True", True)
        one.apply(await one.edit_of(unsafe))
        assert "save_checkpoints_steps=120" in one.texts[uri].text
        assert await one.codes(uri) == ["NPU104"]


async def test_unsafe_fixes_can_be_switched_off(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": LOOP, "settings.py": "LOOP = 30\n"})
    async with editor(folder, options={"unsafeFixes": False}) as one:
        uri = one.open(folder / "train.py")
        titles = [action.title for action in await one.actions(uri)]
        assert not any("unsafe" in title for title in titles)
        assert "Set enable_data_pre_proc to True" in titles


async def test_all_safe_problems_are_the_safe_ones(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": LOOP, "settings.py": "LOOP = 30\n"})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        (action,) = await one.actions(uri, only=[FIX_ALL])
        one.apply(await one.edit_of(action))
        assert await one.codes(uri) == ["NPU203"]
        assert await one.actions(uri, only=[FIX_ALL]) == []


async def test_a_comment_that_accepts_a_finding(tmp_path: Path) -> None:
    text = ITERATOR.replace("iterator()\n", "iterator()  # 注 😀\n")
    folder = project(tmp_path, {"train.py": text})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        found = await one.found(uri)
        action = next(each for each in await one.actions(uri, found[0].range) if "Disable" in each.title)
        one.apply(await one.edit_of(action))
        assert "  # 注 😀  # npu-migrate: ignore[NPU101]\n" in one.texts[uri].text
        assert await one.codes(uri) == []


@pytest.mark.parametrize("reader_is_open", [True, False])
@pytest.mark.parametrize("versioned", [True, False])
async def test_a_fix_over_two_files(tmp_path: Path, reader_is_open: bool, versioned: bool) -> None:
    files = {"train.py": TRAINER, "reader.py": READER}
    with folder_with({name: text.encode() for name, text in files.items()} | {"pyproject.toml": b""}):
        tool("--write", "--no-cache", ".")
        expected = {name: Path(name).read_text("utf-8") for name in files}
    assert all(expected[name] != text for name, text in files.items())
    folder = project(tmp_path, files)
    async with editor(folder, able=capabilities(versioned=versioned)) as one:
        reader = one.open(folder / "reader.py")
        train = one.open(folder / "train.py") if reader_is_open else None
        (action,) = [each for each in await one.actions(reader) if each.title == FIX_TITLE]
        edit = await one.edit_of(action)
        assert (edit.document_changes is not None) is versioned
        one.apply(edit)
        assert one.texts[reader].text == expected["reader.py"]
        now = one.texts[train].text if train else (folder / "train.py").read_text("utf-8")
        assert now == expected["train.py"]


async def test_a_file_that_changes_meanwhile_is_not_edited(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": TRAINER, "reader.py": READER})
    async with editor(folder) as one:
        reader = one.open(folder / "reader.py")
        (action,) = [each for each in await one.actions(reader) if each.title == FIX_TITLE]
        (folder / "train.py").write_text(f"# changed\n{TRAINER}", encoding="utf-8")
        await refused(one, action)


async def test_an_action_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        actions = await one.actions(uri)
        one.replace(uri, "title = ", "\ntitle = ")
        for action in actions:
            await refused(one, action)
        one.close(uri)
        for action in actions:
            await refused(one, action)


async def refused(one: Editor, action: types.CodeAction) -> None:
    with pytest.raises(JsonRpcException) as raised:
        await one.client.code_action_resolve_async(action)
    assert raised.value.code == types.LSPErrorCodes.ContentModified


async def test_nothing_is_fixed_beside_a_broken_file(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": TRAINER, "reader.py": READER})
    async with editor(folder) as one:
        reader, train = one.open(folder / "reader.py"), one.open(folder / "train.py")
        assert await one.codes(reader) == ["NPU101"]
        (action,) = [each for each in await one.actions(reader) if each.title == FIX_TITLE]
        one.replace(train, "session = ", "session = (")
        assert "NPU901" in await one.codes(train)
        await refused(one, action)


async def test_a_light_bulb_is_shown_at_once_and_only_with_what_was_asked_for(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        automatic = types.CodeActionTriggerKind.Automatic
        titles = [each.title for each in await one.actions(uri, trigger=automatic)]
        assert titles == [FIX_TITLE, "Disable NPU101 for this line"]
        assert await one.actions(uri, only=["refactor"]) == []
        assert [each.title for each in await one.actions(uri, only=["quickfix"])] == titles
        (everything,) = await one.actions(uri, only=["source"])
        assert everything.kind == FIX_ALL


async def test_edits_come_along_for_an_editor_that_cannot_ask_later(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder, able=capabilities(resolves=False, versioned=False)) as one:
        uri = one.open(folder / "train.py")
        automatic = types.CodeActionTriggerKind.Automatic
        actions = await one.actions(uri, trigger=automatic)
        assert actions and all(action.edit is not None and action.edit.changes for action in actions)


# -- commands and pages ------------------------------------------------------------------------------------


async def test_the_page_of_a_rule_is_shown(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        offered = await one.offered(uri)
        assert "Explain NPU101" in [each.title for each in offered]
        page = await command(one, "npuMigrate.explainRule", "NPU101")
        assert page == tool("--explain", "NPU101").decode()
        (shown,) = one.client.shown_documents
        assert Path(shown.uri.removeprefix("file://")).read_text("utf-8") == page
        assert await command(one, "npuMigrate.explainRule", "NPU999") is None
    assert not Path(shown.uri.removeprefix("file://")).exists()


async def test_an_editor_that_cannot_show_a_page_is_not_offered_one(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder, able=capabilities(shows=False)) as one:
        offered = await one.offered(one.open(folder / "train.py"))
        assert not any("Explain" in each.title for each in offered)


async def test_a_command_fixes_a_document(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        assert await command(one, "npuMigrate.fixDocument", uri) is True
        (edit,) = one.applied
        one.apply(edit)
        assert await one.codes(uri) == []
        assert await command(one, "npuMigrate.fixDocument", uri) is False


async def command(one: Editor, name: str, *arguments: str) -> object:
    return await one.client.workspace_execute_command_async(types.ExecuteCommandParams(name, arguments))


async def test_the_mouse_on_a_finding_or_a_comment_shows_the_page(tmp_path: Path) -> None:
    text = ITERATOR + "x = 1  # 注 npu-migrate: ignore[NPU102, NPU1]\ny = 2  # npu-migrate: ignore\n"
    text = text.replace("# 注 npu", "# 注  # npu")
    folder = project(tmp_path, {"train.py": text})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        await one.found(uri)

        async def page(word: str, behind: int = 0) -> str | None:
            position = one.position(text, text.index(word) + behind)
            answer = await one.client.text_document_hover_async(
                types.HoverParams(types.TextDocumentIdentifier(uri), position)
            )
            if answer is None:
                return None
            assert isinstance(answer.contents, types.MarkupContent)
            assert answer.contents.kind is types.MarkupKind.Markdown
            return answer.contents.value

        assert await page("make_one_shot", 3) == tool("--explain", "NPU101").decode()
        assert await page("NPU102", 2) == tool("--explain", "NPU102").decode()
        assert await page("npu-migrate", 2) == tool("--explain", "NPU102").decode()
        for word in ("dataset", "iterator = ", "x = 1", "batch", "# 注"):
            assert await page(word, 1) is None, word
