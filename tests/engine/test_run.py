"""What a run makes of findings and fixes; the toy rules stand for any others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from toy import TOY, WholeTree

from npu_migrate.engine.fixes.applying import apply_in_memory, apply_in_place, chosen_fixes, take_stamps
from npu_migrate.engine.job import Job, Outcome, Part, Progress, index_here, tell_nobody
from npu_migrate.engine.request import Request, Text, prepare, relative_to
from npu_migrate.engine.run import run
from npu_migrate.findings import Applicability, Related, RelatedRange, Severity
from npu_migrate.index.indexing import Index
from npu_migrate.places import Position, Range
from npu_migrate.project.options import RuleOptions
from npu_migrate.settings import Settings, SettingsError
from npu_migrate.sources.tree import SourceTree
from npu_migrate.sources.writing import CHANGED


def job_for(folder: Path, settings: Settings | None = None) -> Job:
    job = prepare(Request((str(folder),), root=folder, settings=settings or Settings()), TOY)
    return replace(job, display=relative_to(folder))


def outcome_of(folder: Path, settings: Settings | None = None) -> Outcome:
    return run(job_for(folder, settings))


def found(folder: Path, settings: Settings | None = None) -> list[tuple[str, str, int]]:
    return [
        (one.code, one.path, one.range.start.line) for one in outcome_of(folder, settings).report.diagnostics
    ]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "b.py").write_bytes("é = OLD + RISK\r\n\tPAIR\r\n".encode())
    (tmp_path / "a.py").write_bytes("# coding: gbk\nx = '训', PAIR, HARD\n".encode("gbk"))
    return tmp_path


def test_findings_come_in_the_order_of_path_position_and_code(project: Path) -> None:
    assert found(project) == [
        ("NPU102", "a.py", 2),
        ("NPU103", "a.py", 2),
        ("NPU905", "a.py", 2),
        ("NPU101", "b.py", 1),
        ("NPU206", "b.py", 1),
        ("NPU102", "b.py", 2),
    ]


def test_diagnostics_speak_in_code_points_and_carry_their_rule(project: Path) -> None:
    old = outcome_of(project).report.diagnostics[3]
    assert (old.code, old.name, old.sources, old.severity) == ("NPU101", "old-word", ("TOY",), Severity.ERROR)
    assert old.range == Range(Position(1, 5), Position(1, 8))
    assert old.source_line == "é = OLD + RISK"
    assert old.fix is not None
    (edit,) = old.fix.edits
    assert (edit.path, edit.range, edit.text) == ("b.py", old.range, "NEW")


def test_a_fix_over_several_files_lists_all_its_edits(project: Path) -> None:
    pair = outcome_of(project).report.diagnostics[0]
    assert pair.fix is not None
    assert [(one.path, one.range.start) for one in pair.fix.edits] == [
        ("a.py", Position(2, 10)),
        ("b.py", Position(2, 2)),
    ]


def test_a_refused_fix_is_told(project: Path) -> None:
    hard, told = outcome_of(project).report.diagnostics[1:3]
    assert hard.fix is None
    assert (told.code, told.message, told.range) == ("NPU905", "too hard", hard.range)


def test_related_places_and_programs_are_shown_like_paths(project: Path) -> None:
    job = job_for(project)
    base = job.split(job.discovery.tree, None)[0].analyser()(job.discovery.tree)
    pair, old = base.findings[0], base.findings[-1]
    rich = replace(
        old, related=(Related(pair.place, "see here"),), programs=(f"{project}/b.py", f"{project}/a.py")
    )
    outcome = run(replace(job, split=lambda *_: (WholeTree(lambda tree: replace(base, findings=(rich,))),)))
    (diagnostic,) = outcome.report.diagnostics
    assert diagnostic.programs == ("a.py", "b.py")
    assert diagnostic.related == (RelatedRange("a.py", Range(Position(2, 10), Position(2, 14)), "see here"),)


def test_selection_holds_for_fixes_and_refusals_too(project: Path) -> None:
    assert found(project, Settings(select=("NPU103",))) == [("NPU103", "a.py", 2), ("NPU905", "a.py", 2)]
    assert found(project, Settings(ignore=("NPU1", "NPU9"))) == [("NPU206", "b.py", 1)]
    per_file = Settings(per_file_ignores=(("/a.py", ("NPU",)),), ignore=("NPU2",))
    assert found(project, per_file) == [("NPU101", "b.py", 1), ("NPU102", "b.py", 2)]


def test_suppressed_findings_stay_without_a_fix_and_are_never_fixed(project: Path) -> None:
    (project / "b.py").write_text(
        "OLD  # npu-migrate: ignore[NPU101]\nOLD, PAIR  # npu-migrate: ignore[NPU102]\n"
    )
    outcome = outcome_of(project)
    marks = [(one.code, one.path, one.suppressed, one.fix is None) for one in outcome.report.diagnostics]
    assert ("NPU101", "b.py", True, True) in marks
    assert ("NPU102", "b.py", True, True) in marks
    assert ("NPU101", "b.py", False, False) in marks
    fixes = chosen_fixes(outcome.diagnosed, Applicability.UNSAFE)
    new = apply_in_memory(outcome.tree, fixes).contents
    assert (
        new[f"{project}/b.py"]
        == b"OLD  # npu-migrate: ignore[NPU101]\nNEW, PAIR  # npu-migrate: ignore[NPU102]\n"
    )
    assert b"DONE" in new[f"{project}/a.py"]


def test_unused_suppressions_are_findings(project: Path) -> None:
    (project / "b.py").write_text("x = 1  # npu-migrate: ignore[NPU101]\n")
    assert ("NPU904", "b.py", 1) in found(project)
    assert ("NPU904", "b.py", 1) not in found(project, Settings(select=("NPU102",)))
    assert ("NPU904", "b.py", 1) not in found(project, Settings(ignore=("NPU904",)))


def test_files_that_cannot_be_read_are_counted_and_the_others_done(project: Path) -> None:
    (project / "bad.py").write_bytes(b"OLD = '\xff'\n")
    (project / "gone.py").symlink_to("nowhere")
    report = outcome_of(project, Settings(select=("NPU101",))).report
    assert [(one.code, one.path, one.range.start) for one in report.diagnostics] == [
        ("NPU101", "b.py", Position(1, 5)),
        ("NPU902", "bad.py", Position(1, 1)),
        ("NPU902", "gone.py", Position(1, 1)),
    ]
    assert report.diagnostics[2].message == "not analysed: is not a regular file"
    assert report.diagnostics[1].source_line == ""
    assert (report.files.discovered, report.files.analysed, report.files.failed) == (4, 2, 2)


def test_equal_lines_have_different_fingerprints_that_survive_moves(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("OLD\nOLD\n  OLD\n")
    before = [one.fingerprint for one in outcome_of(tmp_path).report.diagnostics]
    (tmp_path / "a.py").write_text("\n\nOLD\n# new\nOLD\nOLD \nx = 1, OLD\n")
    after = [one.fingerprint for one in outcome_of(tmp_path).report.diagnostics]
    assert len(set(before)) == 3
    assert after[:3] == before
    assert after[3] not in before


def test_applying_safe_fixes_leaves_the_unsafe_ones(project: Path) -> None:
    outcome = outcome_of(project)
    safe = apply_in_memory(outcome.tree, chosen_fixes(outcome.diagnosed, Applicability.SAFE))
    assert safe.contents[f"{project}/b.py"] == "é = NEW + RISK\r\n\tDONE\r\n".encode()
    assert (safe.count(Applicability.SAFE), safe.count(Applicability.UNSAFE)) == (3, 0)
    both = apply_in_memory(outcome.tree, chosen_fixes(outcome.diagnosed, Applicability.UNSAFE))
    assert both.contents[f"{project}/b.py"] == "é = NEW + RISKED\r\n\tDONE\r\n".encode()
    assert (both.count(Applicability.SAFE), both.count(Applicability.UNSAFE)) == (3, 1)
    assert both.contents[f"{project}/a.py"] == "# coding: gbk\nx = '训', DONE, HARD\n".encode("gbk")


def test_writing_changes_the_files_as_the_fixes_say(project: Path) -> None:
    stamps = take_stamps(job_for(project).discovery.tree.targets)
    outcome = outcome_of(project)
    applied = apply_in_place(outcome.tree, chosen_fixes(outcome.diagnosed, Applicability.SAFE), stamps)
    assert applied.refused == {}
    assert {Path(key).name: Path(key).read_bytes() for key in applied.contents} == {
        "a.py": "# coding: gbk\nx = '训', DONE, HARD\n".encode("gbk"),
        "b.py": "é = NEW + RISK\r\n\tDONE\r\n".encode(),
    }


@pytest.mark.parametrize("moment", ["before the fixes were planned", "after the fixes were planned"])
def test_a_file_that_the_user_changed_is_left_alone_and_takes_its_fixes_along(
    project: Path, moment: str
) -> None:
    """PAIR is fixed in both files or in none; OLD in b.py does not depend on a.py."""
    stamps = take_stamps(job_for(project).discovery.tree.targets)
    if moment.startswith("before"):
        (project / "a.py").write_bytes("# coding: gbk\nx = '练', PAIR, HARD\n".encode("gbk"))
    outcome = outcome_of(project)
    mine = (project / "a.py").read_bytes()
    if moment.startswith("after"):
        mine += b"# mine\n"
        (project / "a.py").write_bytes(mine)
    applied = apply_in_place(outcome.tree, chosen_fixes(outcome.diagnosed, Applicability.SAFE), stamps)
    assert applied.refused == {f"{project}/a.py": CHANGED}
    assert applied.count(Applicability.SAFE) == 1
    assert (project / "a.py").read_bytes() == mine
    assert (project / "b.py").read_bytes() == "é = NEW + RISK\r\n\tPAIR\r\n".encode()
    assert sorted(path.name for path in project.iterdir()) == ["a.py", "b.py"]


def test_an_encoding_that_cannot_take_a_fix_drops_it_everywhere(project: Path) -> None:
    (project / "b.py").write_bytes("# coding: latin-1\n'é', PAIR\n".encode("latin-1"))
    outcome = outcome_of(project)
    (pair,) = {one.fix for one in outcome.diagnosed if one.fix is not None}
    wide = replace(pair, edits=tuple(edit._replace(text="漢") for edit in pair.edits))
    applied = apply_in_memory(outcome.tree, [wide])
    assert (applied.contents, applied.fixes) == ({}, ())
    assert "cannot be stored as iso-8859-1" in applied.refused[f"{project}/b.py"]


def test_a_text_is_judged_like_a_file(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("OLD\n")
    request = Request(text=Text(b"OLD\n", str(tmp_path / "new.py")), root=tmp_path)
    report = run(replace(prepare(request, TOY), display=relative_to(tmp_path))).report
    assert [one.path for one in report.diagnostics] == ["new.py"]
    assert report.files.context == 1


def test_paths_outside_the_working_directory_are_shown_relative_to_it() -> None:
    display = relative_to("/home/me/project")
    assert display("/home/me/project/pkg/a.py") == "pkg/a.py"
    assert display("/home/me/projects/a.py") == "../projects/a.py"
    assert relative_to("/")("/a.py") == "a.py"


def test_the_analyser_learns_what_the_settings_say(project: Path) -> None:
    (project / "lib").mkdir()
    seen: list[object] = []

    def new_splitter(
        src: tuple[str, ...], options: RuleOptions, progress: Progress, index: Index
    ) -> Callable[[SourceTree], Sequence[Part]]:
        seen.extend((src, options, progress, index))
        return TOY.new_splitter(src, options, progress, index)

    settings = Settings(src=("lib", "."), loss_tensor="loss:0", final_loss=0.5, product="a2", cann="8.0")
    request = Request((str(project),), root=project, settings=settings)
    prepare(request, replace(TOY, new_splitter=new_splitter))
    assert seen == [
        (f"{project}/lib", str(project)),
        RuleOptions("loss:0", 0.5, "a2", cann="8.0"),
        tell_nobody,
        index_here,
    ]


def test_a_source_folder_must_exist(project: Path) -> None:
    request = Request((str(project),), root=project, settings=Settings(src=("gone",)))
    with pytest.raises(SettingsError, match=r"^settings: src: there is no folder .*/gone$"):
        prepare(request, TOY)
