"""Keyword arguments added and replaced."""

from __future__ import annotations

import subprocess
import sys

import libcst as cst
import pytest
from rewriting import PATH, compiled, refusal, rewritten, safe, spot, together

from npu_migrate.intents import KeepInner, Rename, SetArgument
from npu_migrate.rewrite.edits import OffsetEdit


@pytest.mark.parametrize(
    ("text", "call", "expected"),
    [
        pytest.param("f()\n", "f()", "f(k=1)\n", id="none"),
        pytest.param("f( )\n", "f( )", "f( k=1)\n", id="blank"),
        pytest.param("f(a)\n", "f(a)", "f(a, k=1)\n", id="one"),
        pytest.param("f(a, b=2)\n", "f(a, b=2)", "f(a, b=2, k=1)\n", id="two"),
        pytest.param("f(a, )\n", "f(a, )", "f(a, k=1, )\n", id="trailing-comma"),
        pytest.param("f((a))\n", "f((a))", "f((a), k=1)\n", id="bracketed-argument"),
        pytest.param("(f)((a))\n", "(f)((a))", "(f)((a), k=1)\n", id="bracketed-function"),
        pytest.param("f(*a)\n", "f(*a)", "f(*a, k=1)\n", id="star"),
        pytest.param("f(a, k=2)\n", "f(a, k=2)", "f(a, k=1)\n", id="replaced"),
        pytest.param("f(k = (2), **b)\n", "f(k = (2), **b)", "f(k = (1), **b)\n", id="replaced-in-brackets"),
        pytest.param(
            "g(f(')', a), ')')\n", "f(')', a)", "g(f(')', a, k=1), ')')\n", id="brackets-in-strings"
        ),
        pytest.param("日 = f('😀', é)\n", "f('😀', é)", "日 = f('😀', é, k=1)\n", id="non-ascii"),
        pytest.param("f(a,\n  b)\n", "f(a,\n  b)", "f(a,\n  b,\n  k=1)\n", id="aligned"),
        pytest.param("f(\n  a, b)\n", "f(\n  a, b)", "f(\n  a, b, k=1)\n", id="in-one-line"),
        pytest.param(
            f"f(\n  a, {'b' * 90})\n",
            f"f(\n  a, {'b' * 90})",
            f"f(\n  a, {'b' * 90},\n  k=1)\n",
            id="too-long-for-one-line",
        ),
        pytest.param(
            f"f(g(\n  a), {'b' * 90})\n",
            f"f(g(\n  a), {'b' * 90})",
            f"f(g(\n  a), {'b' * 90}, k=1)\n",
            id="line-of-another-call",
        ),
        pytest.param("f(\n    a\n)\n", "f(\n    a\n)", "f(\n    a,\n    k=1\n)\n", id="one-per-line"),
        pytest.param(
            "f(\n\ta,  # c\n)\n", "f(\n\ta,  # c\n)", "f(\n\ta,  # c\n\tk=1,\n)\n", id="comment-behind-comma"
        ),
        pytest.param(
            "f(\n  a,\n  b  # c\n  # d\n)\n",
            "f(\n  a,\n  b  # c\n  # d\n)",
            "f(\n  a,\n  b,  # c\n  k=1\n  # d\n)\n",
            id="comment-behind-argument",
        ),
        pytest.param("f(a  # c\n)\n", "f(a  # c\n)", "f(a, k=1  # c\n)\n", id="comment-in-one-line"),
        pytest.param("f(  # c\n)\n", "f(  # c\n)", "f(  # c\nk=1)\n", id="only-a-comment"),
        pytest.param(
            "f(\r\n a,\r\n b,\r\n)\r\n",
            "f(\r\n a,\r\n b,\r\n)",
            "f(\r\n a,\r\n b,\r\n k=1,\r\n)\r\n",
            id="crlf",
        ),
        pytest.param("x = f(a, \\\n  b)\n", "f(a, \\\n  b)", "x = f(a, \\\n  b, k=1)\n", id="backslash"),
    ],
)
def test_argument(text: str, call: str, expected: str) -> None:
    assert rewritten(text, SetArgument(spot(text, call), "k", "1")) == expected


def test_the_edit_is_no_wider_than_the_argument() -> None:
    text = "f(\n    a\n)\n"
    result = compiled(text, SetArgument(spot(text, text.strip()), "k", "1"))
    assert result.edits == (OffsetEdit(PATH, 8, 8, ",\n    k=1"),)


def test_several_arguments_for_one_call() -> None:
    for text, expected in (
        ("f()\n", "f(a=1, b=2)\n"),
        ("f(x,)\n", "f(x, a=1, b=2,)\n"),
        ("f(\n  x\n)\n", "f(\n  x,\n  a=1,\n  b=2\n)\n"),
    ):
        place = spot(text, text.strip())
        intents = (SetArgument(place, "a", "1"), SetArgument(place, "b", "2"), SetArgument(place, "a", "1"))
        assert rewritten(text, *intents) == expected
        assert together(text, *map(safe, intents)) == expected


