"""Reviews for GitHub: what GitHub takes, what a click does, what is not said twice."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import case_folder, tool
from fidelity import Tree, apply_edits, assert_same_tree, edits_of
from fixture_cases import Case, all_cases
from forms.review import applied, marks, suggestion
from node_tools import GITHUB_API
from review_repository import Repository, new_repository
from test_changes import ESTIMATOR, MORE, ONE_SHOT

from npu_migrate.reports.diff import unified_diff
from npu_migrate.reports.reviews.github_review import MAX_COMMENTS
from npu_migrate.reports.reviews.review_text import BODY_LIMIT, code, plain

needs_git = pytest.mark.needs("git")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "repository")


def review(repository: Repository, *arguments: str) -> dict[str, Any]:
    ran = repository.tool(".", "--format", "github-review", "--changed-since", "HEAD", *arguments)
    assert ran.code in (0, 1), ran.err
    assert ran.out.isascii()
    return ran.document


def everything_is_new(tree: Tree) -> bytes:
    """A patch that adds all lines of a tree."""
    return b"".join(unified_diff(path, b"", content) for path, content in tree.items())


def reviewed(tree: Tree) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The findings that count, and the review of a change that adds all lines."""
    with case_folder(tree) as folder:
        (folder / "all.patch").write_bytes(everything_is_new(tree))
        change = ("--diff-file", "all.patch")
        found = json.loads(tool(".", "--format", "json", *change))["findings"]
        document = json.loads(tool(".", "--format", "github-review", *change))
    return [one for one in found if not one["suppressed"]], document


@pytest.mark.long
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_accepting_all_suggestions_gives_what_their_fixes_give(case: Case) -> None:
    findings, document = reviewed(case.before)
    carried = {
        fingerprint
        for comment in document["comments"]
        if suggestion(comment) is not None or "It is part of the suggestion for" in comment["body"]
        for fingerprint in marks(comment["body"])
    }
    expected = apply_edits(
        case.before, edits_of((one for one in findings if one["fingerprint"] in carried), unsafe=True)
    )
    assert_same_tree(applied(case.before, document), expected)
    told = [mark for body in bodies(document) for mark in marks(body)]
    assert sorted(told) == sorted(one["fingerprint"] for one in findings)


def bodies(document: dict[str, Any]) -> Iterator[str]:
    yield document["body"]
    for comment in document["comments"]:
        yield comment["body"]


@needs_git
def test_a_suggestion_stands_on_the_lines_that_it_replaces(repository: Repository) -> None:
    repository.commit({"train.py": ONE_SHOT})
    repository.write({"train.py": ONE_SHOT + MORE})
    document = review(repository)
    assert document["event"] == "COMMENT"
    assert document["body"] == (
        "npu-migrate finds in this change: 1 warning.\n\n"
        "1 finding on lines that the change did not touch: not shown."
    )
    (comment,) = document["comments"]
    assert {key: value for key, value in comment.items() if key != "body"} == {
        "path": "train.py",
        "start_line": 14,
        "start_side": "RIGHT",
        "line": 17,
        "side": "RIGHT",
    }
    assert comment["body"].startswith("**warning NPU101**: one-shot iterator")
    expected = repository.tool(".", "--write", "--changed-since", "HEAD")
    assert expected.code == 0
    written = (repository.folder / "train.py").read_bytes()
    assert applied({"train.py": (ONE_SHOT + MORE).encode()}, document)["train.py"] == written


@needs_git
def test_fixes_that_share_lines_are_one_suggestion(repository: Repository) -> None:
    text = ONE_SHOT.replace(
        "value = ", "other = dataset.make_one_shot_iterator()\nvalue = other.get_next() + "
    )
    repository.commit({"other.py": "x = 1\n"})
    repository.write({"train.py": text})
    first, second = review(repository)["comments"]
    assert suggestion(first) is not None and suggestion(second) is None
    assert "It is part of the suggestion for NPU101 at train.py:4." in second["body"]
    assert (second["line"], "start_line" in second) == (5, False)
    repository.tool(".", "--write")
    assert (
        applied({"train.py": text.encode()}, {"comments": [first, second]})["train.py"]
        == (repository.folder / "train.py").read_bytes()
    )


