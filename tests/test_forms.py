"""However a fix leaves the tool, the files become the same: byte for byte what ``--write`` makes of them.

Asked of every case below `fixtures/` and of texts that are easy to get wrong, at both levels of fixes. A form
that cannot carry a fix says so; the fixes that it carries then give what their edits give.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from command import case_folder, tool
from fidelity import Finding, Tree, assert_same_tree, decoded, line_starts, read_tree
from fixture_cases import all_cases
from forms import diff, json_edits, rdjson, review, sarif
from nasty_trees import NASTY

pytestmark = pytest.mark.long

CASES = {case.name: case for case in all_cases()}

every_tree = pytest.mark.parametrize("name", [*CASES, *NASTY])
every_level = pytest.mark.parametrize("level", ["safe", "unsafe"])


@dataclass(frozen=True)
class Forms:
    """What the tool says about one tree at one level of fixes; `findings` are those that count."""

    tree: Tree
    findings: tuple[Finding, ...]
    sarif: dict[str, Any]
    rdjson: dict[str, Any]
    review: dict[str, Any]
    diff: bytes
    written: Tree


@cache
def forms(name: str, level: str) -> Forms:
    tree = CASES[name].before if name in CASES else NASTY[name]
    options = ["--unsafe-fixes"] if level == "unsafe" else []
    with case_folder(tree) as folder:
        report, log, suggested = (
            json.loads(tool(".", "--format", form, *options)) for form in ("json", "sarif", "rdjson")
        )
        shown = tool(".", "--diff", *options)
        reviewed = json.loads(review_of(tree, options))
        assert_same_tree(read_tree(folder), tree)
        tool(".", "--write", *options)
        findings = tuple(one for one in report["findings"] if not one["suppressed"])
        return Forms(tree, findings, log, suggested, reviewed, shown, read_tree(folder))


def review_of(tree: Tree, options: Sequence[str]) -> bytes:
    """The review of a change that adds all files of the tree."""
    with NamedTemporaryFile() as patch:
        patch.write(review.patch_that_adds(tree))
        patch.flush()
        return tool(".", "--format", "github-review", "--diff-file", patch.name, *options)


@pytest.mark.parametrize("name", NASTY)
def test_nasty_trees_are_fixed(name: str) -> None:
    assert any(forms(name, "safe").written[path] != content for path, content in NASTY[name].items())


@every_tree
@every_level
def test_the_edits_of_the_json_report(name: str, level: str) -> None:
    """Whatever lies outside the edits is therefore the same, byte for byte."""
    found = forms(name, level)
    assert_same_tree(json_edits.applied(found.tree, found.findings, level == "unsafe"), found.written)


@every_tree
@every_level
@pytest.mark.needs("git")
def test_the_diff(name: str, level: str) -> None:
    found = forms(name, level)
    assert_same_tree(diff.applied(found.tree, found.diff), found.written)


@every_tree
@every_level
def test_the_fixes_of_the_sarif_log(name: str, level: str) -> None:
    found = forms(name, level)
    levels = {"safe", level}
    made = sarif.applied(found.tree, found.sarif, lambda fix: fix["properties"]["applicability"] in levels)
    assert_same_tree(made, found.written)


@every_tree
@every_level
def test_the_suggestions_of_the_rdjson_report(name: str, level: str) -> None:
    found = forms(name, level)
    carried = [one for one, shown in rdjson_pairs(found) if "suggestions" in shown]
    expected = json_edits.applied(found.tree, carried, unsafe=True)
    assert_same_tree(rdjson.applied(found.tree, found.rdjson), expected)


@every_tree
@every_level
def test_the_rdjson_report_says_what_it_does_not_suggest(name: str, level: str) -> None:
    found = forms(name, level)
    for finding, shown in rdjson_pairs(found):
        reason = hindrance(found.tree, finding, level)
        assert len(shown.get("suggestions", ())) == (finding["fix"] is not None and reason is None)
        if reason is not None:
            assert finding["fix"]["title"] in shown["message"]
            assert reason in shown["message"]
        else:
            assert "not suggested" not in shown["message"]


@every_tree
@every_level
def test_the_suggestions_of_the_review(name: str, level: str) -> None:
    found = forms(name, level)
    carried = [one for one, comment in commented(found) if is_carried(comment)]
    expected = json_edits.applied(found.tree, carried, unsafe=True)
    assert_same_tree(review.applied(found.tree, found.review), expected)


@every_tree
@every_level
def test_the_review_says_what_it_does_not_suggest(name: str, level: str) -> None:
    found = forms(name, level)
    for finding, comment in commented(found):
        if finding["fix"] is None:
            assert "suggest" not in comment
            continue
        reason = not_asked_for(finding, level) or several_places(found.tree, finding["fix"])
        assert is_carried(comment) == (reason is None)
        assert (reason or "") in comment


def commented(found: Forms) -> Iterator[tuple[Finding, str]]:
    """The findings, each with the text of its comment."""
    texts = [comment["body"] for comment in found.review["comments"]]
    for finding in found.findings:
        (text,) = (one for one in texts if finding["fingerprint"] in one)
        yield finding, text


def is_carried(comment: str) -> bool:
    """Whether the fix of a finding is in the suggestion of its comment, or in that of another one."""
    return "```suggestion\n" in comment or "It is part of the suggestion for" in comment


def rdjson_pairs(found: Forms) -> Iterator[tuple[Finding, dict[str, Any]]]:
    """The findings, each with what the rdjson report shows for it."""
    shown = found.rdjson["diagnostics"]
    assert [one["code"]["value"] for one in shown] == [one["code"] for one in found.findings]
    return zip(found.findings, shown, strict=True)


def hindrance(tree: Tree, finding: Finding, level: str) -> str | None:
    """Words of the reason why a fix cannot be the one suggestion that stands beside its finding."""
    fix = finding["fix"]
    if fix is None:
        return None
    if any(edit["path"] != finding["path"] for edit in fix["edits"]):
        return not_asked_for(finding, level) or "changes another file"
    return not_asked_for(finding, level) or several_places(tree, fix)


def not_asked_for(finding: Finding, level: str) -> str | None:
    """Words of the reason why an unsafe fix is suggested nowhere at this level."""
    asked = finding["fix"]["applicability"] in ("safe", level)
    return None if asked else "suggested with --unsafe-fixes only"


def several_places(tree: Tree, fix: dict[str, Any]) -> str | None:
    """Words of the reason why a fix cannot be one suggestion anywhere."""
    paths = {edit["path"] for edit in fix["edits"]}
    if len(paths) > 1:
        return "changes several files"
    _, text, encoding = decoded(tree[paths.pop()])
    starts = line_starts(text)
    touched = sorted(
        tuple(text.count("\n", 0, starts[edit["range"][end]["line"] - 1]) for end in ("start", "end"))
        for edit in fix["edits"]
    )
    if any(later[0] - earlier[1] > 21 for earlier, later in pairwise(touched)):
        return "far apart"
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)[touched[0][0] : touched[-1][1] + 1]
    changed = "".join([*lines, *(edit["text"] for edit in fix["edits"])])
    if codecs.lookup(encoding).name != "utf-8" and not changed.isascii():
        return "not stored as UTF-8"
    if {*re.findall(r"\r\n?|\n", changed)} not in ({"\n"}, {"\r\n"}, set()):
        return "mixed or lone-CR line ends"
    return None