def test_of_two_values_for_one_argument_the_first_is_taken() -> None:
    for text in ("f(x)\n", "f(x, a=0)\n"):
        place = spot(text, text.strip())
        assert together(text, safe(SetArgument(place, "a", "1")), safe(SetArgument(place, "a", "2"))) == (
            "f(x, a=1)\n"
        )


def test_changes_of_the_other_arguments_apply_as_well() -> None:
    text = "f(g(old), a=old2)\n"
    intents = (
        SetArgument(spot(text, "f(g(old), a=old2)"), "k", "[1]"),
        SetArgument(spot(text, "g(old)"), "j", "2"),
        Rename(spot(text, "old"), "old", "new"),
        Rename(spot(text, "old2"), "old2", "new2"),
    )
    assert rewritten(text, *intents) == "f(g(new, j=2), a=new2, k=[1])\n"


def test_an_argument_for_a_call_that_goes_away_waits() -> None:
    text = "x = f(g(a))\n"
    keep = KeepInner(spot(text, "f(g(a))"), spot(text, "g(a)"))
    outer, inner = (SetArgument(spot(text, call), "k", "1") for call in ("f(g(a))", "g(a)"))
    assert together(text, safe(keep), safe(outer), safe(inner)) == "x = g(a, k=1)\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("f(**a)\n", "**"),
        ("f(x, **a, b=1)\n", "**"),
        ("f(a for a in b)\n", "generator"),
        ("f\n", "does not hold the call"),
        ("f(x, k=1)\n", "change nothing"),
        ("f(x, k=(1))\n", "change nothing"),
        ("f(k=[  # c\n])\n", "comment"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    assert reason in refusal(text, SetArgument(spot(text, text.strip()), "k", "1"))


@pytest.mark.parametrize("value", ["1, j=2", "1) + (2", "", "x y"])
def test_values_must_be_expressions(value: str) -> None:
    assert compiled("f()\n", SetArgument(spot("f()\n", "f()"), "k", value)).refusal


def test_calls_that_are_too_deep_or_too_large_for_libcst() -> None:
    chain = "ds" + ".map(g)" * 400
    nested = "[" * 80 + "]" * 80
    for argument in (chain, nested, " + ".join(["1"] * 800), ", ".join(["'x'"] * 5000)):
        text = f"y = {chain}.batch({argument})\n"
        call = text[4:-1]
        assert rewritten(text, SetArgument(spot(text, call), "k", "1")) == f"y = {call[:-1]}, k=1)\n"


@pytest.mark.parametrize("call", ["a()", "a(a)", "a(a, a)", "a(a ,a,  a)"])
@pytest.mark.parametrize("added", [["x=1"], ["x=1", "y=2"]])
def test_a_call_on_one_line_is_laid_out_as_libcst_would(call: str, added: list[str]) -> None:
    text = f"{call}\n"
    parsed = cst.parse_module(text)
    old = cst.ensure_type(cst.parse_expression(call), cst.Call)
    new = [cst.ensure_type(cst.parse_expression(f"f({one})"), cst.Call).args[0] for one in added]
    args = [
        one.with_changes(comma=one.comma if isinstance(one.comma, cst.Comma) else cst.MaybeSentinel.DEFAULT)
        for one in (*old.args, *new)
    ]
    expected = parsed.code_for_node(old.with_changes(args=args))
    for item in added:
        name, value = item.split("=")
        text = rewritten(text, SetArgument(spot(text, text.strip()), name, value))
    assert text == f"{expected}\n"


def test_libcst_is_loaded_only_for_new_arguments_of_calls_on_several_lines() -> None:
    script = """
import sys
from npu_migrate.findings import Applicability, Rewrite
from npu_migrate.places import Place
from npu_migrate.intents import Rename, SetArgument
from npu_migrate.rewrite.planning import compile_rewrites
TEXT = "g(k=1)\\ng(\\n  k=1)\\n"
def plan(intent):
    assert compile_rewrites({"f": TEXT}, [Rewrite(Applicability.SAFE, "t", (intent,))])[0].edits
plan(Rename(Place("f", (1, 0, 1, 1)), "g", "h"))
plan(SetArgument(Place("f", (1, 0, 1, 6)), "k", "2"))
assert "libcst" not in sys.modules
plan(SetArgument(Place("f", (1, 0, 1, 6)), "j", "2"))
assert "libcst" not in sys.modules
plan(SetArgument(Place("f", (2, 0, 3, 6)), "j", "2"))
assert "libcst" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
