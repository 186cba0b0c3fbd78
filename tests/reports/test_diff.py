"""Diffs, judged by ``git apply``."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npu_migrate.reports.diff import in_colours, unified_diff

CASES = {
    "lf": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "crlf": (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
    "mixed": (b"a\r\nb\nc\rd\n", b"a\r\nb\nC\rd\n"),
    "gbk": ("# coding: gbk\n训练 = 1\n".encode("gbk"), "# coding: gbk\n训练 = 2\n".encode("gbk")),
    "bom": (b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = 2\n"),
    "no final newline": (b"a\nb", b"A\nb"),
    "no final newline, last line": (b"a\nb", b"a\nB"),
    "newline added": (b"a\nb", b"a\nb\n"),
    "newline removed": (b"a\nb\n", b"a\nb"),
    "from empty": (b"", b"a\nb"),
    "to empty": (b"a\n", b""),
    "form feed and line separator": ("a\x0cb\u2028c\nd\n".encode(), "a\x0cb\u2028c\nD\n".encode()),
    "far apart": (b"x\n" + b"-\n" * 40 + b"y\n", b"X\n" + b"-\n" * 40 + b"Y\n"),
    "insertion at the top": (b"a\n", b"new\na\n"),
}


def git_apply(folder: Path, diff: bytes) -> None:
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=folder, input=diff, check=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


@pytest.mark.parametrize("case", CASES)
def test_git_applies_the_diff(repository: Path, case: str) -> None:
    before, after = CASES[case]
    path = repository / "pkg" / "a.py"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    diff = unified_diff("pkg/a.py", before, after)
    assert diff.startswith(b"--- a/pkg/a.py\n+++ b/pkg/a.py\n@@ ")
    git_apply(repository, diff)
    assert path.read_bytes() == after


@given(
    st.lists(st.sampled_from([b"a\n", b"b\r\n", b"\n", b"c\r", b"d"]), max_size=12),
    st.lists(st.sampled_from([b"a\n", b"b\r\n", b"\n", b"c\r", b"d"]), max_size=12),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_git_applies_any_diff(repository: Path, before: list[bytes], after: list[bytes]) -> None:
    path = repository / "any.py"
    old, new = b"".join(before), b"".join(after)
    diff = unified_diff("any.py", old, new)
    assert bool(diff) == (old != new)
    if diff:
        path.write_bytes(old)
        git_apply(repository, diff)
        assert path.read_bytes() == new


@pytest.mark.parametrize(
    "name", ["with blank.py", 'quo"te.py', "back\\slash.py", "tab\tand\nline.py", "漢é.py"]
)
def test_odd_names_are_written_as_git_reads_them(repository: Path, name: str) -> None:
    (repository / name).write_bytes(b"a\n")
    git_apply(repository, unified_diff(name, b"a\n", b"b\n"))
    assert (repository / name).read_bytes() == b"b\n"


def test_a_diff_applies_in_a_folder_of_the_repository(repository: Path) -> None:
    folder = repository / "sub"
    folder.mkdir()
    (folder / "a.py").write_bytes(b"a\n")
    git_apply(folder, unified_diff("a.py", b"a\n", b"b\n"))
    assert (folder / "a.py").read_bytes() == b"b\n"


def test_lines_are_split_at_newlines_only() -> None:
    assert unified_diff("a.py", b"a\x0cb\x1cc\r\nd\n", b"a\x0cb\x1cc\r\ne\n") == (
        b"--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a\x0cb\x1cc\r\n-d\n+e\n"
    )


@pytest.mark.parametrize("name", CASES)
def test_colours_change_nothing_else(name: str) -> None:
    diff = unified_diff("a b.py", *CASES[name])
    coloured = in_colours(diff)
    assert re.sub(rb"\x1b\[\d+m", b"", coloured) == diff
    assert b"\x1b[32m+" in coloured or b"\x1b[31m-" in coloured


def test_lines_that_look_like_names_are_lines() -> None:
    coloured = in_colours(unified_diff("a.sql", b"-- old\n", b"++ new\n"))
    assert coloured.splitlines() == [
        b"\x1b[1m--- a/a.sql\x1b[0m",
        b"\x1b[1m+++ b/a.sql\x1b[0m",
        b"\x1b[36m@@ -1,1 +1,1 @@\x1b[0m",
        b"\x1b[31m--- old\x1b[0m",
        b"\x1b[32m+++ new\x1b[0m",
    ]
