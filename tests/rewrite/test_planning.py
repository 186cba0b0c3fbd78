"""Rewrites of one or more files together: conflicts, shared edits, verification."""

from __future__ import annotations

import warnings

import pytest
from rewriting import PATH, refusal, safe, spot, together, unsafe

from npu_migrate.findings import Applicability, Rewrite
from npu_migrate.intents import (
    AddImport,
    BindExpression,
    InsertStatement,
    Rename,
    ReplaceExpression,
    SetArgument,
    Side,
    WrapExpression,
)
from npu_migrate.places import Place
from npu_migrate.rewrite.edits import OffsetEdit, apply_edits
from npu_migrate.rewrite.planning import CompiledRewrite, compile_rewrites

OTHER = "/project/other.py"


def rename(text: str, old: str, new: str, path: str = PATH) -> Rename:
    return Rename(spot(text, old, path), old, new)


def plan(text: str, *rewrites: Rewrite) -> tuple[CompiledRewrite, ...]:
    return compile_rewrites({PATH: text}, rewrites)


def test_no_rewrites() -> None:
    assert compile_rewrites({PATH: "x = 1\n"}, []) == ()


def test_of_two_that_conflict_the_later_is_dropped_and_names_the_other() -> None:
    text = "a(b)\n"
    first, second, third = plan(
        text, safe(rename(text, "b", "c")), safe(rename(text, "b", "d")), safe(rename(text, "a", "e"))
    )
    assert first.edits == (OffsetEdit(PATH, 2, 3, "c"),)
    assert (second.edits, second.refusal, second.blockers) == (None, "it conflicts with another fix", {0})
    assert third.edits == (OffsetEdit(PATH, 0, 1, "e"),)


def test_a_rewrite_is_dropped_whole() -> None:
    text = "a(b)\n"
    first, second = plan(
        text, safe(rename(text, "b", "c")), safe(rename(text, "a", "e"), rename(text, "b", "d"))
    )
    assert first.edits
    assert second.edits is None


def test_what_a_dropped_rewrite_would_have_blocked_is_done() -> None:
    text = "a(b)\n"
    results = plan(
        text,
        safe(rename(text, "b", "c")),
        safe(rename(text, "b", "d"), rename(text, "a", "e")),
        safe(rename(text, "a", "f")),
    )
    assert [result.refusal is None for result in results] == [True, False, True]


def test_equal_edits_belong_to_both_and_link_nothing() -> None:
    text = "import a\nf()\n"
    code = AddImport(PATH, "import b")
    one, two = plan(text, safe(code, rename(text, "f", "g")), unsafe(code))
    assert one.edits
    assert two.edits == (OffsetEdit(PATH, 8, 8, "\nimport b"),)
    assert set(two.edits) < set(one.edits)
    assert (one.together, two.together) == ({0}, {1})
    assert (one.applicability, two.applicability) == (Applicability.SAFE, Applicability.UNSAFE)


def test_two_at_one_place_take_two_edits() -> None:
    text = "f(a)\n"
    place = spot(text, "f(a)")
    results = plan(text, safe(SetArgument(place, "k", "1")), safe(SetArgument(place, "j", "2")))
    assert [result.edits for result in results] == [
        (OffsetEdit(PATH, 2, 3, "a, k=1"),),
        (OffsetEdit(PATH, 3, 3, ", j=2"),),
    ]


def test_an_edit_takes_in_a_newline_as_a_whole() -> None:
    text = "a()\r\nb()\r\n"
    place = spot(text, "b()")
    one, two = plan(text, safe(InsertStatement(place, Side.BEFORE, "c()")), safe(rename(text, "b", "d")))
    assert one.edits == (OffsetEdit(PATH, 3, 5, "\r\nc()\r\n"),)
    assert two.edits == (OffsetEdit(PATH, 5, 6, "d"),)


def test_an_edit_takes_in_the_first_newline_of_a_file() -> None:
    text = "\r\nb()\r\n"
    place = spot(text, "b()")
    one, two = plan(text, safe(InsertStatement(place, Side.BEFORE, "c()")), safe(rename(text, "b", "d")))
    assert one.edits == (OffsetEdit(PATH, 0, 2, "\r\nc()\r\n"),)
    assert two.edits == (OffsetEdit(PATH, 2, 3, "d"),)


