"""Every case below `fixtures/`, through the command line: what is found, and what the fixes make of it."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from command import folder_with, tool
from fidelity import (
    Finding,
    Tree,
    apply_edits,
    changed_paths,
    edits_of,
    lost_comments,
    read_tree,
    write_tree,
)
from fixture_cases import FIXTURES, Case, all_cases

REPOSITORY = Path(__file__).resolve().parents[1]

every_case = pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
every_level = pytest.mark.parametrize("level", ["safe", "unsafe"])


@dataclass(frozen=True)
class Migration:
    """What the tool makes of a case at one level of fixes, in every form it can say so.

    `remaining` is what the writing run reports, `found_afterwards` what the next run finds. Suppressed
    findings are left out: their fixes are not applied.
    """

    findings: tuple[Finding, ...]
    remaining: tuple[Finding, ...]
    found_afterwards: tuple[Finding, ...]
    written: Tree
    written_again: Tree
    diff: bytes


@every_case
def test_findings(case: Case) -> None:
    assert tuple(map(finding_line, migration(case, "safe").findings)) == case.findings


@every_case
def test_safe_fixes(case: Case) -> None:
    assert_same_tree(migration(case, "safe").written, case.after)


@every_case
def test_unsafe_fixes(case: Case) -> None:
    assert_same_tree(migration(case, "unsafe").written, case.after_unsafe)


@every_case
@every_level
def test_the_result_compiles(case: Case, level: str) -> None:
    written = migration(case, level).written
    for path in changed_paths(case.before, written):
        compile(written[path], path, "exec", dont_inherit=True)


@every_case
@every_level
def test_a_second_run_changes_nothing(case: Case, level: str) -> None:
    result = migration(case, level)
    assert_same_tree(result.written_again, result.written)


@every_case
@every_level
def test_a_writing_run_reports_what_remains(case: Case, level: str) -> None:
    result = migration(case, level)
    assert result.remaining == result.found_afterwards


@every_case
@every_level
def test_no_comment_is_lost(case: Case, level: str) -> None:
    written = migration(case, level).written
    for path in changed_paths(case.before, written):
        assert not lost_comments(case.before[path], written[path])


@every_case
@every_level
def test_the_reported_edits_give_the_written_files(case: Case, level: str) -> None:
    """Whatever lies outside the edits is therefore the same, byte for byte."""
    result = migration(case, level)
    assert_same_tree(
        apply_edits(case.before, edits_of(result.findings, unsafe=level == "unsafe")), result.written
    )


@every_case
@every_level
def test_the_diff_gives_the_written_files(case: Case, level: str, tmp_path: Path) -> None:
    result = migration(case, level)
    write_tree(tmp_path, case.before)
    if result.diff:
        git = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
        subprocess.run(git, input=result.diff, cwd=tmp_path, env=environment, check=True)
    assert_same_tree(read_tree(tmp_path), result.written)


@every_case
def test_expected_trees_hold_the_same_files(case: Case) -> None:
    """Guards the fixtures themselves: a file forgotten in `after/` would otherwise read as a deletion."""
    assert set(case.after) == set(case.after_unsafe) == set(case.before)
    assert not (case.folder / "after").is_dir() or case.after != case.before
    assert not (case.folder / "after-unsafe").is_dir() or case.after_unsafe != case.after


def test_every_folder_of_fixtures_is_a_case() -> None:
    folders = {path for path in FIXTURES.glob("*/*") if path.is_dir()}
    assert folders == {case.folder for case in all_cases()}


def test_the_installed_command_says_the_same(tmp_path: Path) -> None:
    case = next(case for case in all_cases() if case.findings)
    write_tree(tmp_path, case.before)
    words = [sys.executable, "-m", "npu_migrate", ".", "--format", "json"]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, env=environment)
    assert tuple(json.loads(result.stdout)["findings"]) == migration(case, "safe").findings


# How the tool is asked.


@cache
def migration(case: Case, level: str) -> Migration:
    options = ["--unsafe-fixes"] if level == "unsafe" else []
    with folder_with(case.before) as folder:
        findings = reported()
        diff = tool(".", "--diff", *options)
        assert_same_tree(read_tree(folder), case.before)
        remaining = reported("--write", *options)
        written = read_tree(folder)
        found_afterwards = reported()
        tool(".", "--write", *options)
        return Migration(findings, remaining, found_afterwards, written, read_tree(folder), diff)


def reported(*options: str) -> tuple[Finding, ...]:
    report = json.loads(tool(".", "--format", "json", *options))
    return tuple(finding for finding in report["findings"] if not finding["suppressed"])


# How its answers are read.


def finding_line(finding: Finding) -> str:
    start = finding["range"]["start"]
    place = f"{finding['path']}:{start['line']}:{start['column']}"
    fix = finding["fix"]["applicability"] if finding["fix"] else "manual"
    return f"{place} {finding['code']} {finding['severity']} {fix}"


def assert_same_tree(actual: Tree, expected: Tree) -> None:
    """Compares bytes; a failure shows a readable difference."""
    assert actual.keys() == expected.keys()
    for path in changed_paths(expected, actual):
        old, new = lines(expected[path]), lines(actual[path])
        pytest.fail("".join(difflib.unified_diff(old, new, f"expected/{path}", f"actual/{path}", n=2)))


def lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "backslashreplace").splitlines(keepends=True)
