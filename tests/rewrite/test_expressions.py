"""Expressions replaced, reduced to a part of their own, and wrapped."""

from __future__ import annotations

import pytest
from rewriting import refusal, rewritten, safe, spot, together

from npu_migrate.intents import (
    BindExpression,
    Intent,
    KeepInner,
    Rename,
    ReplaceExpression,
    SetArgument,
    WrapExpression,
)


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("x = a\n", "a", "b + c", "x = b + c\n"),
        ("x = a.y\n", "a", "b + c", "x = (b + c).y\n"),
        ("x = a.y\n", "a", "1", "x = (1).y\n"),
        ("x = -a\n", "a", "b ** c", "x = -b ** c\n"),
        ("x = -a\n", "a", "b + c", "x = -(b + c)\n"),
        ("x = 2 * a\n", "a", "b + c", "x = 2 * (b + c)\n"),
        ("x = a if y else z\n", "a", "b if c else d", "x = (b if c else d) if y else z\n"),
        ("f(a)\n", "a", "b, c", "f((b, c))\n"),
        ("f(a)\n", "a", "lambda: 0", "f(lambda: 0)\n"),
        ("x = a\n", "a", "b, c", "x = (b, c)\n"),
        ("if[a]:pass\n", "[a]", "b", "if b:pass\n"),
        ("x = y if[a]else z\n", "[a]", "b", "x = y if b else z\n"),
        ("x = y if[a]else z\n", "[a]", "'b'", "x = y if 'b'else z\n"),
        ("x = a\n", "a", "f(b,\n  c)", "x = f(b,\n  c)\n"),
        ("x = a\n", "a", "b +\\\n  c", "x = b +\\\n  c\n"),
        ("x = [a]\n", "a", "b\n+ c", "x = [b\n+ c]\n"),
        ("x = a\n", "a", "b\n+ c", "x = (b\n+ c)\n"),
    ],
)
def test_replacement(text: str, old: str, new: str, expected: str) -> None:
    assert rewritten(text, ReplaceExpression(spot(text, old), new)) == expected


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        ("x = a\n", "a", "(a)", "change nothing"),
        ("x = a\n", "a", "b = c", "not an expression"),
        ("x = a\n", "a", "", "not an expression"),
        ("x = a\n", "a", "# b", "not an expression"),
        ("x = a\n", "a", "b) + (c", "not an expression"),
        ("a = x\n", "a", "b", "assigned to"),
        ("x = [a,  # c\n]\n", "[a,  # c\n]", "b", "comment"),
        ("x = f'{a}'\n", "a", "b", "f-string"),
        ("f(a for a in b)\n", "(a for a in b)", "c", "fit"),
    ],
)
def test_refused_replacement(text: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(text, ReplaceExpression(spot(text, old), new))


@pytest.mark.parametrize(
    ("text", "outer", "inner", "expected"),
    [
        ("x = ds.b(4).i().next()\n", "ds.b(4).i().next()", "ds.b(4)", "x = ds.b(4)\n"),
        ("x = i(ds).next()\n", "i(ds).next()", "ds", "x = ds\n"),
        ("x = i((ds)).next()\n", "i((ds)).next()", "ds", "x = (ds)\n"),
        ("x = i(a or b).next()\n", "i(a or b).next()", "a or b", "x = a or b\n"),
        ("x = not i(a or b).c\n", "i(a or b)", "a or b", "x = not (a or b).c\n"),
        ("x = (a + b).i() * 2\n", "(a + b).i()", "a + b", "x = (a + b) * 2\n"),
        ("x = i(ds)if y else z\n", "i(ds)", "ds", "x = ds if y else z\n"),
        ("for x in[ds][0]: pass\n", "[ds][0]", "ds", "for x in ds: pass\n"),
        (
            "x = (ds\n  .b()\n  .i()\n  .next())\n",
            "ds\n  .b()\n  .i()\n  .next()",
            "ds\n  .b()",
            "x = (ds\n  .b())\n",
        ),
        ("x = (ds\n  .b()).i()\n", "(ds\n  .b()).i()", "ds\n  .b()", "x = (ds\n  .b())\n"),
        ("x = i(ds\n  .b())\n", "i(ds\n  .b())", "ds\n  .b()", "x = (ds\n  .b())\n"),
        ("x = i(\n  ds,  # c\n )\n", "i(\n  ds,  # c\n )", "ds", None),
        ("x = i(  # c\n  ds)\n", "i(  # c\n  ds)", "ds", None),
        ("x = i(f(  # c\n  1))\n", "i(f(  # c\n  1))", "f(  # c\n  1)", "x = f(  # c\n  1)\n"),
    ],
)
def test_keeping(text: str, outer: str, inner: str, expected: str | None) -> None:
    intent = KeepInner(spot(text, outer), spot(text, inner))
    if expected is None:
        assert "comment" in refusal(text, intent)
    else:
        assert rewritten(text, intent) == expected


def test_only_a_part_can_be_kept() -> None:
    text = "x = f(a), b\n"
    assert "does not belong" in refusal(text, KeepInner(spot(text, "f(a)"), spot(text, "b")))


@pytest.mark.parametrize(
    ("text", "old", "before", "after", "expected"),
    [
        ("f(op=a)\n", "a", "tf.group(", ", b)", "f(op=tf.group(a, b))\n"),
        ("x = a\n", "a", "not ", "", "x = not a\n"),
        ("x = a.b\n", "a", "not ", "", "x = (not a).b\n"),
        ("x = a or b\n", "a or b", "not ", "", "x = not (a or b)\n"),
        ("x = a, b\n", "a, b", "f(", ")", "x = f((a, b))\n"),
        ("x = (a\n + b)\n", "a\n + b", "f(", ", c)", "x = (f(a\n + b, c))\n"),
        ("x = (a\n + b)\n", "a\n + b", "", " - c", "x = (a\n + b - c)\n"),
        ("x = y if a else[b]\n", "[b]", "list(", ")", "x = y if a else list([b])\n"),
        ("x = a\n", "a", "f(", "", None),
        ("x = a\n", "a", "", "b", None),
        ("a = x\n", "a", "f(", ")", None),
    ],
)
def test_wrapping(text: str, old: str, before: str, after: str, expected: str | None) -> None:
    intent = WrapExpression(spot(text, old), before, after)
    if expected is None:
        assert refusal(text, intent)
    else:
        assert rewritten(text, intent) == expected


def test_nested_wraps_binds_keywords_and_renames_at_the_same_places() -> None:
    text = "x = f(-a)\n"
    intents = (
        WrapExpression(spot(text, "f(-a)"), "g(", ", 1)"),
        WrapExpression(spot(text, "-a"), "h(", ", 2)"),
        WrapExpression(spot(text, "a"), "i(", ", 3)"),
        SetArgument(spot(text, "f(-a)"), "k", "4"),
        Rename(spot(text, "a"), "a", "b"),
    )
    expected = "x = g(f(h(-i(b, 3), 2), k=4), 1)\n"
    for order in (intents, intents[::-1]):
        assert together(text, *map(safe, order)) == expected
    bind = BindExpression(spot(text, "a"), "n")
    assert rewritten(text, bind, *intents[2:]) == "n = i(b, 3)\nx = f(-n, k=4)\n"


def test_changes_in_what_is_kept_apply_and_in_what_goes_do_not() -> None:
    text = "x = ds.old(4).old2().next()\n"
    keep = KeepInner(spot(text, "ds.old(4).old2().next()"), spot(text, "ds.old(4)"))
    kept = Rename(spot(text, "ds.old"), "old", "new")
    gone = Rename(spot(text, "ds.old(4).old2"), "old2", "new2")
    assert together(text, safe(keep), safe(kept), safe(gone)) == "x = ds.new(4)\n"


@pytest.mark.parametrize(
    "intent",
    [
        SetArgument(spot("x = f(-a).y\n", "f(-a)"), "k", "1"),
        WrapExpression(spot("x = f(-a).y\n", "a"), "not ", ""),
        WrapExpression(spot("x = f(-a).y\n", "-a"), "g(", ")"),
        WrapExpression(spot("x = f(-a).y\n", "f(-a)"), "not ", ""),
        ReplaceExpression(spot("x = f(-a).y\n", "a"), "b + c"),
        BindExpression(spot("x = f(-a).y\n", "-a"), "n"),
    ],
)
def test_what_a_reduction_loses_or_moves_waits_for_it(intent: Intent) -> None:
    text = "x = f(-a).y\n"
    keep = safe(KeepInner(spot(text, "f(-a)"), spot(text, "a")))
    assert together(text, keep, safe(intent)) == "x = a.y\n"


def test_an_expression_that_a_binding_divides_is_not_wrapped() -> None:
    for text in ("f(E()).y\n", "E().y\n"):
        bind = BindExpression(spot(text, "E()"), "n")
        wrap = WrapExpression(spot(text, text.strip()), "g(", ")")
        assert together(text, safe(bind), safe(wrap)) == "n = E()\n" + text.replace("E()", "n")


def test_expressions_of_any_depth() -> None:
    chain = "ds" + ".map(g)" * 900
    text = f"x = {chain}.old().y\n"
    outer, inner = spot(text, f"{chain}.old().y"), spot(text, chain)
    assert rewritten(text, KeepInner(outer, inner)) == f"x = {chain}\n"
    assert rewritten(text, WrapExpression(inner, "f(", ", 1)")) == f"x = f({chain}, 1).old().y\n"
    assert rewritten(text, ReplaceExpression(inner, "a or b")) == "x = (a or b).old().y\n"
    assert rewritten(text, BindExpression(inner, "n")) == f"n = {chain}\nx = n.old().y\n"
