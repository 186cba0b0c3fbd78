"""Comments that the tool writes: where they go, what they leave alone, and that they are enough."""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path

import pytest
from fidelity import comments
from shell import Shell
from unprivileged import unprivileged_folder

from npu_migrate.commands.options import CommandError

REASON = ("--suppression-reason", "measured: no loss, see #12")


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Shell:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    return Shell(folder, monkeypatch, capfdbinary)


def suppressed(shell: Shell, before: str | bytes, *options: str) -> str:
    """A file with comments in it. What holds for every file is checked here."""
    file = shell.folder / "a.py"
    content = before if isinstance(before, bytes) else before.encode()
    file.write_bytes(content)
    shell("a.py", "--add-suppressions", *options)
    after = file.read_bytes()
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(content))
    again = shell("a.py", "--add-suppressions", *options)
    assert file.read_bytes() == after
    assert "Suppressed" not in again.err
    return after.decode("utf-8") if isinstance(before, str) else after.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = OLD\n", "x = OLD  # npu-migrate: ignore[NPU101]\n"),
        ("x = OLD, RISK, OLD\n", "x = OLD, RISK, OLD  # npu-migrate: ignore[NPU101, NPU206]\n"),
        ("x = OLD", "x = OLD  # npu-migrate: ignore[NPU101]"),
        ("x = OLD \t\r\ny = 1\r\n", "x = OLD  # npu-migrate: ignore[NPU101]\r\ny = 1\r\n"),
        ("x = OLD\ry = 1\r", "x = OLD  # npu-migrate: ignore[NPU101]\ry = 1\r"),
        ("\x0cx = OLD\x0c\n", "\x0cx = OLD\x0c  # npu-migrate: ignore[NPU101]\n"),
        ("\ufeffx = '\u2028', OLD\n", "\ufeffx = '\u2028', OLD  # npu-migrate: ignore[NPU101]\n"),
        ("x = OLD  # old\n", "x = OLD  # old  # npu-migrate: ignore[NPU101]\n"),
        ("x = OLD  # noqa: E501 \n", "x = OLD  # noqa: E501  # npu-migrate: ignore[NPU101]\n"),
        ("x = OLD  # type: int\n", "x = OLD  # type: int  # npu-migrate: ignore[NPU101]\n"),
        ("x = OLD  # pragma: no cover\n", "x = OLD  # pragma: no cover  # npu-migrate: ignore[NPU101]\n"),
        (
            "x = OLD, PAIR  # npu-migrate: ignore[NPU102] why\n",
            "x = OLD, PAIR  # npu-migrate: ignore[NPU102, NPU101] why\n",
        ),
        (
            "x = OLD, PAIR  # npu-migrate: ignore[ npu102, ]  # noqa\n",
            "x = OLD, PAIR  # npu-migrate: ignore[npu102, NPU101]  # noqa\n",
        ),
        (
            "x = OLD  # npu-migrate: ingore[NPU101]\n",
            "x = OLD  # npu-migrate: ingore[NPU101]  # npu-migrate: ignore[NPU101]\n",
        ),
        (
            "f(\n    OLD,\n    '''\n    ''', PAIR)\n",
            "f(\n    OLD,  # npu-migrate: ignore[NPU101]\n    '''\n    ''', PAIR)"
            "  # npu-migrate: ignore[NPU102]\n",
        ),
        (
            "x = [\n    1, OLD, '''\n    ''']\n",
            "x = [  # npu-migrate: ignore[NPU101]\n    1, OLD, '''\n    ''']\n",
        ),
        (
            "x = (\n    OLD + \\\n    1)\n",
            "x = (  # npu-migrate: ignore[NPU101]\n    OLD + \\\n    1)\n",
        ),
        (
            "if OLD: x = PAIR; y = RISK\n",
            "if OLD: x = PAIR; y = RISK  # npu-migrate: ignore[NPU101, NPU102, NPU206]\n",
        ),
        (
            "def f(\n    a=OLD,\n):\n    '''OLD'''\n",
            "def f(\n    a=OLD,  # npu-migrate: ignore[NPU101]\n):\n"
            "    '''OLD'''  # npu-migrate: ignore[NPU101]\n",
        ),
    ],
)
def test_where_the_comment_goes(shell: Shell, before: str, after: str) -> None:
    assert suppressed(shell, before) == after
    assert shell("a.py", "--fail-on", "info", "--ignore", "NPU904").code == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = OLD\n", "x = OLD  # npu-migrate: ignore[NPU101] measured: no loss, see #12\n"),
        (
            "x = OLD, PAIR  # npu-migrate: ignore[NPU102]  # noqa\n",
            "x = OLD, PAIR  # npu-migrate: ignore[NPU102, NPU101] measured: no loss, see #12  # noqa\n",
        ),
        (
            "x = OLD, PAIR  # npu-migrate: ignore[NPU102] why\n",
            "x = OLD, PAIR  # npu-migrate: ignore[NPU102, NPU101] why\n",
        ),
    ],
)
def test_a_reason_stands_behind_the_comment(shell: Shell, before: str, after: str) -> None:
    assert suppressed(shell, before, *REASON) == after


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("", "is empty"),
        (" ", "is empty"),
        ("a\nimport os", "must be one line without control characters"),
        ("a\rb", "must be one line"),
        ("a\x0cb", "must be one line"),
        ("a\u2028b", "must be one line"),
        ("a\u202eb", "must be one line"),
        ("a # noqa", "would begin another comment"),
        ("#noqa", "would begin another comment"),
        ("npu-migrate: ignore", "would begin another comment"),
    ],
)
def test_a_reason_stays_in_its_comment(shell: Shell, reason: str, message: str) -> None:
    (shell.folder / "a.py").write_text("OLD\n")
    with pytest.raises(CommandError, match=message):
        shell("a.py", "--add-suppressions", "--suppression-reason", reason)
    assert (shell.folder / "a.py").read_text() == "OLD\n"


