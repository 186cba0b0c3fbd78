"""Suggestions, applied to lines as Git sees them, give what the edits give; all of them together as well."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from npu_migrate.findings import Applicability, Fix, TextEdit
from npu_migrate.reports.reviews.suggestions import (
    CLOSE,
    Hindrance,
    LineReplacement,
    suggestion_of,
    suggestions,
)
from npu_migrate.sources.source import Source, decode

Offsets = tuple[int, int, str]
"""Start and end of what is replaced, and the new text."""

CHARACTERS = "ab 训🚀\f\t\u2028"


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = draw(st.lists(st.text(CHARACTERS, max_size=4), max_size=8))
    newlines = draw(st.sampled_from([("\n",), ("\r\n",), ("\n", "\r\n", "\r")]))
    ends = draw(st.lists(st.sampled_from(newlines), min_size=len(lines), max_size=len(lines)))
    whole = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return whole + draw(st.text(CHARACTERS, max_size=3))


@st.composite
def fixes_of(draw: st.DrawFn, text: str) -> list[list[Offsets]]:
    """Fixes that may share edits; no two different edits start at one place or overlap."""
    inside = st.integers(0, len(text)).filter(lambda at: text[at - 1 : at + 1] != "\r\n")
    cuts = sorted(draw(st.sets(inside, max_size=10)))
    new = st.lists(st.sampled_from([*CHARACTERS, "\n", "\r\n"]), max_size=4).map("".join)
    edits = [
        (start, draw(st.sampled_from((start, end))), draw(new)) for start, end in pairwise([*cuts, len(text)])
    ]
    subset = st.lists(st.sampled_from(edits), min_size=1, unique=True) if edits else st.nothing()
    return draw(st.lists(subset, max_size=4)) if edits else []


@st.composite
def cases(draw: st.DrawFn) -> tuple[Source, list[list[Offsets]]]:
    text = draw(texts())
    data = draw(st.sampled_from((b"", b"\xef\xbb\xbf"))) + text.encode()
    return decode("a.py", data), draw(fixes_of(text))


def fix_of(source: Source, edits: Sequence[Offsets], path: str = "a.py") -> Fix:
    made = tuple(TextEdit(path, source.lines.range(start, end), new) for start, end, new in edits)
    return Fix(Applicability.SAFE, "change it", made)


def accepted(data: bytes, replacements: set[LineReplacement]) -> bytes:
    """The file after a reviewer has accepted all of them, from the last to the first."""
    lines = data.split(b"\n")
    for one in sorted(replacements, reverse=True):
        # What a reviewer sees of a line that ends in \r\n does not include the \r.
        tail = b"\r" if lines[one.last_line - 1].endswith(b"\r") and one.last_line < len(lines) else b""
        lines[one.first_line - 1 : one.last_line] = [one.text.encode() + tail]
    return b"\n".join(lines)


@given(cases())
def test_one_fix_becomes_one_replacement(case: tuple[Source, list[list[Offsets]]]) -> None:
    source, fixes = case
    for edits in fixes:
        made = suggestion_of(fix_of(source, edits), lambda _: source)
        if isinstance(made, LineReplacement):
            assert accepted(source.data, {made}) == source.spliced(edits)
        else:
            assert made in (Hindrance.END_OF_FILE, Hindrance.LINE_ENDS)


@given(cases())
def test_all_suggestions_together_hold_their_fixes(case: tuple[Source, list[list[Offsets]]]) -> None:
    source, fixes = case
    made = suggestions([fix_of(source, edits) for edits in fixes], lambda _: source)
    assert len(made) == len(fixes)
    carried = {one for one in made if isinstance(one, LineReplacement)}
    for one, other in combinations(carried, 2):
        assert one.last_line < other.first_line or other.last_line < one.first_line
    union = {edit for edits, one in zip(fixes, made, strict=True) if one in carried for edit in edits}
    assert accepted(source.data, carried) == source.spliced(union)


def source_of(text: str) -> Source:
    return decode("a.py", text.encode())


def replaced(text: str, *edits: Offsets) -> tuple[int, int, str] | Hindrance:
    source = source_of(text)
    made = suggestion_of(fix_of(source, edits), lambda _: source)
    return made if isinstance(made, Hindrance) else made[1:]


def test_only_lines_that_change_are_replaced() -> None:
    assert replaced("a\nb\nc\n", (2, 3, "B")) == (2, 2, "B")
    assert replaced("a\nb\nc\n", (2, 2, "new\n")) == (2, 2, "new\nb")
    assert replaced("a\nb\nc\n", (2, 4, "B\n")) == (2, 2, "B")
    assert replaced("a\r\nb\r\nc\r\n", (4, 4, "\r\nnew")) == (2, 2, "b\r\nnew")
    assert replaced("a\nb\nc\n", (6, 6, "new\n")) == (3, 3, "c\nnew")
    assert replaced("a\nb", (3, 3, "\nnew")) == (2, 2, "b\nnew")


def test_deleted_lines_go_together_with_a_neighbour() -> None:
    assert replaced("a\nb\nc\n", (2, 4, "")) == (2, 3, "c")
    assert replaced("a\nb\nc\n", (4, 6, "")) == (2, 3, "b")


def test_a_change_of_the_last_line_end_is_no_suggestion() -> None:
    long = "-\n" * 3_000
    assert replaced(long, (len(long) - 1, len(long), "")) is Hindrance.END_OF_FILE
    assert replaced("a\n", (0, 2, "")) is Hindrance.END_OF_FILE


def test_changes_far_apart_are_no_suggestion() -> None:
    near = "a\n" + "-\n" * CLOSE + "b"
    assert replaced(near, (0, 1, "A"), (len(near) - 1, len(near), "B")) == (
        1,
        CLOSE + 2,
        near.replace("a", "A").replace("b", "B"),
    )
    far = "-\n" + near
    assert replaced(far, (0, 1, "A"), (len(far) - 1, len(far), "B")) is Hindrance.FAR_APART


def test_fixes_on_the_same_line_are_one_suggestion() -> None:
    source = source_of("f(); g()\nh()\n")
    fixes = [fix_of(source, [edit]) for edit in ((0, 1, "F"), (5, 6, "G"), (9, 10, "H"))]
    both, same, other = suggestions(fixes, lambda _: source)
    assert both == same == LineReplacement("a.py", 1, 1, "F(); G()")
    assert other == LineReplacement("a.py", 2, 2, "H()")


def test_mixed_line_ends_stand_against_it() -> None:
    assert replaced("f()\rg()\n", (0, 1, "F")) is Hindrance.LINE_ENDS
    assert replaced("f()\r\ng()\n", (0, 1, "F"), (5, 6, "G")) is Hindrance.LINE_ENDS
    assert replaced("f()\r\ng()\n", (0, 1, "F")) == (1, 1, "F()")
    assert replaced("f()\n", (3, 3, "\r\ng()")) is Hindrance.LINE_ENDS


def test_files_and_encodings_stand_against_it() -> None:
    source = source_of("f()\n")
    one, other = fix_of(source, [(0, 1, "g")]), fix_of(source, [(0, 1, "g")], "b.py")
    both = Fix(one.applicability, one.title, one.edits + other.edits)
    assert suggestion_of(both, lambda _: source) is Hindrance.SEVERAL_FILES
    assert suggestion_of(one, lambda _: None) is Hindrance.UNREADABLE
    latin = decode("a.py", "# coding: latin-1\nf()  # é\nf()\n".encode("latin-1"))
    assert suggestion_of(fix_of(latin, [(18, 19, "g")]), lambda _: latin) is Hindrance.ENCODING
    assert suggestion_of(fix_of(latin, [(27, 28, "g")]), lambda _: latin) == LineReplacement(
        "a.py", 3, 3, "g()"
    )
