"""What is known of a scope: where it is, what it takes, which names are not its own."""

from __future__ import annotations

import gc

import pytest
from facts_text import facts_of, said

from npu_migrate.index.facts import NOTHING


def test_scopes() -> None:
    facts = facts_of(
        "@a\nclass C(B, k=b):\n    def f(self, x=c):\n        return lambda y=d: [z for z in e]\nwhile C: g"
    )
    assert [(one.id, one.kind, one.name, one.parent, one.statement, one.span) for one in facts.scopes] == [
        (0, "module", "", NOTHING, NOTHING, (1, 0, 1, 0)),
        (1, "class", "C", 0, 0, (2, 0, 4, 41)),
        (2, "function", "f", 1, 1, (3, 4, 4, 41)),
        (3, "lambda", "<lambda>", 2, 2, (4, 15, 4, 41)),
        (4, "comprehension", "<comprehension>", 3, 2, (4, 27, 4, 41)),
    ]
    assert [one.scope for one in facts.statements] == [0, 1, 2, 0, 0]
    assert [one.defines for one in facts.statements] == [1, 2, NOTHING, NOTHING, NOTHING]
    assert {name: one.defines for _, name, one in facts.bindings() if one.kind in ("def", "class")} == {
        "C": 1,
        "f": 2,
    }
    assert said(facts.scopes[1].bases) == "[Name('B')]"
    assert said(facts.scopes[1].decorators) == "[Name('a')]"
    assert [said(one.body) for one in facts.scopes[:3]] == ["None"] * 3
    assert said(facts.scopes[3].body).startswith("Comprehension(")


def test_decorators_and_defaults_belong_to_the_scope_outside() -> None:
    facts = facts_of(
        "@a()\ndef f(x=b(), *, y=c()):\n    d()\n(lambda z=e(): g(), k())\n"
        "([((n := 1), h()) for i in j()], l())"
    )
    assert {said(site.call.func): site.scope for site in facts.calls} == {
        "Name('a')": 0,
        "Name('b')": 0,
        "Name('c')": 0,
        "Name('d')": 1,
        "Name('e')": 0,
        "Name('g')": 2,
        "Name('h')": 3,
        "Name('j')": 0,
        "Name('k')": 0,
        "Name('l')": 0,
    }
    assert said(facts.scopes[1].decorators) == "[Call(Name('a'), [], [])]"


@pytest.mark.parametrize(
    "head", ["def f({}): pass", "async def f({}): pass", "lambda {}: 1"], ids=["def", "async def", "lambda"]
)
def test_parameters(head: str) -> None:
    facts = facts_of(head.format("a, b=1, /, c=2, *d, e, f=3, **g"))
    assert [(one.name, one.kind, said(one.default)) for one in facts.scopes[1].parameters] == [
        ("a", "positional", "None"),
        ("b", "positional", "Constant(1)"),
        ("c", "positional", "Constant(2)"),
        ("d", "varargs", "None"),
        ("e", "keyword", "None"),
        ("f", "keyword", "Constant(3)"),
        ("g", "varkeywords", "None"),
    ]


def test_names_of_other_scopes() -> None:
    facts = facts_of(
        "def f():\n    global a, b\n    a = 1\n    def g():\n        nonlocal c\n        c = 2\n"
        "def h():\n    global a\n    a = 3\n    d = 4"
    )
    assert [one.outer_names for one in facts.scopes] == [
        {},
        {"a": "global", "b": "global"},
        {"c": "nonlocal"},
        {"a": "global"},
    ]
    assert {name: [said(one.value) for one in found] for name, found in facts.globals.items()} == {
        "a": ["Constant(1)", "Constant(3)"],
        "b": [],
    }


def test_nothing_is_left_behind() -> None:
    """No cycles: nobody looks for them while a run goes on."""
    code = "@a\nclass C(B):\n    def f(self, x=c):\n        return [lambda y=d: (z := z) for z in (yield e)]"
    facts_of(code)
    gc.disable()
    try:
        assert min(left_behind(code) for _ in range(3)) == 0
    finally:
        gc.enable()


def left_behind(code: str) -> int:
    """How much garbage building facts makes; what other threads of the tests leave at times counts too."""
    gc.collect()
    facts_of(code)
    return gc.collect()
