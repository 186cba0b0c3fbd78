"""Items leave lists, tuples, sets and calls; commas, lines and comments stay in order."""

from __future__ import annotations

import ast
import itertools

import pytest
from rewrite.rewriting import place_of, refusal, rewritten, spot

from npu_migrate.intents import DropItems


def dropped(text: str, container: str, *items: str) -> DropItems:
    return DropItems(spot(text, container), tuple(spot(text, item) for item in items))


@pytest.mark.parametrize(
    ("text", "container", "items", "expected"),
    [
        ("r([a, b])\n", "[a, b]", ["b"], "r([a])\n"),
        ("r([a, b])\n", "[a, b]", ["a"], "r([b])\n"),
        ("r([a, b, c])\n", "[a, b, c]", ["b"], "r([a, c])\n"),
        ("r([a, b, c])\n", "[a, b, c]", ["a", "c"], "r([b])\n"),
        ("r([a, b, c])\n", "[a, b, c]", ["b", "c"], "r([a])\n"),
        ("r([a, b,])\n", "[a, b,]", ["b"], "r([a,])\n"),
        ("r([a])\n", "[a]", ["a"], "r([])\n"),
        ("r((a, b))\n", "(a, b)", ["b"], "r((a,))\n"),
        ("r((a, b))\n", "(a, b)", ["a"], "r((b,))\n"),
        ("r((a, b,))\n", "(a, b,)", ["b"], "r((a,))\n"),
        ("r((a,))\n", "(a,)", ["a"], "r(())\n"),
        ("x = a, b\n", "a, b", ["b"], "x = a,\n"),
        ("g(a, b, name=n)\n", "g(a, b, name=n)", ["b"], "g(a, name=n)\n"),
        ("g(a, *b)\n", "g(a, *b)", ["*b"], "g(a)\n"),
        ("g(a, key=b)\n", "g(a, key=b)", ["b"], "g(a)\n"),
        ("g(a, (b))\n", "g(a, (b))", ["b"], "g(a)\n"),
        ("g(\n    a,\n    b,\n    c)\n", "g(\n    a,\n    b,\n    c)", ["b"], "g(\n    a,\n    c)\n"),
        ("g(a, b,\n  c)\n", "g(a, b,\n  c)", ["b"], "g(a,\n  c)\n"),
        ("g(a, b, c,\r\n  d)\r\n", "g(a, b, c,\r\n  d)", ["b", "c"], "g(a,\r\n  d)\r\n"),
        ("g(\n    a,\n    b)\n", "g(\n    a,\n    b)", ["b"], "g(\n    a)\n"),
        ("g(\n    a,  # one\n    b)\n", "g(\n    a,  # one\n    b)", ["b"], "g(\n    a,  # one\n)\n"),
        ("g(\n    a,\n    b,\n)\n", "g(\n    a,\n    b,\n)", ["b"], "g(\n    a,\n)\n"),
        ("g(\n    a,\n    b,  # two\n)\n", "g(\n    a,\n    b,  # two\n)", ["b"], "g(\n    a,  # two\n)\n"),
        (
            "g(\n    a,  # one\n    b,  # two\n    c)\n",
            "g(\n    a,  # one\n    b,  # two\n    c)",
            ["b"],
            None,
        ),
    ],
)
def test_dropping(text: str, container: str, items: list[str], expected: str | None) -> None:
    intent = dropped(text, container, *items)
    if expected is None:
        after = rewritten(text, intent)
        assert "# one" in after and "# two" in after and "b" not in after
    else:
        assert rewritten(text, intent) == expected


def test_a_comment_between_dropped_items_is_kept() -> None:
    text = "g(a,\n  b,  # why\n  c)\n"
    assert "comment" in refusal(text, dropped(text, text.strip(), "b", "c"))


def test_only_items_can_be_dropped() -> None:
    text = "g([a], b)\n"
    assert "items" in refusal(text, dropped(text, "g([a], b)", "a"))
    assert "no list" in refusal(text, dropped(text, "b", "a"))


def test_a_set_keeps_an_item() -> None:
    text = "r({a})\n"
    assert "set" in refusal(text, dropped(text, "{a}", "a"))


@pytest.mark.parametrize("frame", ["[{}]", "({})", "f({})", "{{{}}}"])
@pytest.mark.parametrize("layout", [", ", ",", " , ", ",\n  ", "\n  ,", ",  # note\n  "])
@pytest.mark.parametrize("trailing", ["", ",", ",\n", "\n"])
def test_every_choice_of_three(frame: str, layout: str, trailing: str) -> None:
    text = "x = " + frame.format(layout.join(["one", "g(two)", "(three)"]) + trailing) + "\n"
    container = ast.parse(text).body[0].value  # type: ignore[attr-defined]
    items = container.args if isinstance(container, ast.Call) else container.elts
    for count in (1, 2):
        for chosen in itertools.combinations(range(3), count):
            intent = DropItems(place_of(container), tuple(place_of(items[number]) for number in chosen))
            if "#" in layout and chosen in {(0, 1), (1, 2)}:
                assert "comment" in refusal(text, intent)
                continue
            after = ast.parse(rewritten(text, intent)).body[0].value  # type: ignore[attr-defined]
            left = after.args if isinstance(after, ast.Call) else after.elts
            kept = [ast.dump(item) for number, item in enumerate(items) if number not in chosen]
            assert [ast.dump(item) for item in left] == kept