def test_three_at_one_place_share_an_edit_and_go_together() -> None:
    text = "f(a)\n"
    place = spot(text, "f(a)")
    results = plan(text, *(safe(SetArgument(place, name, "1")) for name in "ijk"))
    assert {result.edits for result in results} == {(OffsetEdit(PATH, 3, 3, ", i=1, j=1, k=1"),)}
    assert {result.together for result in results} == {frozenset((0, 1, 2))}


def test_the_safe_and_the_unsafe_at_one_place_stay_apart() -> None:
    text = "f(a)\n"
    place = spot(text, "f(a)")
    keywords = [SetArgument(place, name, "1") for name in "hijk"]
    results = plan(text, *map(safe, keywords[:2]), *map(unsafe, keywords[2:]))
    assert [result.edits for result in results] == [
        (OffsetEdit(PATH, 2, 3, "a, h=1, i=1"),),
        (OffsetEdit(PATH, 2, 3, "a, h=1, i=1"),),
        (OffsetEdit(PATH, 3, 3, ", j=1, k=1"),),
        (OffsetEdit(PATH, 3, 3, ", j=1, k=1"),),
    ]
    assert [result.applicability.value for result in results] == ["safe", "safe", "unsafe", "unsafe"]


def test_what_only_the_unsafe_ask_for_stays_apart_from_what_both_ask_for() -> None:
    text = "a()\nb()\n"
    place = spot(text, "b()")
    x, y, z = (InsertStatement(place, Side.BEFORE, f"{name}()", rank) for rank, name in enumerate("xyz"))
    one, two, three = plan(text, safe(x, y), unsafe(y), unsafe(z))
    assert (one.together, two.together, three.together) == ({0, 1}, {0, 1}, {2})
    assert apply_edits(text, three.edits or ()) == "a()\nz()\nb()\n"


def test_an_unsafe_import_goes_on_with_the_safe_one_and_needs_it() -> None:
    text = "import x\nf(1)\n"
    wanted = [unsafe(AddImport(PATH, f"from a import {name}")) for name in ("B", "d")]
    wanted.insert(1, safe(AddImport(PATH, "from a import c")))
    compiled = plan(text, *wanted)
    assert [one.applicability for one in compiled] == [
        Applicability.UNSAFE,
        Applicability.SAFE,
        Applicability.UNSAFE,
    ]
    (_, just_safe, _) = compiled
    assert apply_edits(text, just_safe.edits or ()) == "import x\nfrom a import c\nf(1)\n"
    edits = sorted({edit for one in compiled for edit in one.edits or ()})
    assert apply_edits(text, edits) == "import x\nfrom a import c, B, d\nf(1)\n"
    assert apply_edits(text, compiled[0].edits or ()) == "import x\nfrom a import c, B, d\nf(1)\n"


def test_what_cannot_be_apart_is_as_applicable_as_the_worst_of_it() -> None:
    text = "f()\n"
    place = spot(text, "f()")
    one, two = plan(text, safe(SetArgument(place, "j", "1")), unsafe(SetArgument(place, "k", "1")))
    assert one.edits == two.edits == (OffsetEdit(PATH, 2, 2, "j=1, k=1"),)
    assert one.together == two.together == {0, 1}
    assert {one.applicability, two.applicability} == {Applicability.UNSAFE}


def test_an_edit_cannot_take_in_a_character_that_another_changes() -> None:
    text = "f(a)\n"
    place = spot(text, "f(a)")
    results = plan(
        text,
        safe(SetArgument(place, "j", "1")),
        safe(SetArgument(place, "k", "1")),
        safe(rename(text, "a", "b")),
    )
    assert together(
        text, safe(*(SetArgument(place, k, "1") for k in "jk")), safe(rename(text, "a", "b"))
    ) == ("f(b, j=1, k=1)\n")
    assert results[0].edits == results[1].edits == (OffsetEdit(PATH, 3, 3, ", j=1, k=1"),)
    assert results[2].edits == (OffsetEdit(PATH, 2, 3, "b"),)


def test_links_reach_over_files() -> None:
    texts = {PATH: "f()\n", OTHER: "f()\n"}
    here, there = spot("f()\n", "f()"), spot("f()\n", "f()", OTHER)
    results = compile_rewrites(
        texts,
        [
            safe(SetArgument(here, "i", "1")),
            safe(SetArgument(here, "j", "1"), SetArgument(there, "j", "1")),
            safe(SetArgument(there, "k", "1")),
        ],
    )
    assert len({result.edits for result in results}) == 1
    assert apply_edits(texts[PATH], [one for one in results[0].edits or () if one.path == PATH]) == (
        "f(i=1, j=1)\n"
    )


