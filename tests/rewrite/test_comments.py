"""Parts of comments that go, or are said in other words."""

from __future__ import annotations

import pytest
from rewriting import PATH, refusal, rewritten, safe, together

from npu_migrate.intents import ReplaceComment
from npu_migrate.places import Place


def change(text: str, old: str, new: str = "") -> ReplaceComment:
    """Asks for `new` in the place of the first `old`, which lies on one line."""
    before, _, _ = text.partition(old)
    line = before.count("\n") + 1
    column = len(before.rpartition("\n")[2].encode())
    return ReplaceComment(Place(PATH, (line, column, line, column + len(old.encode()))), new)


@pytest.mark.parametrize(
    ("text", "old", "expected"),
    [
        pytest.param("x = 1  # old\ny\n", "# old", "x = 1\ny\n", id="behind-code"),
        pytest.param("x = 1  # old", "# old", "x = 1", id="behind-code-at-the-end"),
        pytest.param("x = 1  # old  \n", "# old", "x = 1\n", id="blanks-behind-it"),
        pytest.param("x = 1  # a; old\n", "; old", "x = 1  # a\n", id="end-of-a-comment"),
        pytest.param("x = 1  # a old b\n", "old", "x = 1  # a b\n", id="middle-of-a-comment"),
        pytest.param("x = 1  # old # b\n", "# old", "x = 1  # b\n", id="begin-of-a-comment"),
        pytest.param("  # old # b\n", "# old", "  # b\n", id="begin-of-a-comment-line"),
        pytest.param("a\n  # old\nb\n", "# old", "a\nb\n", id="a-line-of-its-own"),
        pytest.param("# old\r\nb\r\n", "# old", "b\r\n", id="the-first-line"),
        pytest.param("a\n# old", "# old", "a\n", id="the-last-line"),
        pytest.param("s = '# old'  # old2\n", "# old2", "s = '# old'\n", id="beside-a-string"),
        pytest.param("é = '😀'  # old\n", "# old", "é = '😀'\n", id="non-ascii"),
    ],
)
def test_a_part_of_a_comment_goes(text: str, old: str, expected: str) -> None:
    assert rewritten(text, change(text, old)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("x = 1  # a old b\n", "x = 1  # a new b\n", id="middle"),
        pytest.param("x = 1  # old\n", "x = 1  # new\n", id="end"),
        pytest.param("# c\n# old old\n", "# c\n# new old\n", id="second-comment"),
    ],
)
def test_a_part_of_a_comment_is_said_in_other_words(text: str, expected: str) -> None:
    assert rewritten(text, change(text, "old", "new")) == expected


@pytest.mark.parametrize(
    ("text", "old"),
    [
        pytest.param("old = 1\n", "old", id="code"),
        pytest.param("s = '# old'\n", "# old", id="string"),
        pytest.param("s = old  # a\n", "old", id="code-before-a-comment"),
        pytest.param("s = old  # a\n", "old  # a", id="code-and-comment"),
    ],
)
def test_what_is_no_comment_stays(text: str, old: str) -> None:
    assert "the comment that should change is not there" in refusal(text, change(text, old))


def test_of_two_changes_of_one_comment_the_second_waits() -> None:
    text = "x = 1  # one two\n"
    first, second = change(text, "one", "1"), change(text, "two", "2")
    assert together(text, safe(first), safe(second)) == "x = 1  # 1 two\n"


def test_changes_of_two_comments_go_together() -> None:
    text = "x = 1  # one\ny = 2  # two\n"
    assert together(text, safe(change(text, "# one")), safe(change(text, "# two"))) == "x = 1\ny = 2\n"
