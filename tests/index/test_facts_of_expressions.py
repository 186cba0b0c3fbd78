"""What is known of an expression: its parts, its place, the names that it mentions, its calls."""

from __future__ import annotations

import pytest
from facts_text import facts_of, said, text_at

from npu_migrate.index.facts import Operation, Other, walk


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("1", "Constant(1)"),
        ("'a' 'b'", "Constant('ab')"),
        ("None", "Constant(None)"),
        ("...", "Constant(Ellipsis)"),
        ("a.b.c", "Attribute(Attribute(Name('a'), 'b'), 'c')"),
        (
            "f(a, *b, k=c, **d)",
            "Call(Name('f'), [Name('a'), Other('Starred', [Name('b')])],"
            " [Keyword('k', Name('c')), Keyword(None, Name('d'))])",
        ),
        ("f()()", "Call(Call(Name('f'), [], []), [], [])"),
        ("(a, 1)", "Collection('Tuple', [Name('a'), Constant(1)])"),
        ("[a]", "Collection('List', [Name('a')])"),
        ("{a}", "Collection('Set', [Name('a')])"),
        ("{a: b, **c}", "Mapping([Name('a'), None], [Name('b'), Name('c')])"),
        ("a + b - c", "Operation('Sub', [Operation('Add', [Name('a'), Name('b')]), Name('c')])"),
        ("a + (b + c)", "Operation('Add', [Name('a'), Operation('Add', [Name('b'), Name('c')])])"),
        ("a and b and c", "Operation('And', [Name('a'), Name('b'), Name('c')])"),
        ("not a", "Operation('Not', [Name('a')])"),
        ("a < b", "Operation('Lt', [Name('a'), Name('b')])"),
        ("a < b < c", "Operation('Compare', [Name('a'), Name('b'), Name('c')])"),
        ("a if b else c", "Conditional(Name('b'), Name('a'), Name('c'))"),
        ("a[b]", "Subscript(Name('a'), Name('b'))"),
        ("a[b:c:d]", "Subscript(Name('a'), Other('Slice!lus', [Name('b'), Name('c'), Name('d')]))"),
        ("a[:b]", "Subscript(Name('a'), Other('Slice!u', [Name('b')]))"),
        ("f'{a}'", "Other('JoinedStr', [Other('FormattedValue', [Name('a')])])"),
        ("f'{a!r}'", "Other('JoinedStr', [Other('FormattedValue!r', [Name('a')])])"),
        (
            "f'{a:{b}}'",
            "Other('JoinedStr', [Other('FormattedValue', [Name('a'),"
            " Other('JoinedStr', [Other('FormattedValue', [Name('b')])])])])",
        ),
        ("lambda: a", "Lambda(1, Name('a'), [])"),
        ("lambda a, b=c: b", "Lambda(1, Name('b'), [Name('c')])"),
        (
            "[a for b in c if d if e]",
            "Comprehension('ListComp', 1, [Name('a')], [Name('c')], [Name('d'), Name('e')])",
        ),
        ("{a for a in b}", "Comprehension('SetComp', 1, [Name('a')], [Name('b')], [])"),
        (
            "(a for b in c for d in b)",
            "Comprehension('GeneratorExp', 1, [Name('a')], [Name('c'), Name('b')], [])",
        ),
        ("{a: b for c in d}", "Comprehension('DictComp', 1, [Name('a'), Name('b')], [Name('d')], [])"),
        ("(a := b)", "Other('NamedExpr', [Name('a'), Name('b')])"),
    ],
)
def test_what_is_known_of_it(code: str, expected: str) -> None:
    facts = facts_of(code)
    (value,) = facts.statements[0].values
    assert said(value) == expected


@pytest.mark.parametrize(
    "code",
    [
        "é.b(c, *d, k=e, **f)(g)",
        "'训' + a - 2 * b ** -c",
        "{a: [b, (c,)], **{d}}",
        "a < b < c and not d or (e if f else g)",
        "a[b:c][d]",
        "lambda x=a, *y: x",
        "[a for b in c if d]",
        "{k: v for k in a}",
        "{s for s in b}",
        "f((g for g in c))",
        "(a := b)",
    ],
)
def test_its_place_is_its_text(code: str) -> None:
    """The text alone makes the same expression again."""
    (value,) = facts_of(code).statements[0].values
    for expr in walk(value):
        if isinstance(expr, Other) and (expr.kind == "Starred" or expr.kind.startswith("Slice")):
            continue
        (again,) = facts_of(f"({text_at(code, expr)})").statements[0].values
        assert said(again) == said(expr)


def test_a_keyword_begins_at_its_name() -> None:
    code = "f(a, key=b, **c)"
    keywords = facts_of(code).calls[0].call.keywords
    assert [code[one.span[1] : one.span[3]] for one in keywords] == ["key=b", "**c"]


@pytest.mark.parametrize(("bits", "known"), [(10_000, True), (10_001, False)])
def test_a_number_that_cannot_be_printed_has_no_value(bits: int, known: bool) -> None:
    (value,) = facts_of(hex((1 << bits) - 1)).statements[0].values
    assert said(value).startswith("Constant(" if known else "Other('Constant', [])")
    assert value.span[2:] == (1, len(hex((1 << bits) - 1)))


def test_a_long_sum_is_one_expression() -> None:
    """A sum of 401 terms is a chain of 400 operations; one of more has no operations in each other."""
    (chain,) = facts_of(" + ".join(["a"] * 401)).statements[0].values
    assert [type(expr) for expr in walk(chain)].count(Operation) == 400
    code = " + ".join(f"a{number}" for number in range(402))
    facts = facts_of(code)
    (flat,) = facts.statements[0].values
    assert isinstance(flat, Other)
    assert [said(part) for part in flat.parts] == [f"Name('a{number}')" for number in range(402)]
    assert (flat.kind, text_at(code, flat), len(facts.words)) == ("BinOp", code, 402)


def test_what_it_mentions() -> None:
    facts = facts_of("a.b(c.d)\ne(f)\ng()()\na = h.i\na[j] = a, a\nk(**l)")
    assert facts.words == {
        "b": (0,),
        "a": (0, 3, 4),
        "d": (0,),
        "c": (0,),
        "e": (1,),
        "f": (1,),
        "g": (2,),
        "i": (3,),
        "h": (3,),
        "j": (4,),
        "k": (5,),
        "l": (5,),
    }


def test_its_calls() -> None:
    """The inner ones first, each with its statement and scope."""
    facts = facts_of("f(g())\ndef h():\n    i(lambda: j())\n[k() for l in m()]")
    assert [(said(site.call.func), site.statement, site.scope) for site in facts.calls] == [
        ("Name('g')", 0, 0),
        ("Name('f')", 0, 0),
        ("Name('j')", 2, 2),
        ("Name('i')", 2, 1),
        ("Name('m')", 3, 0),
        ("Name('k')", 3, 3),
    ]


def test_which_statements_yield() -> None:
    facts = facts_of("def f():\n    yield\n    a = (yield b), (yield c)\n    yield from d\n    e")
    assert facts.yielding == (1, 2, 3)
    assert [said(one.values) for one in facts.statements[1:4]] == [
        "[Other('Yield', [])]",
        "[Collection('Tuple', [Other('Yield', [Name('b')]), Other('Yield', [Name('c')])])]",
        "[Other('YieldFrom', [Name('d')])]",
    ]


def test_what_is_awaited() -> None:
    (_, statement) = facts_of("async def f():\n    await a").statements
    assert said(statement.values) == "[Other('Await', [Name('a')])]"
