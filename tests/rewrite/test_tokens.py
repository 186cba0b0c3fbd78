"""The light scan finds what CPython's own tokenizer finds."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

import pytest
from rewriting import library_sample

from npu_migrate.rewrite.tokens import Tokens, comment_around, comments


def by_tokenize(text: str) -> tuple[list[str], list[str], list[str]]:
    """Comments, strings and brackets; nested f-strings of Python 3.12 count as one string."""
    found: tuple[list[str], list[str], list[str]] = ([], [], [])
    lines = io.StringIO(text).readlines()
    depth, start = 0, (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name == "FSTRING_START":
            start = start if depth else token.start
            depth += 1
        elif name == "FSTRING_END":
            depth -= 1
            if depth == 0:
                inside = lines[start[0] - 1 : token.end[0]]
                inside[-1] = inside[-1][: token.end[1]]
                found[1].append("".join(inside)[start[1] :])
        elif depth == 0 and name == "COMMENT":
            found[0].append(token.string)
        elif depth == 0 and name == "STRING":
            found[1].append(token.string)
        elif depth == 0 and token.string in ("(", ")", "[", "]", "{", "}"):
            found[2].append(token.string)
    return found


@pytest.mark.parametrize("path", library_sample(60, seed=1), ids=lambda path: path.name)
def test_scan_agrees_with_tokenize(path: Path) -> None:
    try:
        text = path.read_text("utf-8")
        expected = by_tokenize(text)
    except (UnicodeDecodeError, tokenize.TokenError, SyntaxError):
        assert "bad" in path.name
        return
    tokens = Tokens(text)

    def of_kind(*kinds: str) -> list[str]:
        return [text[token.start : token.end] for token in tokens.all if token.kind in kinds]

    assert of_kind("comment") == expected[0]
    assert of_kind("string") == expected[1]
    assert of_kind("opening", "closing") == expected[2]
    assert comments(text).total() == len(expected[0])


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a#b\r\n", "name comment newline"),
        ("'#' \"#\" '''#\n''' #x", "string string string comment"),
        (r"'\'#' r'\' '", "string string"),
        ("'a\\\r\nb' \\\r\n c", "string continuation name"),
        ('rb"x"Rb\'\'u"" f"""{"""', "string string string string"),
        ('x or"#"', "name name string"),
        ("a\rb", "name newline name"),
        ("é日 1.5e3", "name name other name"),
        ('"""a"b""c\\"""d"""', "string"),
    ],
)
def test_kinds(text: str, kinds: str) -> None:
    assert " ".join(token.kind for token in Tokens(text).all) == kinds


def test_brackets_and_line_breaks() -> None:
    text = "f(a,\n '\n') \\\n + b\n"
    tokens = Tokens(text)
    assert tokens.open_brackets(0, text.index("\n")) == 1
    assert not tokens.breaks_line(0, len(text) - 1)
    assert tokens.breaks_line(0, len(text))
    assert tokens.balanced
    assert not Tokens("a)(b").balanced
    assert not Tokens("f(").balanced


def test_neighbours_skip_comments_and_newlines() -> None:
    text = "a  # (\n\\\n)"
    tokens = Tokens(text)
    closing = tokens.after(1)
    assert closing is not None
    assert text[closing.start] == ")"
    assert tokens.before(closing.start) == ("name", 0, 1)
    assert tokens.before(0) is None
    assert tokens.after(len(text)) is None


def test_comments_are_counted() -> None:
    assert comments("a # x\nb # x  \n'# y'\n") == {"# x": 2}


def test_the_comment_around_a_place() -> None:
    text = "# a\nx = '# b'  # c\n#d"
    spans = [comment_around(text, offset) for offset in range(len(text) + 1)]
    assert spans == [None, *[(0, 3)] * 3, *[None] * 12, *[(15, 18)] * 3, None, *[(19, 21)] * 2]
    assert comment_around("f(')',  # a (\n[1], )  # b", 10) is None
    assert comment_around("f(')',  # a (\n[1], )  # b", 23) == (22, 25)
