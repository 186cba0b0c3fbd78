"""What an editor is told of findings, and when."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from editor import Editor, capabilities, editor
from lsprotocol import types
from scripts import ITERATOR, LOOP, project

pytestmark = pytest.mark.asyncio

SLOW = (sys.executable, str(Path(__file__).with_name("slow_server.py")))

SETTINGS_BAD, SETTINGS_GOOD = "LOOP = 30\n", "LOOP = 50\n"


@pytest.fixture
def loops(tmp_path: Path) -> Path:
    return project(tmp_path / "项目 1", {"train.py": LOOP, "settings.py": SETTINGS_BAD})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_a_finding_is_told_where_it_is(tmp_path: Path, encoding: str) -> None:
    text = ITERATOR.replace("iterator = ", "名 = '😀'; iterator = ").replace("\n", "\r\n")
    folder = project(tmp_path, {"train.py": text})
    async with editor(folder, able=capabilities(encoding=encoding)) as one:
        uri = one.open(folder / "train.py")
        (found,) = await one.found(uri)
        assert (found.code, found.source, found.severity) == (
            "NPU101",
            "npu-migrate",
            types.DiagnosticSeverity.Warning,
        )
        assert one.text_at(uri, found.range) == "make_one_shot_iterator"
        assert found.code_description is None


async def test_text_that_is_not_saved_counts_and_disk_does_not(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py", ITERATOR.replace("one_shot", "initializable"))
        assert await one.codes(uri) == ["NPU102"]
        one.replace(uri, "initializable", "one_shot")
        assert await one.codes(uri) == ["NPU101"]
        one.close(uri)
        await one.until(lambda: one.told[-1].uri == uri and not one.told[-1].diagnostics)


async def test_only_the_latest_version_is_told_of(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder, options={"debounce": 100}) as one:
        uri = one.open(folder / "train.py")
        await one.found(uri)
        for number in range(30):
            one.replace(uri, "range(8", f"range(8{number}") if number == 0 else one.write(
                uri, ITERATOR.replace("range(8", f"range(8{number}")
            )
        await one.found(uri)
        versions = [told.version for told in one.told if told.uri == uri]
        assert versions == sorted(versions)
        assert versions[-1] == 31
        assert len(versions) < 10


async def test_an_unsaved_change_in_another_file_counts(loops: Path) -> None:
    async with editor(loops) as one:
        train, settings = one.open(loops / "train.py"), one.open(loops / "settings.py")
        await one.until_codes(train, "NPU104", "NPU203")
        found = (await one.found(train))[1]
        assert found.related_information is not None
        related = found.related_information[0].location
        assert (related.uri, one.text_at(settings, related.range)) == (settings, "30")
        one.replace(settings, "LOOP = 30", '迭 = "😀"; LOOP = 50')
        await one.until_codes(train, "NPU104")
        one.replace(settings, "50", "30")
        await one.until_codes(train, "NPU104", "NPU203")
        latest = one.latest(train)
        assert latest is not None and latest.version == 1
        places = [told.location for told in latest.diagnostics[1].related_information or ()]
        assert one.text_at(settings, places[0].range) == "30"


async def test_files_that_are_not_open_are_followed_on_disk(loops: Path) -> None:
    async with editor(loops) as one:
        train = one.open(loops / "train.py")
        await one.until_codes(train, "NPU104", "NPU203")
        latest = one.latest(train)
        assert latest is not None and latest.diagnostics[1].related_information
        where = latest.diagnostics[1].related_information[0].location
        assert where.uri == (loops / "settings.py").as_uri()
        assert where.range == types.Range(types.Position(0, 7), types.Position(0, 9))
        (loops / "settings.py").write_text(SETTINGS_GOOD)
        one.changed_on_disk(loops / "settings.py")
        await one.until_codes(train, "NPU104")
        (loops / "settings.py").unlink()
        one.changed_on_disk(loops / "settings.py", kind=types.FileChangeType.Deleted)
        await one.until_codes(train)
        (loops / "settings.py").write_text(SETTINGS_BAD)
        one.changed_on_disk(loops / "settings.py", kind=types.FileChangeType.Created)
        await one.until_codes(train, "NPU104", "NPU203")


async def test_an_editor_that_does_not_watch_is_looked_after_when_it_saves(loops: Path) -> None:
    async with editor(loops, able=capabilities(watches=False)) as one:
        train = one.open(loops / "train.py")
        await one.until_codes(train, "NPU104", "NPU203")
        save = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(train))
        one.client.text_document_did_save(save)
        (loops / "settings.py").write_text("# by hand\n" + SETTINGS_GOOD)
        one.client.text_document_did_save(save)
        await one.until_codes(train, "NPU104")
        assert one.registered == []


async def test_the_file_on_disk_counts_again_when_its_text_is_closed(loops: Path) -> None:
    async with editor(loops) as one:
        train, settings = one.open(loops / "train.py"), one.open(loops / "settings.py", SETTINGS_GOOD)
        await one.until_codes(train, "NPU104")
        one.close(settings)
        await one.until_codes(train, "NPU104", "NPU203")


async def test_an_idle_comment_is_shown_as_unnecessary(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR + "x = 1  # npu-migrate: ignore[NPU101]\n"})
    async with editor(folder) as one:
        found = await one.found(one.open(folder / "train.py"))
        assert [(str(one.code), one.tags) for one in found] == [
            ("NPU101", None),
            ("NPU904", (types.DiagnosticTag.Unnecessary,)),
        ]


async def test_a_suppressed_finding_is_not_told(tmp_path: Path) -> None:
    text = ITERATOR.replace("iterator()\n", "iterator()  # npu-migrate: ignore[NPU101]\n")
    folder = project(tmp_path, {"train.py": text})
    async with editor(folder) as one:
        assert await one.found(one.open(folder / "train.py")) == []


# -- broken texts ------------------------------------------------------------------------------------------


async def test_while_a_text_is_broken_the_other_findings_stay(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        assert await one.codes(uri) == ["NPU101"]
        one.replace(uri, "title = ", "# 新😀\ndef broken(:\n\ntitle = ")
        broken, stays = await one.found(uri)
        assert (broken.code, stays.code) == ("NPU901", "NPU101")
        assert broken.range.start.line == 3
        assert one.text_at(uri, stays.range) == "make_one_shot_iterator"
        assert not any(action.kind == "quickfix" for action in await one.actions(uri))
        one.replace(uri, "make_one_shot_iterator", "make_one_shot_iterator((")
        assert await one.codes(uri) == ["NPU901"]
        one.write(uri, ITERATOR)
        assert await one.codes(uri) == ["NPU101"]


async def test_a_text_that_was_never_python_says_so_and_recovers(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR + "if:\n"})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        assert await one.codes(uri) == ["NPU901"]
        one.replace(uri, "if:\n", "")
        assert await one.codes(uri) == ["NPU101"]


async def test_a_broken_text_without_a_name_of_ours_is_no_concern(tmp_path: Path) -> None:
    folder = project(tmp_path, {"other.py": "x = 1\n"})
    async with editor(folder) as one:
        assert await one.codes(one.open(folder / "other.py", "x = (\n")) == []


async def test_half_a_character_is_said_and_forgotten(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        assert await one.codes(uri) == ["NPU101"]
        one.write(uri, ITERATOR + "# \ud83d\n")
        assert await one.codes(uri) == ["NPU902", "NPU101"]
        one.write(uri, ITERATOR + "# \U0001f600\n")
        assert await one.codes(uri) == ["NPU101"]


# -- findings that are asked for ---------------------------------------------------------------------------


async def pulled(
    one: Editor, uri: str, known: str | None = None
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    return await one.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=known)
    )


async def test_an_editor_that_asks_is_answered_and_not_told(loops: Path) -> None:
    async with editor(loops, able=capabilities(pulls=True)) as one:
        train, settings = one.open(loops / "train.py"), one.open(loops / "settings.py")
        first = await pulled(one, train)
        assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
        assert [found.code for found in first.items] == ["NPU104", "NPU203"]
        same = await pulled(one, train, first.result_id)
        assert isinstance(same, types.RelatedUnchangedDocumentDiagnosticReport)
        assert same.result_id == first.result_id
        before = one.client.diagnostic_refresh_count
        one.replace(settings, "30", "50")
        await one.until(lambda: one.client.diagnostic_refresh_count > before)
        later = await pulled(one, train, first.result_id)
        assert isinstance(later, types.RelatedFullDocumentDiagnosticReport)
        assert [found.code for found in later.items] == ["NPU104"]
        assert one.told == []


async def test_who_asks_while_somebody_types_gets_the_latest(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder, able=capabilities(pulls=True), options={"debounce": 50}) as one:
        uri = one.open(folder / "train.py")
        one.write(uri, ITERATOR.replace("one_shot", "initializable"))
        report = await pulled(one, uri)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        assert [found.code for found in report.items] == ["NPU102"]
        other = await pulled(one, "file:///nowhere.py")
        assert isinstance(other, types.RelatedFullDocumentDiagnosticReport)
        assert list(other.items) == []


@pytest.mark.parametrize("able", [True, False])
async def test_an_editor_that_can_show_it_is_told_that_findings_take_a_while(
    tmp_path: Path, able: bool
) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder, able=capabilities(progress=able), command=SLOW) as one:
        uri = one.open(folder / "train.py")
        assert await one.codes(uri) == ["NPU101"]
        shown = [[value.kind for value in values] for values in one.client.progress_reports.values()]
        assert bool(shown) == able
        assert all(kinds == ["begin", "end"] for kinds in shown)
