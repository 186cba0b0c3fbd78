"""What is known of a statement: its place among others, what it stores to and reads, what it binds."""

from __future__ import annotations

import sys

import pytest
from facts_text import bound, facts_of, outline

EXCEPT_STAR = [
    (
        "try:\n    a\nexcept* b as c:\n    d",
        [
            "0 TryStar -1.body.0: [] = [Name('b')]",
            "1 Expr 0.body.0: [] = [Name('a')]",
            "2 Expr 0.handler0.0: [] = [Name('d')]",
        ],
    ),
][: sys.version_info >= (3, 11)]
"""The statement came with Python 3.11."""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pass", ["0 Pass -1.body.0"]),
        ("a\nb", ["0 Expr -1.body.0: [] = [Name('a')]", "1 Expr -1.body.1: [] = [Name('b')]"]),
        ("a = b = c", ["0 Assign -1.body.0: [Name('a'), Name('b')] = [Name('c')]"]),
        ("a: b = c", ["0 AnnAssign -1.body.0: [Name('a')] = [Name('c')]"]),
        ("a: b", ["0 AnnAssign -1.body.0"]),
        ("a += b", ["0 AugAssign -1.body.0: [Name('a')] = [Name('b')]"]),
        ("del a, b.c", ["0 Delete -1.body.0: [] = [Name('a'), Attribute(Name('b'), 'c')]"]),
        ("assert a, b", ["0 Assert -1.body.0: [] = [Name('a'), Name('b')]"]),
        ("raise a from b", ["0 Raise -1.body.0: [] = [Name('a'), Name('b')]"]),
        ("import a", ["0 Import -1.body.0"]),
        (
            "for a in b:\n    c\nelse:\n    d",
            [
                "0 For -1.body.0: [Name('a')] = [Name('b')]",
                "1 Expr 0.body.0: [] = [Name('c')]",
                "2 Expr 0.orelse.0: [] = [Name('d')]",
            ],
        ),
        (
            "while a:\n    b\n    break\nelse:\n    c",
            [
                "0 While -1.body.0: [] = [Name('a')]",
                "1 Expr 0.body.0: [] = [Name('b')]",
                "2 Break 0.body.1",
                "3 Expr 0.orelse.0: [] = [Name('c')]",
            ],
        ),
        (
            "if a:\n    b\nelif c:\n    d",
            [
                "0 If -1.body.0: [] = [Name('a')]",
                "1 Expr 0.body.0: [] = [Name('b')]",
                "2 If 0.orelse.0: [] = [Name('c')]",
                "3 Expr 2.body.0: [] = [Name('d')]",
            ],
        ),
        (
            "with a as b, c, d as (e, f):\n    g",
            [
                "0 With -1.body.0: [Name('b'), None, Collection('Tuple', [Name('e'), Name('f')])]"
                " = [Name('a'), Name('c'), Name('d')]",
                "1 Expr 0.body.0: [] = [Name('g')]",
            ],
        ),
        (
            "try:\n    a\nexcept b as c:\n    d\nexcept (e, f):\n    g\nexcept:\n    h\nelse:\n    i\n"
            "finally:\n    j",
            [
                "0 Try -1.body.0: [] = [Name('b'), Collection('Tuple', [Name('e'), Name('f')])]",
                "1 Expr 0.body.0: [] = [Name('a')]",
                "2 Expr 0.handler0.0: [] = [Name('d')]",
                "3 Expr 0.handler1.0: [] = [Name('g')]",
                "4 Expr 0.handler2.0: [] = [Name('h')]",
                "5 Expr 0.orelse.0: [] = [Name('i')]",
                "6 Expr 0.finalbody.0: [] = [Name('j')]",
            ],
        ),
        *EXCEPT_STAR,
        (
            "match a:\n    case [b, *c] if d:\n        e\n    case {1: f, **g}:\n        h",
            [
                "0 Match -1.body.0: [] = [Name('a'), Name('d')]",
                "1 Expr 0.case0.0: [] = [Name('e')]",
                "2 Expr 0.case1.0: [] = [Name('h')]",
            ],
        ),
        (
            "@a(b)\ndef f(c, d=e, *, g=h):\n    return\n    return c",
            [
                "0 FunctionDef -1.body.0: [] = [Call(Name('a'), [Name('b')], []), Name('e'), Name('h')]",
                "1 Return 0.body.0",
                "2 Return 0.body.1: [] = [Name('c')]",
            ],
        ),
        (
            "@a\nclass C(b, metaclass=c):\n    d",
            [
                "0 ClassDef -1.body.0: [] = [Name('a'), Name('b'), Name('c')]",
                "1 Expr 0.body.0: [] = [Name('d')]",
            ],
        ),
        (
            "async def f():\n    async for a in b:\n        c\n    async with d as e:\n        g",
            [
                "0 AsyncFunctionDef -1.body.0",
                "1 AsyncFor 0.body.0: [Name('a')] = [Name('b')]",
                "2 Expr 1.body.0: [] = [Name('c')]",
                "3 AsyncWith 0.body.1: [Name('e')] = [Name('d')]",
                "4 Expr 3.body.0: [] = [Name('g')]",
            ],
        ),
        (
            "def f():\n    global a\n    nonlocal_ = 1",
            [
                "0 FunctionDef -1.body.0",
                "1 Global 0.body.0",
                "2 Assign 0.body.1: [Name('nonlocal_')] = [Constant(1)]",
            ],
        ),
    ],
)
def test_its_place_and_its_expressions(code: str, expected: list[str]) -> None:
    assert outline(facts_of(code)) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a = b", ["module a assign Name('b')"]),
        ("a: b = c", ["module a assign Name('c')"]),
        ("a: b", []),
        ("a += b", ["module a augment Name('b')"]),
        ("a.b = c[d] = e", []),
        (
            "a, (b, [c]) = d",
            [
                "module a assign Name('d') [0]",
                "module b assign Name('d') [1, 0]",
                "module c assign Name('d') [1, 1, 0]",
            ],
        ),
        ("a, *b = c", ["module a assign Name('c') [0]", "module b assign"]),
        ("a, *(b, c) = d", ["module a assign Name('d') [0]", "module b assign", "module c assign"]),
        ("a = 1; a = 2", ["module a assign Constant(1)", "module a assign Constant(2)"]),
        ("for a, b in c: pass", ["module a for Name('c') [0]", "module b for Name('c') [1]"]),
        ("with a as b, c as d: pass", ["module b with Name('a')", "module d with Name('c')"]),
        ("del a, b.c, d[e]", ["module a delete"]),
        ("del (a)", ["module a delete"]),
        ("try: pass\nexcept a as b: pass\nexcept c: pass", ["module b except"]),
        (
            "match a:\n    case [b, *c] | {'k': b, **c} if d: pass\n    case _: pass\n"
            "    case E(x=f) as g: pass",
            [
                "module b match",
                "module b match",
                "module c match",
                "module c match",
                "module g match",
                "module f match",
            ],
        ),
        ("import a, b.c, d.e as f", ["module a import", "module b import", "module f import"]),
        ("from a import b, c as d", ["module b import", "module d import"]),
        ("from a import *", []),
        ("(a := b)", ["module a assign Name('b')"]),
        (
            "[b for c in d if (a := e)]",
            [
                "module a assign Name('e')",
                "<comprehension> c comprehension Name('d')",
            ],
        ),
        (
            "[[(a := b) for c in d] for e in f]",
            [
                "module a assign Name('b')",
                "<comprehension> e comprehension Name('f')",
                "<comprehension> c comprehension Name('d')",
            ],
        ),
        (
            "[a for b, c in d for e in b]",
            [
                "<comprehension> b comprehension Name('d') [0]",
                "<comprehension> c comprehension Name('d') [1]",
                "<comprehension> e comprehension Name('b')",
            ],
        ),
        (
            "lambda a, b=c: (d := a)",
            [
                "<lambda> a param",
                "<lambda> b param Name('c')",
                "<lambda> d assign Name('a')",
            ],
        ),
        (
            "def f(a, /, b=1, *c, d, e=2, **g): h = a",
            [
                "module f def",
                "f a param",
                "f b param Constant(1)",
                "f c param",
                "f d param",
                "f e param Constant(2)",
                "f g param",
                "f h assign Name('a')",
            ],
        ),
        (
            "class C:\n    a = 1\nb = 2",
            [
                "module C class",
                "module b assign Constant(2)",
                "C a assign Constant(1)",
            ],
        ),
    ],
)
def test_what_it_binds(code: str, expected: list[str]) -> None:
    assert sorted(bound(facts_of(code))) == sorted(expected)