@needs_git
def test_unsafe_fixes_are_offered_where_they_are_asked_for(repository: Repository) -> None:
    repository.commit({"other.py": "x = 1\n"})
    pipeline = "tf.data.Dataset.range(8).make_one_shot_iterator().get_next()"
    repository.write({"train.py": f"import tensorflow as tf\n\nx = {pipeline}\n"})
    (comment,) = review(repository)["comments"]
    assert "Unsafe fix: " in comment["body"]
    assert "It is suggested with --unsafe-fixes only." in comment["body"]
    assert suggestion(comment) is None
    (comment,) = review(repository, "--unsafe-fixes")["comments"]
    assert "Unsafe fix: " in comment["body"]
    assert suggestion(comment) is not None
    assert " Read it before you accept it.\n\n```suggestion\n" in comment["body"]


@needs_git
def test_nothing_is_said_twice(repository: Repository) -> None:
    """Why a rule matters stands in the first comment on it, and two that would be equal are one."""
    made = "dataset.make_one_shot_iterator()"
    text = f"""\
import tensorflow as tf
dataset = tf.data.Dataset.range(8)
a = {made}; b = {made}
c = {made}
x = [one.get_next() for one in (a, b, c)]
"""
    repository.commit({"other.py": "x = 1\n"})
    repository.write({"train.py": text})
    first, second = review(repository)["comments"]
    assert (first["line"], len(marks(first["body"]))) == (3, 2)
    assert (second["line"], len(marks(second["body"]))) == (4, 1)
    assert ["On the NPU, " in one["body"] for one in (first, second)] == [True, False]
    found = repository.tool(".", "--format", "json").document["findings"]
    assert {*marks(first["body"]), *marks(second["body"])} == {one["fingerprint"] for one in found}


@needs_git
def test_a_comment_leads_to_the_page_of_the_rule(repository: Repository) -> None:
    repository.commit({"pyproject.toml": "[tool.npu-migrate]\ndocumentation-url = 'https://d.example'\n"})
    repository.write({"train.py": ONE_SHOT})
    (comment, *_) = review(repository)["comments"]
    assert comment["body"].startswith("**warning [NPU101](https://d.example/rules/NPU101/)**: one-shot")


@needs_git
def test_windows_line_ends(repository: Repository) -> None:
    before = (ONE_SHOT + MORE).replace("\n", "\r\n").encode()
    repository.commit({"other.py": "x = 1\n"})
    repository.write({"train.py": before})
    document = review(repository)
    assert not any("\r" in comment["body"] for comment in document["comments"])
    repository.tool(".", "--write")
    assert (
        applied({"train.py": before}, document)["train.py"] == (repository.folder / "train.py").read_bytes()
    )


@needs_git
def test_a_fix_outside_of_the_hunk_is_named(repository: Repository) -> None:
    filler = "".join(f"# {number}\n" for number in range(12))
    text = f"""\
import tensorflow as tf

dataset = tf.data.Dataset.range(8)
iterator = dataset.make_one_shot_iterator()
value = iterator.get_next()
{filler}
with tf.Session() as sess:
    print(sess.run(value))
"""
    repository.commit({"train.py": text})
    repository.write({"train.py": text.replace("iterator = dataset.make", "iterator  = dataset.make")})
    (comment,) = review(repository)["comments"]
    assert (comment["line"], suggestion(comment)) == (4, None)
    assert "It changes lines that the diff does not show; run npu-migrate --write." in comment["body"]


@needs_git
def test_a_finding_that_the_diff_does_not_show_is_listed(repository: Repository) -> None:
    repository.commit(
        {"train.py": ESTIMATOR.replace("LOOP = 4\n", "from values import LOOP\n"), "values.py": "LOOP = 4\n"}
    )
    (repository.folder / "values.py").unlink()
    repository.write({"values/__init__.py": "from values.loop import LOOP\n", "values/loop.py": "LOOP = 3\n"})
    ran = repository.tool(
        "train.py", "--format", "github-review", "--changed-since", "HEAD", "--select", "NPU202"
    )
    assert ran.document["comments"] == []
    assert "On lines that this diff does not show:\n\n- `train.py:18`: **" in ran.document["body"]
    assert len(marks(ran.document["body"])) == 1