def test_what_no_comment_can_hold_is_told_and_the_rest_done(shell: Shell) -> None:
    text = "x = OLD + \\\n    1\ny = f'''{OLD}\n'''\nz = PAIR\n"
    assert suppressed(shell, text) == text.replace("PAIR", "PAIR  # npu-migrate: ignore[NPU102]")
    told = shell("a.py", "--add-suppressions")
    assert told.code == 1
    assert "a.py:1:5: NPU101 is not suppressed: no comment can stand on its line, or" in told.err
    assert "a.py:3:10: NPU101 is not suppressed: no comment can stand on its line, or" in told.err
    (shell.folder / "a.py").write_text("f(1, \\\n    '''OLD\n    ''')\n")
    assert "a.py:2:8: NPU101 is not suppressed" in shell("a.py", "--add-suppressions").err


def test_what_was_not_analysed_or_is_about_comments_is_left(shell: Shell) -> None:
    (shell.folder / "a.py").write_text("x = 1  # npu-migrate: ignore[NPU101]\nOLD\n")
    (shell.folder / "b.py").write_bytes(b"OLD = '\xff'\n")
    ran = shell(".", "--add-suppressions")
    assert "a.py:1:8: NPU904 is not suppressed: the comment that it is about has to go" in ran.err
    assert "b.py:1:1: NPU902 is not suppressed: a comment cannot suppress that" in ran.err
    assert "Suppressed 1 finding in 1 file." in ran.err
    assert (shell.folder / "b.py").read_bytes() == b"OLD = '\xff'\n"


def test_a_file_that_is_not_python_is_left(shell: Shell) -> None:
    """The toy rules find something in any text, the real ones in none that does not parse."""
    (shell.folder / "a.py").write_text("OLD is no Python (\n")
    ran = shell("a.py", "--add-suppressions")
    assert (
        "a.py:1:1: NPU101 is not suppressed: a comment cannot suppress that a file was not analysed"
        in ran.err
    )
    assert (shell.folder / "a.py").read_text() == "OLD is no Python (\n"


def test_an_encoding_that_cannot_say_the_reason(shell: Shell) -> None:
    text = "# coding: latin-1\nx = 'é', OLD\n".encode("latin-1")
    (shell.folder / "a.py").write_bytes(text)
    (shell.folder / "b.py").write_bytes(text.replace(b"latin-1", b"gbk").replace(b"\xe9", "训".encode("gbk")))
    ran = shell(".", "--add-suppressions", "--suppression-reason", "已测")
    assert "a.py: cannot be stored as iso-8859-1" in ran.err
    assert (shell.folder / "a.py").read_bytes() == text
    assert "ignore[NPU101] 已测\n".encode("gbk") in (shell.folder / "b.py").read_bytes()
    with pytest.raises(CommandError, match="nothing could be written"):
        shell("a.py", "--add-suppressions", "--suppression-reason", "已测")


