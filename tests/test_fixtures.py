"""Every case below `fixtures/`, through the command line: what is found, and what the fixes make of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import case_folder, tool
from fidelity import (
    Finding,
    Tree,
    assert_same_tree,
    changed_paths,
    comment_on,
    compile_python,
    lost_comments,
    read_tree,
    write_tree,
)
from fixture_cases import FIXTURES, Case, all_cases

REPOSITORY = Path(__file__).resolve().parents[1]

ADDED = re.compile(r"(^|/)first_use_iterator\w*\.py$")

every_case = pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
every_level = pytest.mark.parametrize("level", ["safe", "unsafe"])


@dataclass(frozen=True)
class Migration:
    """What the tool makes of a case at one level of fixes; `test_forms.py` asks for the other forms.

    `remaining` is what the writing run reports, `found_afterwards` what the next run finds. Suppressed
    findings are left out: their fixes are not applied.
    """

    findings: tuple[Finding, ...]
    remaining: tuple[Finding, ...]
    found_afterwards: tuple[Finding, ...]
    written: Tree
    written_again: Tree


@every_case
def test_findings(case: Case) -> None:
    assert report_lines(migration(case, "safe").findings) == case.report


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
        compile_python(written[path], path)


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
    """But for a comment that suppresses nothing: to remove it is the fix of NPU904."""
    result = migration(case, level)
    for path in changed_paths(case.before, result.written):
        lost = lost_comments(case.before.get(path, b""), result.written[path])
        assert not lost - Counter(idle_comments(case, path, result.findings, level))


@every_case
def test_expected_trees_hold_the_same_files(case: Case) -> None:
    """Guards the fixtures themselves: a file forgotten in `after/` would otherwise read as a deletion.

    Fixes may add one file: the module for iterators on first use.
    """
    added = set(case.after_unsafe) - set(case.before)
    assert set(case.before) <= set(case.after) <= set(case.after_unsafe)
    assert all(ADDED.search(path) for path in added)
    assert not (case.folder / "after").is_dir() or case.after != case.before
    assert not (case.folder / "after-unsafe").is_dir() or case.after_unsafe != case.after


def test_every_folder_of_fixtures_is_a_case() -> None:
    folders = {path for path in FIXTURES.glob("*/*") if path.is_dir()}
    assert folders == {case.folder for case in all_cases()}


MOVING_OR_INITIALIZING = ("NPU101", "NPU701", "NPU702", "NPU703")
"""The rules whose fixes are safe as a rule, so that the message of an unsafe one has to say why."""


@pytest.mark.parametrize("code", MOVING_OR_INITIALIZING)
def test_an_unsafe_fix_says_what_it_assumes(code: str) -> None:
    """The reason comes behind what is wrong, whichever it is."""
    found = re.compile(rf"^\S+ {code} \w+ unsafe\n +(.+)$", re.MULTILINE)
    messages = [
        message
        for file in sorted(FIXTURES.glob("*/*/findings.txt"))
        for message in found.findall(file.read_text(encoding="utf-8"))
    ]
    assert messages
    assert [one for one in messages if "; " not in one] == []


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
    with case_folder(case.before) as folder:
        findings = reported()
        remaining = reported("--write", *options)
        written = read_tree(folder)
        found_afterwards = reported()
        tool(".", "--write", *options)
        return Migration(findings, remaining, found_afterwards, written, read_tree(folder))


def reported(*options: str) -> tuple[Finding, ...]:
    report = json.loads(tool(".", "--format", "json", *options))
    return tuple(finding for finding in report["findings"] if not finding["suppressed"])


# How its answers are read.


def idle_comments(case: Case, path: str, findings: Iterable[Finding], level: str) -> list[str]:
    """The comments of a file that NPU904 names, as far as fixes of this level change them."""
    levels = ("safe", "unsafe") if level == "unsafe" else ("safe",)
    return [
        comment_on(case.before[path], one["cell"], one["range"]["start"]["line"])
        for one in findings
        if (one["path"], one["code"]) == (path, "NPU904")
        if one["fix"] and one["fix"]["applicability"] in levels
    ]


def report_lines(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The findings as `findings.txt` has them."""
    return tuple(line for finding in findings for line in finding_lines(finding))


def finding_lines(finding: Finding) -> Iterator[str]:
    fix = finding["fix"]
    level = fix["applicability"] if fix else "manual"
    yield f"{place_of(finding)} {finding['code']} {finding['severity']} {level}"
    yield f"    {finding['message']}"
    if fix:
        yield f"    fix: {fix['title']}"
    for related in finding["related"]:
        yield f"    {place_of(related)}: {related['message']}"
    if finding["programs"] != [finding["path"]]:
        yield f"    programs: {', '.join(finding['programs'])}"


def place_of(found: Mapping[str, Any]) -> str:
    """Where a finding or a related place begins."""
    start = found["range"]["start"]
    cell = f"cell {found['cell']}:" if found.get("cell") else ""
    return f"{found['path']}:{cell}{start['line']}:{start['column']}"
