"""What is said of an edited text without reading all of it must hold for all of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from rewriting import library_sample

from npu_migrate.rewrite import verification
from npu_migrate.rewrite.document import Document
from npu_migrate.rewrite.edits import OffsetEdit, apply_edits
from npu_migrate.rewrite.sections import changed_stretches
from npu_migrate.rewrite.tokens import Tokens, comments

HOSTILE = (
    *("else:\n    pass\n", "elif a:\n    b\n", "except E:\n    pass\n", "finally:\n    pass\n", "if a:\n"),
    *("\\\n", "x = 1 \\\n", "\\", "# end \\\n", "#", "\n", "\r", "\f", "    ", "\t", "  b = 1\n", ";", "x"),
    *('"""', "'''", "'", '"', "f'{a", "(", ")", "[", "]", "{", "}", ":", "@a\n", "@a", "=", ",", "\0"),
    *("return 1\n", "global a\n", "nonlocal a\n", "from __future__ import division\n", "await a\n"),
    *("def f(a, a): pass\n", "import a\n", "a = 1\n", "a = 1\nglobal a\n", "class C:\n  def f(self): pass\n"),
)

TEXTS = (
    "import a\n\n# one\nx = (1,\n     2)  # two\n\n\ndef f(a):  # three\n    return a # four\n# five\nf(x)\n",
    "a = 1; b = 2  # one\nc = 3; \\\nd = 4\n\\\ne = 5\nif a: b\nelse: c\n# two\n",
    "@a\n# one\n@b(\n    1)\n@  \\\nc\ndef f(): pass\nclass C: 1\n(a +\n b)\n@ \\\n  b\nclass D: 1\n# two",
    "'doc'\r\nimport a # one\r\n\r\nif a:\r\n    b = '''\r\nx = 1 # no\r\n'''\r\nc\r\n",
    "a = 1\rb = '''\rc'''\r# one\rfor x in a:\r  b\relse:\r  c\r",
    "\f\nx = 1\n\fy = 2\n \f \nz = 3 # é\nprint('é', f'{x!r} # no')\n",
    "try:\n    a\nexcept E:\n    b  # one\n\nfor a in b:\n    c\nwhile a: b\nwith a as b: c\nreturn 1\n",
    "a = 1\n\ndef f():\n    global a\n    a = 2\n\na = 3\n",
    "'doc'\nfrom __future__ import annotations\n\nx: int = 1  # one\n",
    "# one\n",
    "",
)


def random_edits(text: str, chance: random.Random) -> list[OffsetEdit]:
    """Some edits that neither overlap nor start at one place."""
    offsets = sorted(chance.sample(range(len(text) + 1), min(len(text) + 1, chance.choice((2, 2, 4, 6)))))
    edits = []
    for start, end in zip(offsets[::2], offsets[1::2], strict=False):
        new = "".join(chance.choices((*HOSTILE, "", ""), k=chance.choice((1, 1, 2))))
        edits.append(OffsetEdit("a.py", start, chance.choice((start, min(start + 3, end), end)), new))
    return edits


def trials() -> Iterator[tuple[Document, list[OffsetEdit]]]:
    chance = random.Random(3)
    for text in TEXTS:
        document = Document(text)
        for _ in range(4000):
            yield document, random_edits(text, chance)


@pytest.mark.long
def test_what_holds_piece_by_piece_holds_for_the_whole() -> None:
    sound = 0
    for document, edits in trials():
        if verification._is_sound_piece_by_piece(document, edits, []):
            after = apply_edits(document.text, edits)
            assert verification._defect(document.text, after, document.text) is None, (document.text, after)
            sound += 1
    assert sound > 2000


def test_a_comment_that_goes_is_noticed_unless_it_was_asked_for() -> None:
    text = "a = 1  # one\n\n\nb = 2  # two\n"
    document = Document(text)
    start = text.index("# two")
    gone = OffsetEdit("a.py", start, start + 5, "")
    other = OffsetEdit("a.py", 0, 1, "c")
    assert verification.defect(document, [other, gone], []) == "a comment would be lost"
    assert verification.defect(document, [other, gone], [gone]) is None
    assert verification.defect(document, [other], []) is None


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("def f():\n    return 1\n\n\na = 1\n", (0, 0, "a = 2\nglobal a\n")),
        ("a = 1\n\n\nb = 2\n", (0, 0, "from __future__ import nothing\n")),
        ("a = 1\n\n\nfrom __future__ import division\n", (0, 5, "'doc'")),
        ("global a\n\n\nb = 2\n", (10, 10, "a = 1\n")),
    ],
)
def test_statements_that_decide_about_others_are_seen_with_them(
    text: str, edit: tuple[int, int, str]
) -> None:
    edits = [OffsetEdit("a.py", *edit)]
    after = apply_edits(text, edits)
    expected = verification._defect(text, after, text)
    assert verification.defect(Document(text), edits, []) == expected


def real_texts() -> Iterator[str]:
    for path in library_sample(60, seed=7):
        yield path.read_text(encoding="utf-8")


@pytest.mark.long
def test_sections_are_the_text_and_stand_by_themselves() -> None:
    sections = 0
    for text in (*TEXTS, *(one for one in real_texts() if _parses(one))):
        document = Document(text)
        assert "".join(text[one.start : one.end] for one in document.sections) == text
        assert [one for section in document.sections for one in section.statements] == document.tree.body
        for section in document.sections:
            alone = Document(text[section.start : section.end])
            assert [type(one) for one in alone.tree.body] == [type(one) for one in section.statements]
        assert Tokens(text, [one.start for one in document.sections]).all == Tokens(text).all
        sections += len(document.sections)
    assert sections > 1000


@pytest.mark.long
def test_stretches_hold_all_edits_in_order() -> None:
    for document, edits in trials():
        stretches = list(changed_stretches(document.sections, edits))
        assert [edit for one in stretches for edit in one.edits] == edits
        assert all(one.end <= other.start for one, other in pairwise(stretches))
        for start, end, some in stretches:
            assert all(start <= edit.start <= edit.end <= end for edit in some)
            assert comments(document.text[:start]) + comments(document.text[start:]) == comments(
                document.text
            )


def _parses(text: str) -> bool:
    return verification._parse_error(text) is None
