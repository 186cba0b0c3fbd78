"""Findings that are accepted in a file: which they are, when they come back, how the file is kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from shell import Shell
from unprivileged import unprivileged_folder

from npu_migrate.commands.options import CommandError
from npu_migrate.reports.json import report_schema

FILE = "base.json"


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Shell:
    """A project with an error, a warning and an info, of which one is on two equal lines."""
    folder = tmp_path / "work"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("")
    (folder / "pkg/a.py").write_text("x = OLD\ny = PAIR\n\nx = OLD\n")
    (folder / "pkg/b.py").write_text("z = RISK  # 训练\n", encoding="utf-8")
    return Shell(folder, monkeypatch, capfdbinary)


def report(shell: Shell, *arguments: str) -> dict[str, Any]:
    ran = shell("pkg", "--format", "json", *arguments)
    document: dict[str, Any] = json.loads(ran.out)
    jsonschema.validate(document, report_schema())
    return document


def counting(shell: Shell, *arguments: str) -> list[tuple[str, int]]:
    """Code and line of each finding that counts with the baseline."""
    found = report(shell, "--baseline", FILE, *arguments)["findings"]
    return [
        (one["code"], one["range"]["start"]["line"])
        for one in found
        if not one["suppressed"] and not one.get("baselined", False)
    ]


def entries(folder: Path) -> list[tuple[str, str, str]]:
    document = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return [(one["path"], one["code"], one["line"]) for one in document["findings"]]


ALL = [
    ("pkg/a.py", "NPU101", "x = OLD"),
    ("pkg/a.py", "NPU101", "x = OLD"),
    ("pkg/a.py", "NPU102", "y = PAIR"),
    ("pkg/b.py", "NPU206", "z = RISK # 训练"),
]


def test_what_is_accepted_does_not_count(shell: Shell) -> None:
    assert shell("pkg").code == 1
    written = shell("pkg", "--write-baseline", FILE)
    assert (written.code, written.out) == (0, b"")
    assert "4 findings accepted by base.json." in written.err
    assert entries(shell.folder) == ALL
    ran = shell("pkg", "--baseline", FILE)
    assert (ran.code, ran.out) == (0, b"")
    assert ran.err == (
        "No new findings in 2 analysed files.\n2 files: 2 analysed.\n4 findings accepted by base.json.\n"
    )


def test_json_tells_what_is_accepted_and_nothing_new_without_a_baseline(shell: Shell) -> None:
    plain = report(shell)
    assert "baselined" not in json.dumps(plain)
    shell("pkg/a.py", "--write-baseline", FILE)
    accepted = report(shell, "--baseline", FILE)
    assert accepted["summary"] == {
        "error": 0,
        "warning": 0,
        "info": 1,
        "suppressed": 0,
        "baselined": 3,
        "fixable_safe": 0,
        "fixable_unsafe": 1,
    }
    assert [one.get("baselined") for one in accepted["findings"]] == [True, True, True, None]
    assert [one["fix"] is None for one in accepted["findings"]] == [True, True, True, False]


def test_the_file_is_the_same_from_every_folder_and_after_every_run(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    first = (shell.folder / FILE).read_bytes()
    shell("pkg", "--write-baseline", FILE)
    assert (shell.folder / FILE).read_bytes() == first
    shell.folder /= "pkg"
    shell(".", "--write-baseline", f"../{FILE}")
    assert (shell.folder.parent / FILE).read_bytes() == first
    assert shell(".", "--baseline", f"../{FILE}").code == 0
    assert "训练".encode() in first


def test_moved_and_reindented_lines_stay_accepted(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    (shell.folder / "pkg/a.py").write_text("# new\n\nif x:\n    y =  PAIR\nx = OLD\nx = OLD\n")
    assert counting(shell) == []


def test_of_equal_lines_as_many_as_before_are_accepted(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    (shell.folder / "pkg/a.py").write_text("x = OLD\nx = OLD\nx = OLD\ny = PAIR\n")
    assert counting(shell) == [("NPU101", 3)]
    (shell.folder / "pkg/a.py").write_text("y = PAIR\nx = OLD\n")
    assert counting(shell) == []
    assert "1 of 4 baselined findings is gone; --prune-baseline removes it from base.json." in (
        shell("pkg", "--baseline", FILE).err
    )


def test_a_changed_line_and_a_renamed_file_are_looked_at_anew(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    (shell.folder / "pkg/a.py").write_text("x = OLD\ny = PAIR + 1\nx = OLD\n")
    (shell.folder / "pkg/b.py").rename(shell.folder / "pkg/c.py")
    assert counting(shell) == [("NPU102", 2), ("NPU206", 1)]


def test_a_suppression_comment_for_another_finding_does_not_matter(shell: Shell) -> None:
    (shell.folder / "pkg/a.py").write_text("x = OLD, PAIR\n")
    shell("pkg", "--write-baseline", FILE, "--select", "NPU101")
    (shell.folder / "pkg/a.py").write_text("x = OLD, PAIR  # npu-migrate: ignore[NPU102] known\n")
    assert counting(shell, "--select", "NPU1") == []


def test_accepted_findings_are_not_fixed(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    with (shell.folder / "pkg/a.py").open("a") as file:
        file.write("new = OLD\n")
    assert "1 file would change" in shell("pkg", "--baseline", FILE, "--diff").err
    ran = shell("pkg", "--baseline", FILE, "--write")
    assert (shell.folder / "pkg/a.py").read_text() == "x = OLD\ny = PAIR\n\nx = OLD\nnew = NEW\n"
    assert (ran.code, ran.out) == (0, b"")
    assert "Fixed 1 finding in 1 file.\nNothing remains." in ran.err
    again = shell("pkg", "--baseline", FILE, "--write")
    assert "Fixed" not in again.err


def test_a_fix_that_goes_with_one_that_counts_is_made(shell: Shell) -> None:
    """The toy rule turns all PAIRs at once."""
    shell("pkg", "--write-baseline", FILE)
    (shell.folder / "pkg/b.py").write_text("z = PAIR\n")
    shell("pkg", "--baseline", FILE, "--write")
    assert "y = DONE" in (shell.folder / "pkg/a.py").read_text()


def test_what_is_said_about_the_fix_of_an_accepted_finding_is_left_out(shell: Shell) -> None:
    (shell.folder / "pkg/a.py").write_text("HARD\n")
    shell("pkg", "--write-baseline", FILE)
    assert [code for _, code, _ in entries(shell.folder)] == ["NPU103", "NPU206"]
    assert [one["code"] for one in report(shell)["findings"]] == ["NPU103", "NPU905", "NPU206"]
    assert [one["code"] for one in report(shell, "--baseline", FILE)["findings"]] == ["NPU103", "NPU206"]


def test_files_that_could_not_be_analysed_are_accepted_as_they_are(shell: Shell) -> None:
    """Old projects hold files that are no Python 3; they shall not fail every run from the first day on."""
    (shell.folder / "pkg/a.py").write_bytes(b"x = OLD, '\xff'\n")
    (shell.folder / "pkg/c.py").write_bytes(b"'\xff'\n")
    ran = shell("pkg", "--write-baseline", FILE)
    assert (ran.code, ran.out) == (0, b"")
    assert "2 files that could not be analysed are accepted, whatever is in there" in ran.err
    assert "2 could not be analysed" in ran.err
    assert [code for _, code, _ in entries(shell.folder)] == ["NPU902", "NPU206", "NPU902"]
    assert counting(shell) == []
    (shell.folder / "pkg/d.py").write_bytes(b"'\xff'\n")
    assert counting(shell) == [("NPU902", 1)]


def test_an_accepted_file_that_can_be_analysed_again_is_looked_at(shell: Shell) -> None:
    (shell.folder / "pkg/c.py").write_bytes(b"x = OLD, '\xff'\n")
    shell("pkg", "--write-baseline", FILE)
    (shell.folder / "pkg/c.py").write_text("x = OLD\n")
    assert counting(shell) == [("NPU101", 1)]
    assert "removed 1 of 5 findings" in shell("pkg", "--baseline", FILE, "--prune-baseline").err


def test_the_setting_is_relative_to_the_root_and_options_replace_it(shell: Shell) -> None:
    (shell.folder / "pyproject.toml").write_text('[tool.npu-migrate]\nbaseline = "base.json"\n')
    with pytest.raises(CommandError, match=r"^base.json: does not exist; create it with --write-baseline"):
        shell("pkg")
    assert shell("pkg", "--write-baseline", FILE).code == 0
    (shell.folder / "empty.json").write_text('{"version": 1, "findings": []}')
    shell.folder /= "pkg"
    assert shell("a.py").code == 0
    assert 'setting baseline = "base.json"' in shell("a.py", "--verbose").err
    assert shell("a.py", "--no-baseline").code == 1
    assert shell("a.py", "--baseline", "../empty.json").code == 1


# -- entries that are gone -----------------------------------------------------------------------------


def pruned(shell: Shell, *arguments: str) -> list[tuple[str, str, str]]:
    shell(*arguments, "--baseline", FILE, "--prune-baseline")
    return entries(shell.folder)


def test_pruning_takes_what_is_gone(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    (shell.folder / "pkg/a.py").write_text("x = OLD\n")
    ran = shell("pkg", "--baseline", FILE, "--prune-baseline")
    assert "base.json: removed 2 of 4 findings" in ran.err
    assert "gone" not in ran.err
    assert entries(shell.folder) == [ALL[0], ALL[3]]
    assert "removed 0 of 2" in shell("pkg", "--baseline", FILE, "--prune-baseline").err
    (shell.folder / "pkg/b.py").unlink()
    assert pruned(shell, "pkg") == [ALL[0]]


def test_pruning_keeps_what_was_not_looked_for(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    for name in ("a", "b"):
        (shell.folder / f"pkg/{name}.py").write_text("")
    assert pruned(shell, "pkg/b.py", "--select", "NPU1") == ALL
    assert pruned(shell, "pkg/b.py") == ALL[:3]
    assert pruned(shell, "pkg", "--ignore", "NPU101") == ALL[:2]
    (shell.folder / "pyproject.toml").write_text('[tool.npu-migrate]\nexclude = ["a.py"]\n')
    assert pruned(shell, "pkg") == ALL[:2]


def test_pruning_keeps_what_could_not_be_seen(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    (shell.folder / "pkg/a.py").write_bytes(b"'\xff'\n")
    assert pruned(shell, "pkg") == ALL


def test_an_idle_comment_is_gone_only_if_all_rules_were_asked(shell: Shell) -> None:
    (shell.folder / "pkg/b.py").write_text("x = 1  # npu-migrate: ignore[NPU206]\n")
    shell("pkg/b.py", "--write-baseline", FILE)
    assert entries(shell.folder) == [("pkg/b.py", "NPU904", "x = 1 # npu-migrate: ignore[NPU206]")]
    assert len(pruned(shell, "pkg", "--select", "NPU101")) == 1
    (shell.folder / "pkg/b.py").write_text("x = 1\n")
    assert pruned(shell, "pkg") == []


def test_a_finding_with_a_comment_needs_no_entry(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    (shell.folder / "pkg/b.py").write_text("z = RISK  # npu-migrate: ignore[NPU206]  # 训练\n", "utf-8")
    assert counting(shell) == []
    assert pruned(shell, "pkg") == ALL[:3]


def test_pruning_with_another_root_is_refused(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    before = (shell.folder / FILE).read_bytes()
    with pytest.raises(CommandError, match=r"none of its files is below .*pkg; was it written with another"):
        shell("pkg", "--root", "pkg", "--baseline", FILE, "--prune-baseline")
    assert (shell.folder / FILE).read_bytes() == before


def test_a_baseline_of_another_root_is_told(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    said = shell("pkg", "--root", "pkg", "--baseline", FILE).err
    assert f"None of the files that {FILE} names is there; was it written with another --root?\n" in said
    assert "--prune-baseline" not in said


def test_a_setting_names_a_file_that_does_not_exist(shell: Shell) -> None:
    (shell.folder / "pyproject.toml").write_text('[tool.npu-migrate]\nbaseline = "sub/base.json"\n')
    expected = r"^sub/base\.json: does not exist; create it with --write-baseline$"
    with pytest.raises(CommandError, match=expected):
        shell("pkg")


# -- the file ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not valid JSON: .*; write it again with --write-baseline"),
        ("[tool.npu-migrate]", "is not valid JSON: .*; name the file that --write-baseline has written$"),
        ("[1]", "is not a baseline: it has no version; name the file that --write-baseline has written$"),
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        (b"\xff", "is not UTF-8"),
        ("[]", "has no version"),
        ('{"version": true, "findings": []}', "has no version"),
        ('{"version": 2}', "written by a newer npu-migrate"),
        ('{"version": 0}', "unknown version 0"),
        ('{"version": 1, "findings": {}}', "'findings' is not a list"),
        ('{"version": 1, "findings": [1]}', "finding 1 is not an object"),
        ('{"version": 1, "findings": [{"path": "a.py", "code": 1}]}', "finding 1 has no text for 'code'"),
        ('{"version": 1,\n<<<<<<< HEAD\n"findings": []}', "merge conflict in line 2"),
    ],
)
def test_a_damaged_file_is_told_in_one_line(shell: Shell, content: str | bytes, message: str) -> None:
    (shell.folder / FILE).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CommandError, match=message) as told:
        shell("pkg", "--baseline", FILE)
    assert told.value.message.startswith("base.json: ")
    assert "\n" not in told.value.message
    with pytest.raises(CommandError, match=message):
        shell("pkg", "--baseline", FILE, "--prune-baseline")


def test_a_baseline_that_a_merge_has_damaged_can_be_written_anew(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    text = (shell.folder / FILE).read_text(encoding="utf-8")
    (shell.folder / FILE).write_text(text.replace("  ]", "<<<<<<< HEAD\n  ]"), encoding="utf-8")
    shell("pkg", "--write-baseline", FILE)
    assert (shell.folder / FILE).read_text(encoding="utf-8") == text


def test_a_byte_order_mark_and_equal_entries_do_no_harm(shell: Shell) -> None:
    shell("pkg", "--write-baseline", FILE)
    document = json.loads((shell.folder / FILE).read_text(encoding="utf-8"))
    document["findings"] *= 2
    (shell.folder / FILE).write_text(json.dumps(document), encoding="utf-8-sig")
    assert counting(shell) == []
    (shell.folder / "pkg/b.py").write_text("")
    assert pruned(shell, "pkg") == ALL[:3]


@pytest.mark.parametrize("other", ["pkg/a.py", "report.json", "pyproject.toml"])
def test_no_other_file_is_overwritten(shell: Shell, other: str) -> None:
    (shell.folder / "report.json").write_text('{"mine": 1}')
    (shell.folder / "pyproject.toml").write_text("[tool.npu-migrate]\n")
    before = (shell.folder / other).read_bytes()
    with pytest.raises(CommandError, match="is there and is not a baseline; name another file"):
        shell("pkg", "--write-baseline", other)
    assert (shell.folder / other).read_bytes() == before


def test_places_where_there_can_be_no_file(shell: Shell) -> None:
    with pytest.raises(CommandError, match=r"the folder of no/base\.json does not exist"):
        shell("pkg", "--write-baseline", "no/base.json")
    with pytest.raises(CommandError, match="--write-baseline: pkg is a folder"):
        shell("pkg", "--write-baseline", "pkg")
    with pytest.raises(CommandError, match="pkg: is a folder"):
        shell("pkg", "--baseline", "pkg")


def test_a_file_that_may_not_be_read_or_written(shell: Shell) -> None:
    with unprivileged_folder() as folder:
        (folder / "a.py").write_text("OLD\n")
        shell.folder = folder
        shell("a.py", "--write-baseline", FILE)
        (folder / FILE).chmod(0)
        for option in ("--baseline", "--write-baseline"):
            with pytest.raises(CommandError, match=r"base\.json: .*Permission denied"):
                shell("a.py", option, FILE)
        (folder / FILE).chmod(0o600)
        (folder / "a.py").write_text("")
        before = (folder / FILE).read_bytes()
        folder.chmod(0o500)
        with pytest.raises(CommandError, match=r"--prune-baseline: .*base\.json: Permission denied"):
            shell("a.py", "--baseline", FILE, "--prune-baseline")
        folder.chmod(0o700)
        assert (folder / FILE).read_bytes() == before


def test_a_name_that_is_no_text(shell: Shell) -> None:
    if sys.platform == "darwin":
        name = "é.py"
    else:
        name = b"\xff.py".decode("utf-8", "surrogateescape")
    (shell.folder / "pkg" / name).write_text("OLD\n")
    shell("pkg", "--write-baseline", FILE)
    assert shell("pkg", "--baseline", FILE).code == 0
    assert (f"pkg/{name}", "NPU101", "OLD") in entries(shell.folder)


@pytest.mark.long
def test_ten_thousand_findings(shell: Shell) -> None:
    (shell.folder / "pkg/a.py").write_text("x = OLD\n" * 10_000)
    shell("pkg", "--write-baseline", FILE)
    (shell.folder / "pkg/a.py").write_text("x = OLD\n" * 10_001)
    assert counting(shell) == [("NPU101", 10_001)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--write-baseline", "b", "--baseline", "c"), "--write-baseline and --baseline exclude each other"),
        (("--write-baseline", "b", "--prune-baseline"), "--write-baseline and --prune-baseline exclude"),
        (("--write-baseline", "b", "--write"), "--write-baseline and --write exclude each other"),
        (("--prune-baseline", "--diff"), "--prune-baseline and --diff exclude each other"),
        (("--prune-baseline", "--output", "o"), "--prune-baseline and --output exclude each other"),
        (("--prune-baseline", "--no-baseline"), "--prune-baseline and --no-baseline exclude each other"),
        (("--baseline", "b", "--no-baseline"), "--baseline and --no-baseline exclude each other"),
        (("--prune-baseline",), "--prune-baseline needs --baseline FILE, or the setting baseline"),
        (
            ("--write-baseline", "b", "--changed-since", "HEAD"),
            "--changed-since and --write-baseline exclude",
        ),
    ],
)
def test_options_that_do_not_go_together(shell: Shell, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        shell("pkg", *arguments)
    with pytest.raises(CommandError, match="needs files or folders, not standard input"):
        shell("-", "--write-baseline", "b")