def test_a_rewrite_over_files_is_dropped_in_all_if_one_refuses() -> None:
    texts = {PATH: "a\n", OTHER: "b\n"}
    both = safe(rename("a\n", "a", "c"), Rename(Place(OTHER, (1, 0, 1, 1)), "a", "c"))
    (result,) = compile_rewrites(texts, [both])
    assert result.edits is None
    assert "does not hold the name 'a'" in (result.refusal or "")


@pytest.mark.parametrize("text", [None, "def f(:\n", "x = 1\0"])
def test_files_that_are_missing_or_do_not_parse(text: str | None) -> None:
    texts = {PATH: "a\n"} | ({} if text is None else {OTHER: text})
    (result,) = compile_rewrites(texts, [safe(rename("a\n", "a", "b"), AddImport(OTHER, "import c"))])
    assert result.refusal == "it has to change a file that could not be read"


def test_what_breaks_a_file_alone_is_dropped_and_the_rest_is_done() -> None:
    text = "a\nb\n"
    results = plan(
        text,
        safe(rename(text, "a", "c")),
        safe(Rename(spot(text, "b"), "b", "not a name")),
        safe(AddImport(PATH, "import x")),
    )
    assert [result.refusal is None for result in results] == [True, False, True]
    assert "would not compile" in (results[1].refusal or "")


def test_what_breaks_one_file_does_not_stop_the_work_on_others() -> None:
    text = "a\nd\n"
    results = compile_rewrites(
        {PATH: text, OTHER: text},
        [
            safe(rename(text, "a", "b", OTHER)),
            safe(Rename(spot(text, "d"), "d", "not a name")),
            safe(rename(text, "a", "c")),
        ],
    )
    assert [result.refusal is None for result in results] == [True, False, True]


def test_what_only_the_compiler_sees_counts_too() -> None:
    text = "def f():\n  g(a=1)\n"
    assert "'break' outside loop" in refusal(text, InsertStatement(spot(text, "g(a=1)"), Side.AFTER, "break"))
    text = "f(a=1, b=2)\n"
    assert "keyword argument repeated" in refusal(text, Rename(spot(text, "b=2"), "b", "a"))


def test_of_two_that_break_a_file_only_together_the_later_is_dropped() -> None:
    text = "def f():\n  x = 1\n"
    place = spot(text, "x = 1")
    assign = safe(InsertStatement(place, Side.BEFORE, "y = 1"))
    declare = safe(InsertStatement(place, Side.AFTER, "global y"))
    first, second = plan(text, assign, declare)
    assert first.edits
    assert (second.refusal, second.blockers) == ("it conflicts with another fix", {0})
    assert together(text, declare) == "def f():\n  x = 1\n  global y\n"


def test_a_file_that_only_parses_stays_so() -> None:
    text = "return 1\nold()\n"
    assert together(text, safe(rename(text, "old", "new"))) == "return 1\nnew()\n"
    assert "would not compile" in refusal(text, Rename(spot(text, "old"), "old", "1x"))


def test_no_comment_is_lost() -> None:
    text = "x = f(a,  # one\n  b)\n"
    bind = BindExpression(spot(text, "f(a,  # one\n  b)"), "n")
    assert together(text, safe(bind)) == "n = f(a,  # one\n  b)\nx = n\n"


def test_warnings_about_the_users_code_are_not_shown() -> None:
    text = "x = '\\d' is y\nold()\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        place = Place(PATH, (2, 0, 2, 3))
        assert plan(text, safe(Rename(place, "old", "new")))[0].edits


def test_a_rewrite_must_agree_with_itself() -> None:
    text = "a\n"
    assert "do not go together" in refusal(text, rename(text, "a", "b"), rename(text, "a", "c"))
    assert "change nothing" in refusal(text, ReplaceExpression(spot(text, "a"), "a"))
    assert "change nothing" in refusal(text)


def test_the_same_wrap_twice_is_one_and_two_wraps_are_a_conflict() -> None:
    text = "a\n"
    wraps = [safe(WrapExpression(spot(text, "a"), f"{name}(", ")")) for name in ("f", "f", "g")]
    assert together(text, *wraps) == "f(a)\n"


def test_everything_not_edited_stays_as_it_is() -> None:
    text = "a = 1 \r\n\tif_ = '\\\n'\n\f\n\n#\x85c\nold()  \n \n".replace("\tif_", "if_")
    assert together(text, safe(rename(text, "old", "new"))) == text.replace("old", "new")
