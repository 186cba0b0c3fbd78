"""The four things a command line can do, with the toy rules: what goes where, and the exit code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import jsonschema
import pytest
from shell import Shell
from toy import TOY

from npu_migrate.commands.options import CommandError
from npu_migrate.engine.fixes.fixing import FixPlan
from npu_migrate.engine.job import Analysis
from npu_migrate.places import Position
from npu_migrate.reports.json import report_schema
from npu_migrate.sources.source import decode
from npu_migrate.sources.tree import SourceTree

Analyse = Callable[[SourceTree], Analysis]


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Shell:
    folder = tmp_path / "work"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("")
    (folder / "pkg/b.py").write_bytes("é = OLD + RISK\r\n\tPAIR\r\n".encode())
    (folder / "pkg/a.py").write_bytes("# coding: gbk\nx = '训', PAIR, HARD".encode("gbk"))
    (folder / "pkg/data.bin").write_bytes(b"\0OLD")
    return Shell(folder, monkeypatch, capfdbinary)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


FIXED_A = "# coding: gbk\nx = '训', DONE, HARD".encode("gbk")
FIXED_B = "é = NEW + RISK\r\n\tDONE\r\n".encode()
RISKED_B = "é = NEW + RISKED\r\n\tDONE\r\n".encode()


# -- report ------------------------------------------------------------------------------------------------


def test_the_report_goes_to_standard_output_and_changes_nothing(shell: Shell) -> None:
    before = contents(shell.folder)
    ran = shell("pkg")
    assert ran.code == 1
    assert "pkg/b.py:1:5: NPU101[*] error OLD is here\n1 | é = OLD + RISK\n" in ran.out.decode()
    assert b"Found:" not in ran.out and b"\x1b" not in ran.out
    assert ran.err.splitlines()[0] == "Found: 1 error, 4 warnings, 1 info in 2 files."
    assert contents(shell.folder) == before


def test_json_reports_meet_the_schema(shell: Shell) -> None:
    document = json.loads(shell("pkg", "--format", "json").out)
    jsonschema.Draft202012Validator(report_schema()).validate(document)
    assert [one["path"] for one in document["findings"]] == ["pkg/a.py"] * 3 + ["pkg/b.py"] * 3


def test_the_edits_in_the_json_report_make_the_files_that_write_makes(shell: Shell) -> None:
    document = json.loads(shell("pkg", "--format", "json").out)
    edits = {
        (edit["path"], *edit["range"]["start"].values(), *edit["range"]["end"].values(), edit["text"])
        for one in document["findings"]
        if one["fix"]
        for edit in one["fix"]["edits"]
    }
    applied = {}
    for path in ("pkg/a.py", "pkg/b.py"):
        source = decode(path, (shell.folder / path).read_bytes())
        text = source.text
        for _, line, column, end_line, end_column, new in sorted(
            (edit for edit in edits if edit[0] == path), reverse=True
        ):
            start = source.lines.offset_of(Position(line, column))
            end = source.lines.offset_of(Position(end_line, end_column))
            text = text[:start] + new + text[end:]
        applied[path] = text.encode(source.encoding)
    shell("pkg", "--write", "--unsafe-fixes")
    assert {path: (shell.folder / path).read_bytes() for path in applied} == applied


def test_the_report_may_go_to_a_file(shell: Shell) -> None:
    ran = shell("pkg", "--output-file", "report.txt")
    assert ran.out == b""
    assert b"NPU101[*] error OLD" in (shell.folder / "report.txt").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 1),
        (("--fail-on", "never"), 0),
        (("--fail-on", "error"), 1),
        (("--fail-on", "error", "--ignore", "NPU101"), 0),
        (("--select", "NPU206"), 0),
        (("--select", "NPU206", "--fail-on", "info"), 1),
        (("--select", "NPU2,npu101"), 1),
    ],
)
def test_exit_codes(shell: Shell, arguments: tuple[str, ...], code: int) -> None:
    assert shell("pkg", *arguments).code == code


def test_suppressed_findings_count_in_no_exit_code(shell: Shell) -> None:
    (shell.folder / "pkg/a.py").unlink()
    (shell.folder / "pkg/b.py").write_text("OLD  # npu-migrate: ignore[NPU101]\n")
    ran = shell("pkg", "--fail-on", "info")
    assert (ran.code, ran.out) == (0, b"")
    assert "1 finding suppressed by comments." in ran.err


def test_options_replace_settings(shell: Shell) -> None:
    (shell.folder / "pyproject.toml").write_text(
        '[tool.npu-migrate]\nselect = ["NPU206"]\nfail-on = "info"\nexclude = ["/pkg/a.py"]\n'
    )
    assert (shell("pkg").code, shell("pkg", "--fail-on", "error").code) == (1, 0)
    assert b"NPU101" in shell("pkg", "--select", "NPU1").out
    assert b"a.py" not in shell("pkg", "--select", "NPU1").out
    (shell.folder / "other.toml").write_text('[tool.npu-migrate]\nselect = ["NPU103"]\n')
    assert b"NPU206" not in shell("pkg", "--config", "other.toml").out


def test_statistics_stand_instead_of_the_findings(shell: Shell) -> None:
    assert shell("pkg", "--statistics").out.decode().splitlines() == [
        "total  error  warning  info  safe fix  unsafe fix  no fix  rule",
        "    2      -        2     -         2           -       -  NPU102 paired-word",
        "    1      1        -     -         1           -       -  NPU101 old-word",
        "    1      -        1     -         -           -       1  NPU103 hard-word",
        "    1      -        -     1         -           1       -  NPU206 risky-word",
        "    1      -        1     -         -           -       1  NPU905 fix-not-applied",
    ]
    assert shell("pkg", "--statistics", "--group-by", "folder").out.decode().splitlines() == [
        "total  error  warning  info  safe fix  unsafe fix  no fix  folder",
        "    6      1        4     1         3           1       2  pkg",
    ]


def test_the_short_form_has_a_line_for_each_finding(shell: Shell) -> None:
    lines = shell("pkg", "--format", "concise").out.decode().splitlines()
    assert len(lines) == 6
    assert "pkg/b.py:1:5: NPU101[*] error OLD is here" in lines


def test_findings_in_groups_end_with_a_table(shell: Shell) -> None:
    lines = shell("pkg", "--format", "concise", "--group-by", "rule").out.decode().splitlines()
    assert lines[:2] == ["== NPU101 old-word: 1 error ==", "pkg/b.py:1:5: NPU101[*] error OLD is here"]
    assert lines[-6:] == shell("pkg", "--statistics").out.decode().splitlines()


def test_verbose_names_the_file_with_the_settings(shell: Shell) -> None:
    said = "npu-migrate: settings from no file: none has the table [tool.npu-migrate]\n"
    assert said in shell("pkg", "--verbose").err
    (shell.folder / "pyproject.toml").write_text("[tool.npu-migrate]\nfail-on = 'never'\n")
    said = f"npu-migrate: settings from {shell.folder / 'pyproject.toml'}\n"
    assert said in shell("pkg", "--verbose").err


def test_quiet_and_verbose(shell: Shell) -> None:
    assert shell("pkg", "--quiet").err == ""
    (shell.folder / "pkg/build").mkdir()
    told = shell("pkg", "--verbose").err
    assert f"root {shell.folder}, files to look at: 2, around them: 0" in told
    assert "pkg/build: left out" in told
    assert "setting select = []" in told
    assert 'setting fail-on = "warning"' in told


def test_folders_without_python_are_told_even_quietly(shell: Shell) -> None:
    (shell.folder / "docs").mkdir()
    ran = shell("docs", "--quiet")
    assert ran.err.splitlines() == ["npu-migrate: docs: holds no Python files or notebooks"]


# -- diff --------------------------------------------------------------------------------------------------


def test_git_applies_the_diff_and_gets_what_write_gives(shell: Shell) -> None:
    ran = shell("pkg", "--diff")
    assert ran.code == 1
    assert "2 files would change." in ran.err
    subprocess.run(["git", "init", "-q"], cwd=shell.folder, check=True)
    subprocess.run(["git", "apply", "-"], cwd=shell.folder, input=ran.out, check=True)
    assert (shell.folder / "pkg/a.py").read_bytes() == FIXED_A
    assert (shell.folder / "pkg/b.py").read_bytes() == FIXED_B


def test_a_diff_may_have_a_report_beside_it(shell: Shell) -> None:
    ran = shell("pkg", "--diff", "--unsafe-fixes", "--format", "json", "--output-file", "r.json")
    assert b"+\xc3\xa9 = NEW + RISKED\r\n" in ran.out
    document = json.loads((shell.folder / "r.json").read_bytes())
    assert document["files"]["changed"] == 2
    assert document["summary"]["error"] == 1
    assert document["fixed"] == {"safe": 0, "unsafe": 0}


def test_without_fixes_the_diff_is_empty(shell: Shell) -> None:
    assert shell("pkg", "--diff", "--select", "NPU103").out == b""


# -- write -------------------------------------------------------------------------------------------------


def test_write_applies_the_safe_fixes_and_reports_what_remains(shell: Shell) -> None:
    ran = shell("pkg", "--write", "--format", "json")
    after = contents(shell.folder)
    assert (after["pkg/a.py"], after["pkg/b.py"], after["pkg/data.bin"]) == (FIXED_A, FIXED_B, b"\0OLD")
    document = json.loads(ran.out)
    assert [one["code"] for one in document["findings"]] == ["NPU103", "NPU905", "NPU206"]
    assert document["fixed"] == {"safe": 3, "unsafe": 0}
    assert document["files"]["changed"] == 2
    assert ran.err.splitlines()[0] == "Fixed 3 findings in 2 files."
    assert ran.code == 1


def test_a_second_write_changes_nothing(shell: Shell) -> None:
    shell("pkg", "--write", "--unsafe-fixes")
    before = {path: path.stat() for path in shell.folder.rglob("*")}
    assert (shell.folder / "pkg/b.py").read_bytes() == RISKED_B
    ran = shell("pkg", "--write", "--unsafe-fixes", "--fail-on", "error")
    assert ran.code == 0
    assert "Fixed" not in ran.err
    assert {path: path.stat() for path in shell.folder.rglob("*")} == before


def test_nothing_remains_after_everything_was_fixed(shell: Shell) -> None:
    ran = shell("pkg/b.py", "--write", "--unsafe-fixes", "--fail-on", "info")
    assert (ran.code, ran.out) == (0, b"")
    assert ran.err.splitlines()[:2] == ["Fixed 3 findings in 1 file.", "Nothing remains."]


def test_standard_input_is_written_to_standard_output(shell: Shell) -> None:
    text = "\ufeffé = OLD\r\nRISK".encode()
    ran = shell("-", "--write", stdin=text)
    assert ran.out == "\ufeffé = NEW\r\nRISK".encode()
    assert ran.code == 0
    assert shell("-", "--write", "--ignore", "NPU1", stdin=text).out == text


def test_standard_input_stands_for_a_file(shell: Shell) -> None:
    ran = shell("-", "--stdin-filename", "pkg/new.py", "--diff", stdin=b"OLD\n")
    assert ran.out == b"--- a/pkg/new.py\n+++ b/pkg/new.py\n@@ -1,1 +1,1 @@\n-OLD\n+NEW\n"
    assert "2 more read for context" in ran.err
    assert b"<stdin>:1:1: NPU101[*]" in shell("-", stdin=b"OLD\n").out


def test_what_the_user_changes_during_the_run_is_never_lost(shell: Shell) -> None:
    path = shell.folder / "pkg/a.py"

    def plan_late(tree: SourceTree, analysis: Analysis, analyse: Analyse) -> FixPlan:
        plan = TOY.plan_fixes(tree, analysis, analyse)
        path.write_bytes(b"PAIR  # mine\n")
        return plan

    late = replace(TOY, plan_fixes=plan_late)
    ran = shell("pkg", "--write", machinery=late)
    assert path.read_bytes() == b"PAIR  # mine\n"
    assert (shell.folder / "pkg/b.py").read_bytes() == "é = NEW + RISK\r\n\tPAIR\r\n".encode()
    assert ran.err.startswith("npu-migrate: pkg/a.py: has changed on disk since it was read; run again\n")
    with pytest.raises(CommandError, match="nothing could be written"):
        shell("pkg/a.py", "--write", machinery=late)


# -- output ------------------------------------------------------------------------------------------------


def test_output_is_a_copy_with_the_fixes(shell: Shell) -> None:
    before = contents(shell.folder)
    ran = shell("pkg", "--output", "../out", "--format", "json")
    assert contents(shell.folder) == before
    assert contents(shell.folder.parent / "out") == {
        "a.py": FIXED_A,
        "b.py": FIXED_B,
        "data.bin": b"\0OLD",
    }
    document = json.loads(ran.out)
    assert {one["path"] for one in document["findings"]} == {"../out/a.py", "../out/b.py"}
    assert document["fixed"] == {"safe": 3, "unsafe": 0}


@pytest.mark.parametrize("destination", [".", "pkg/new", "pkg"])
def test_output_never_mixes_with_its_origin(shell: Shell, destination: str) -> None:
    before = contents(shell.folder)
    with pytest.raises(CommandError, match="--output needs"):
        shell("pkg", "--output", destination)
    assert contents(shell.folder) == before


# -- mistakes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name the files or folders to look at, or - for standard input (see --help)"),
        (("gone.py",), "gone.py: does not exist"),
        (("pkg", "--diff", "--write"), "--diff and --write exclude each other"),
        (("pkg", "--write", "--output", "x"), "--write and --output exclude each other"),
        (("pkg", "--quiet", "--verbose"), "--quiet and --verbose exclude each other"),
        (("pkg", "-"), "- for standard input cannot be joined with other paths"),
        (("-", "--output", "x"), "--output needs files or folders, not standard input"),
        (("pkg", "--stdin-filename", "a.py"), "--stdin-filename needs - as the only path"),
        (("pkg", "--statistics", "--format", "json"), "--statistics goes with --format text"),
        (("pkg", "--group-by", "rule", "--format", "json"), "--group-by goes with --format text or concise"),
        (("pkg", "--diff", "--format", "json"), "--diff prints the diff; give the report its own place"),
        (("pkg", "--output-file", "no/x"), "--output-file: the folder of no/x does not exist"),
        (("pkg", "--output-file", "pkg"), "--output-file: pkg is a folder"),
        (("pkg", "--select", "NPU0"), "--select: no rule has the code NPU0"),
        (("pkg", "--select", ","), "--select names no code"),
        (("pkg", "--ignore", "E1"), "--ignore: no rule has the code E1"),
        (("pkg", "--root", "gone"), "gone: is not a folder; --root needs the folder of the project"),
        (("pkg", "--root", "docs"), "pkg: does not lie below the root folder"),
        (("pkg", "--config", "gone.toml"), "gone.toml: does not exist"),
        (("pkg", "--config", "bad.toml"), "bad.toml: no rule has the code NPU0"),
    ],
)
def test_mistakes_take_one_line(shell: Shell, arguments: tuple[str, ...], message: str) -> None:
    (shell.folder / "docs").mkdir()
    (shell.folder / "bad.toml").write_text('[tool.npu-migrate]\nper-file-ignores = {"a" = ["NPU0"]}\n')
    with pytest.raises(click.ClickException) as error:
        shell(*arguments)
    assert error.value.message.startswith(message)
    assert "\n" not in error.value.message