@needs_git
def test_a_file_whose_name_is_no_text_gets_no_comment(repository: Repository) -> None:
    """GitHub would refuse the whole review."""
    repository.commit({"a.py": "x = 1\n"})
    repository.write({os.fsdecode(b"\xff.py"): ONE_SHOT, "b.py": ONE_SHOT})
    document = review(repository)
    assert [one["path"] for one in document["comments"]] == ["b.py"]
    assert r"`\udcff.py:4`" in document["body"]


@pytest.mark.long
@needs_git
def test_what_was_said_before_is_not_repeated(repository: Repository) -> None:
    repository.commit({"other.py": "x = 1\n"})
    repository.write({"train.py": ONE_SHOT})
    first = review(repository)
    empty = {"event": "COMMENT", "body": "", "comments": []}
    forms = (
        json.dumps(first["comments"]),
        json.dumps([[], first["comments"]]),
        f"[]{json.dumps(first['comments'])}\n[]\n",
    )
    for form in forms:
        repository.write({".git/comments.json": form})
        assert review(repository, "--existing", ".git/comments.json") == empty
    ran = repository.tool(
        ".", "--format", "github-review", "--changed-since", "HEAD", "--existing", ".git/comments.json"
    )
    assert ran.code == 1, "the finding is there all the same"
    repository.write({"train.py": ONE_SHOT + MORE})
    again = review(repository, "--existing", ".git/comments.json")
    assert len(again["comments"]) == 1
    assert "1 finding had a comment before." in again["body"]


@pytest.mark.long
@needs_git
def test_too_many_findings_are_counted(repository: Repository) -> None:
    calls = "".join(
        f"i{number} = tf.data.Dataset.range(8).make_one_shot_iterator().get_next()\n" for number in range(900)
    )
    repository.commit({"other.py": "x = 1\n"})
    repository.write({"train.py": f"import tensorflow as tf\n{calls}"})
    document = review(repository)
    assert len(document["comments"]) == MAX_COMMENTS
    assert len(document["body"]) <= BODY_LIMIT
    listed = len(marks(document["body"]))
    assert f"{900 - MAX_COMMENTS - listed} findings more: run npu-migrate to see them." in document["body"]
    assert "npu-migrate finds in this change: 900 warnings." in document["body"]


@needs_git
def test_backticks_in_code_do_not_end_the_suggestion(repository: Repository) -> None:
    repository.commit({"other.py": "x = 1\n"})
    text = ONE_SHOT.replace("one_shot_iterator()\n", "one_shot_iterator()  # ```` and ```\n")
    repository.write({"train.py": text})
    document = review(repository)
    assert "\n`````suggestion\n" in document["comments"][0]["body"]
    repository.tool(".", "--write")
    assert (
        applied({"train.py": text.encode()}, document)["train.py"]
        == (repository.folder / "train.py").read_bytes()
    )


@needs_git
@pytest.mark.needs("node")
def test_github_describes_this_request(repository: Repository) -> None:
    description = json.loads(GITHUB_API.read_text("utf-8"))
    operation = description["paths"]["/repos/{owner}/{repo}/pulls/{pull_number}/reviews"]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    comment = schema["properties"]["comments"]["items"]
    strict = {
        **schema,
        "additionalProperties": False,
        "properties": {
            **schema["properties"],
            "comments": {"type": "array", "items": {**comment, "additionalProperties": False}},
        },
    }
    repository.commit({"train.py": ESTIMATOR, "other.py": ONE_SHOT})
    repository.write({"train.py": ESTIMATOR.replace("LOOP = 4", "LOOP = 3"), "other.py": ONE_SHOT + MORE})
    document = review(repository)
    assert len(document["comments"]) > 1
    jsonschema.validate(document, strict)
    repository.write({"train.py": ESTIMATOR, "other.py": ONE_SHOT})
    document = review(repository)
    assert document == {"event": "COMMENT", "body": "", "comments": []}
    jsonschema.validate(document, strict)


def test_messages_are_plain_text_in_markdown() -> None:
    assert plain("a_b *c* <b>@me</b> [x](y) _d_") == (
        "a_b \\*c\\* &lt;b&gt;@\N{ZERO WIDTH SPACE}me&lt;/b&gt; \\[x\\](y) \\_d\\_"
    )
    assert plain("a\nb\x1b[0m") == "a b\\\\x1b\\[0m"
    assert code("a`b") == "`` a`b ``"
    assert code("a b.py") == "`a b.py`"