def test_a_report_of_what_remains(shell: Shell) -> None:
    (shell.folder / "a.py").write_text("OLD\nRISK\n")
    ran = shell("a.py", "--add-suppressions", "--select", "NPU101", "--format", "json")
    assert ran.code == 0
    assert b'"suppressed": 1' in ran.out
    assert b'"changed": 1' in ran.out
    assert ran.err.startswith("Suppressed 1 finding in 1 file.\nNothing remains.\n")
    assert (shell.folder / "a.py").read_text() == "OLD  # npu-migrate: ignore[NPU101]\nRISK\n"


def test_a_diff_shows_it_and_writes_nothing(shell: Shell) -> None:
    (shell.folder / "a.py").write_text("OLD\r\nx = 1\r\n", newline="")
    ran = shell("a.py", "--add-suppressions", "--diff", *REASON)
    assert (shell.folder / "a.py").read_bytes() == b"OLD\r\nx = 1\r\n"
    assert ran.code == 1
    assert "1 file would change." in ran.err
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(shell.folder.parent)}
    apply = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(apply, input=ran.out, cwd=shell.folder, env=environment, check=True)
    shown = (shell.folder / "a.py").read_bytes()
    (shell.folder / "a.py").write_bytes(b"OLD\r\nx = 1\r\n")
    shell("a.py", "--add-suppressions", *REASON)
    assert (shell.folder / "a.py").read_bytes() == shown


def test_files_are_written_as_by_write(shell: Shell) -> None:
    with unprivileged_folder() as folder:
        shell.folder = folder
        (folder / "a.py").write_text("OLD\n")
        (folder / "a.py").chmod(0o400)
        with pytest.raises(CommandError, match="nothing could be written"):
            shell("a.py", "--add-suppressions")
        (folder / "a.py").chmod(0o750)
        (folder / "b.py").symlink_to("a.py")
        shell(".", "--add-suppressions")
        assert (folder / "b.py").is_symlink()
        assert (folder / "a.py").stat().st_mode & 0o777 == 0o750
        assert comments((folder / "a.py").read_bytes()) == {"# npu-migrate: ignore[NPU101]": 1}


def test_notebooks(shell: Shell) -> None:
    before = """{"cells": [
 {"cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": [], "source": ["x = 1\\n", "OLD"]},
 {"cell_type": "code", "metadata": {}, "execution_count": 2, "outputs": [], "source": "y = f'''{OLD}\\n'''"}
], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
"""
    (shell.folder / "a.ipynb").write_text(before)
    ran = shell("a.ipynb", "--add-suppressions", "--suppression-reason", 'it is "right"')
    assert "a.ipynb:cell 2:1:10: NPU101 is not suppressed: no comment can stand" in ran.err
    after = before.replace('"OLD"', '"OLD  # npu-migrate: ignore[NPU101] it is \\"right\\""')
    assert (shell.folder / "a.ipynb").read_text() == after


def test_accepted_findings_get_no_comment(shell: Shell) -> None:
    (shell.folder / "a.py").write_text("OLD\n")
    shell("a.py", "--write-baseline", "base.json")
    (shell.folder / "a.py").write_text("OLD\nPAIR\n")
    shell("a.py", "--baseline", "base.json", "--add-suppressions")
    assert (shell.folder / "a.py").read_text() == "OLD\nPAIR  # npu-migrate: ignore[NPU102]\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--add-suppressions", "--write"), "--add-suppressions and --write exclude each other"),
        (("--add-suppressions", "--output", "o"), "--add-suppressions and --output exclude each other"),
        (("--write-baseline", "b", "--add-suppressions"), "--write-baseline and --add-suppressions exclude"),
        (("--suppression-reason", "x"), "--suppression-reason goes with --add-suppressions"),
        (("--add-suppressions", "--diff", "--format", "json"), "--diff prints the diff"),
    ],
)
def test_options_that_do_not_go_together(shell: Shell, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        shell(".", *arguments)
    with pytest.raises(CommandError, match="needs files or folders, not standard input"):
        shell("-", "--add-suppressions")
