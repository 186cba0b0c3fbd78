"""The receiver of a method call passed to a function, and modules that are added."""

from __future__ import annotations

import pytest
from rewriting import refusal, rewritten, safe, spot

from npu_migrate.findings import Rewrite
from npu_migrate.intents import AddImport, AddModule, PassToFunction, Rename
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.rewrite.modules import text_of
from npu_migrate.rewrite.planning import compile_rewrites

MODULE = "first_use_iterator"
TEXT = text_of(MODULE)


@pytest.mark.parametrize(
    ("text", "old", "expected"),
    [
        ("x = a.m()\n", "a.m()", "x = f.g(a)\n"),
        ("x = a.b(1).m().n()\n", "a.b(1).m()", "x = f.g(a.b(1)).n()\n"),
        ("x = (a or b).m()\n", "(a or b).m()", "x = f.g(a or b)\n"),
        ("x = (a, b).m()\n", "(a, b).m()", "x = f.g((a, b))\n"),
        ("x = (y for y in z).m()\n", "(y for y in z).m()", "x = f.g((y for y in z))\n"),
        ("x = (a.m())\n", "a.m()", "x = f.g(a)\n"),
        ("h(a.m())\n", "a.m()", "h(f.g(a))\n"),
        ("h((a.m()), 1)\n", "a.m()", "h(f.g(a), 1)\n"),
        ("def h():\n    return(a.m())\n", "a.m()", "def h():\n    return f.g(a)\n"),
        ("x = [a.m() for a in b if a.m]\n", "a.m()", "x = [f.g(a) for a in b if a.m]\n"),
        ("x = a \\\n  .m()\n", "a \\\n  .m()", "x = f.g(a)\n"),
        (
            "x = (\n    a\n    # why\n    .b()\n    .m()\n)\n",
            None,
            "x = f.g(\n    a\n    # why\n    .b()\n)\n",
        ),
        ("x = (\n    a\n    .m()  # why\n)\n", None, "x = f.g(\n    a  # why\n)\n"),
        ("x = (a\n     # why\n     .m()\n     .n())\n", None, "x = (f.g(a\n     # why\n     )\n     .n())\n"),
        ("x = (a.m(  # why\n))\n", None, "x = f.g(a  # why\n)\n"),
    ],
)
def test_passing(text: str, old: str | None, expected: str) -> None:
    if old is None:
        start = text.index("a", 5)
        old = text[start : text.index("m(") + len("m()" if "m()" in text else "m(  # why\n)")]
    assert rewritten(text, PassToFunction(spot(text, old), "f.g")) == expected


@pytest.mark.parametrize(
    ("text", "old", "reason"),
    [
        ("x = a.m(1)\n", "a.m(1)", "arguments"),
        ("x = a.m(k=1)\n", "a.m(k=1)", "arguments"),
        ("x = m()\n", "m()", "not the call of a method"),
        ("x = a.m\n", "a.m", "not the call of a method"),
        ('x = f"{a.m()}"\n', "a.m()", "inside an f-string"),
    ],
)
def test_no_passing(text: str, old: str, reason: str) -> None:
    assert reason in refusal(text, PassToFunction(spot(text, old), "f.g"))


def test_a_change_within_the_receiver_goes_along() -> None:
    text = "x = old(1).m()\n"
    wanted = [PassToFunction(spot(text, "old(1).m()"), "f"), Rename(spot(text, "old"), "old", "new")]
    assert rewritten(text, *wanted) == "x = f(new(1))\n"


def compiled(files: dict[str, str], *rewrites: Rewrite) -> list[tuple[OffsetEdit, ...] | str]:
    results = compile_rewrites(files, rewrites)
    return [one.refusal or one.edits or () for one in results]


def test_each_rewrite_that_needs_a_module_has_the_edit_that_adds_it() -> None:
    intents = [(AddImport(path, f"import {MODULE}"), AddModule("m.py", MODULE)) for path in ("a.py", "b.py")]
    found = compiled({"a.py": "pass\n", "b.py": "pass\n", "m.py": ""}, *(safe(*one) for one in intents))
    new = OffsetEdit("m.py", 0, 0, TEXT)
    assert found == [
        (OffsetEdit("a.py", 0, 0, f"import {MODULE}\n"), new),
        (OffsetEdit("b.py", 0, 0, f"import {MODULE}\n"), new),
    ]


def test_a_module_that_is_there_is_left_alone_even_if_it_was_edited() -> None:
    wanted = safe(AddImport("a.py", f"import {MODULE}"), AddModule("m.py", MODULE))
    edited = "# black was here\n" + TEXT
    (edits,) = compiled({"a.py": "pass\n", "m.py": edited}, wanted)
    assert edits == (OffsetEdit("a.py", 0, 0, f"import {MODULE}\n"),)


def test_another_file_of_that_name_refuses_the_whole_rewrite() -> None:
    wanted = safe(AddImport("a.py", f"import {MODULE}"), AddModule("m.py", MODULE))
    (refused,) = compiled({"a.py": "pass\n", "m.py": "x = 1\n"}, wanted)
    assert "is there with another text" in str(refused)