def test_the_statement_that_binds() -> None:
    code = (
        "a = 1\ntry: pass\nexcept E as b: pass\ndel a\nimport c\nfrom d import e\n"
        "match a:\n    case f: pass\ndef g(h): pass\nclass I: pass\nlambda j: 1\n[k for k in a]"
    )
    found = {name: [] for name in "abcefghjk"} | {"I": []}
    facts = facts_of(code)
    for _, name, binding in facts.bindings():
        found[name].append(facts.statements[binding.statement].kind)
    assert found == {
        "a": ["Assign", "Delete"],
        "b": ["Try"],
        "c": ["Import"],
        "e": ["ImportFrom"],
        "f": ["Match"],
        "g": ["FunctionDef"],
        "h": ["FunctionDef"],
        "I": ["ClassDef"],
        "j": ["Expr"],
        "k": ["Expr"],
    }


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import a.b", [("a", ("a", 0, None), "a.b")]),
        ("import a.b as c", [("c", ("a.b", 0, None), "a.b as c")]),
        ("import a, d as e", [("a", ("a", 0, None), "a"), ("e", ("d", 0, None), "d as e")]),
        ("from a.b import c", [("c", ("a.b", 0, "c"), "c")]),
        ("from ..a import c as d", [("d", ("a", 2, "c"), "c as d")]),
        ("from . import a", [("a", ("", 1, "a"), "a")]),
    ],
)
def test_what_an_import_binds(code: str, expected: list[tuple[str, object, str]]) -> None:
    found = []
    for _, name, binding in facts_of(code).bindings():
        assert binding.span is not None
        found.append((name, binding.target, code[binding.span[1] : binding.span[3]]))
    assert found == expected


def test_which_imports_are_words() -> None:
    """Of ``from m import n`` the name, of ``import m`` nothing."""
    facts = facts_of("import a\nfrom d import e as f")
    assert facts.words == {"e": (1,)}


def test_stars_belong_to_the_scope() -> None:
    facts = facts_of("from a import *\nclass C:\n    from .b import *")
    assert [scope.stars for scope in facts.scopes] == [(("a", 0, "*"),), (("b", 1, "*"),)]
    assert facts.words == {"*": (0, 2)}


def test_targets_are_words() -> None:
    facts = facts_of("a = b\nc, *d = e\nfor f in g: pass\nh.i = j")
    assert set(facts.words) == set("abcdefghij")
