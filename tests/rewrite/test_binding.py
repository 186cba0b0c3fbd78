"""Giving an expression a name in a statement of its own."""

from __future__ import annotations

import pytest
from rewriting import refusal, rewritten, safe, spot, together

from npu_migrate.intents import BindExpression, InsertStatement, Rename, Side


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        pytest.param("x = E().next()\n", "E()", "n = E()\nx = n.next()\n", id="assigned"),
        pytest.param("x: int = E().next()\n", "E()", "n = E()\nx: int = n.next()\n", id="annotated"),
        pytest.param("x += E()\n", "E()", "n = E()\nx += n\n", id="augmented"),
        pytest.param("a[f()] = E()\n", "E()", "n = E()\na[f()] = n\n", id="target-comes-later"),
        pytest.param("E().run()  # c\n", "E()", "n = E()\nn.run()  # c\n", id="statement"),
        pytest.param("E()  # c\n", "E()", "n = E()  # c\n", id="nothing-remains"),
        pytest.param("\tE()\n".join(("if x:\n", "")), "E()", "if x:\n\tn = E()\n", id="nothing-remains-tab"),
        pytest.param(
            "def f():\n\treturn E().next()", "E()", "def f():\n\tn = E()\n\treturn n.next()", id="return"
        ),
        pytest.param(
            "def f(): return E().next()\n", "E()", "def f(): n = E(); return n.next()\n", id="one-line-suite"
        ),
        pytest.param(
            "a(); x = E().next(); b()\n", "E()", "a(); n = E(); x = n.next(); b()\n", id="behind-semicolon"
        ),
        pytest.param("x = E().next(); b()\n", "E()", "n = E()\nx = n.next(); b()\n", id="before-semicolon"),
        pytest.param("s.run(x, [y.z, -1, E()])\n", "E()", "n = E()\ns.run(x, [y.z, -1, n])\n", id="argument"),
        pytest.param("s.run(k=E(), **f())\n", "E()", "n = E()\ns.run(k=n, **f())\n", id="keyword"),
        pytest.param("with E() as x:\n  pass\n", "E()", "n = E()\nwith n as x:\n  pass\n", id="with"),
        pytest.param(
            "with E(), f() as x: pass\n", "E()", "n = E()\nwith n, f() as x: pass\n", id="first-item"
        ),
        pytest.param("with E()as x:\n  pass\n", "E()", "n = E()\nwith n as x:\n  pass\n", id="with-glued"),
        pytest.param("for a in[E][0]: pass\n", "[E]", "n = [E]\nfor a in n[0]: pass\n", id="for-glued"),
        pytest.param("for a in E(): pass\n", "E()", "n = E()\nfor a in n: pass\n", id="for"),
        pytest.param(
            "if E().ok: pass\nelif y: pass\n", "E()", "n = E()\nif n.ok: pass\nelif y: pass\n", id="if"
        ),
        pytest.param("raise E() from x\n", "E()", "n = E()\nraise n from x\n", id="raise"),
        pytest.param("x = [a for a in E()]\n", "E()", "n = E()\nx = [a for a in n]\n", id="first-iterable"),
        pytest.param("x = E() or f()\n", "E()", "n = E()\nx = n or f()\n", id="left-of-or"),
        pytest.param("x = a if E() else f()\n", "E()", "n = E()\nx = a if n else f()\n", id="condition"),
        pytest.param("x = y < E() < z\n", "E()", "n = E()\nx = y < n < z\n", id="comparison"),
        pytest.param("x = lambda: 0, E()\n", "E()", "n = E()\nx = lambda: 0, n\n", id="beside-lambda"),
        pytest.param("x = '日😀', E().next()\n", "E()", "n = E()\nx = '日😀', n.next()\n", id="non-ascii"),
        pytest.param("x = E().next()\r\ny()\r\n", "E()", "n = E()\r\nx = n.next()\r\ny()\r\n", id="crlf"),
        pytest.param(
            "x = (ds\n     .batch(4)  # c\n     .next())\n",
            "ds\n     .batch(4)",
            "n = (ds\n     .batch(4))\nx = (n  # c\n     .next())\n",
            id="over-lines-in-brackets",
        ),
        pytest.param(
            "x = ds \\\n    .batch(4) \\\n    .next()\n",
            "ds \\\n    .batch(4)",
            "n = ds \\\n    .batch(4)\nx = n \\\n    .next()\n",
            id="over-lines-with-backslash",
        ),
        pytest.param(
            "x = f(  # why\n    a,\n    E(\n      1  # one\n    ),  # c\n    b)\n",
            "E(\n      1  # one\n    )",
            "n = E(\n  1  # one\n)\nx = f(  # why\n    a,\n    n,  # c\n    b)\n",
            id="comments-around",
        ),
        pytest.param(
            "x = f(E(1,\n        2))\n",
            "E(1,\n        2)",
            "n = E(1,\n      2)\nx = f(n)\n",
            id="below-a-bracket",
        ),
        pytest.param(
            "x = f(E(\n    1,\n\n    2))\n",
            "E(\n    1,\n\n    2)",
            "n = E(\n    1,\n\n    2)\nx = f(n)\n",
            id="below-the-statement",
        ),
        pytest.param(
            'x = f(\n    E(\n        """a\n    b""",\n        2))\n',
            'E(\n        """a\n    b""",\n        2)',
            'n = E(\n    """a\n    b""",\n    2)\nx = f(\n    n)\n',
            id="string-inside",
        ),
        pytest.param(
            "x = f(\n\tE(\n\t\t1))\n", "E(\n\t\t1)", "n = E(\n\t\t1)\nx = f(\n\tn)\n", id="tabs-stay"
        ),
        pytest.param(
            'x = f("""a\n  b""", E())\n', "E()", 'n = E()\nx = f("""a\n  b""", n)\n', id="string-over-lines"
        ),
    ],
)
def test_binding(text: str, code: str, expected: str) -> None:
    assert rewritten(text, BindExpression(spot(text, code), "n")) == expected


def test_statements_behind_the_binding() -> None:
    text = "def f():\n  return E().next()\n"
    bind = BindExpression(spot(text, "E()"), "n", ("g(n.initializer)", "h()"))
    assert rewritten(text, bind) == ("def f():\n  n = E()\n  g(n.initializer)\n  h()\n  return n.next()\n")
    text = "if x: y = E().next()\n"
    bind = BindExpression(spot(text, "E()"), "n", ("g(n)",))
    assert rewritten(text, bind) == "if x: n = E(); g(n); y = n.next()\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = lambda: E()\n", "E()"),
        ("x = [E() for a in b]\n", "E()"),
        ("x = [a for a in b if E()]\n", "E()"),
        ("x = [a for a in b for c in E()]\n", "E()"),
        ("x = {a: E() for a in b}\n", "E()"),
        ("x = a or E()\n", "E()"),
        ("x = a and E()\n", "E()"),
        ("x = E() if a else b\n", "E()"),
        ("x = b if a else E()\n", "E()"),
        ("x = a < b < E()\n", "E()"),
        ("while E(): pass\n", "E()"),
        ("if a: pass\nelif E(): pass\n", "E()"),
        ("with a as b, E() as c: pass\n", "E()"),
        ("@E()\ndef f(): pass\n", "E()"),
        ("def f(a=E()): pass\n", "E()"),
        ("class A(E()): pass\n", "E()"),
        ("assert a, E()\n", "E()"),
        ("a[E()] = 1\n", "E()"),
        ("del a[E()]\n", "E()"),
    ],
)
def test_refused_where_it_is_not_evaluated_exactly_once(text: str, code: str) -> None:
    assert "condition" in refusal(text, BindExpression(spot(text, code), "n"))


@pytest.mark.parametrize(
    "text",
    [
        "x = f() + E()\n",
        "s.run(f(), E())\n",
        "s.run(k=E(), *f())\n",
        "s.run(a=f(), b=E())\n",
        "s.run(*a, E())\n",
        "f().run(E())\n",
        "s.run(lambda a=f(): a, E())\n",
        "a[f()] += E()\n",
        "x = {f(): E()}\n",
        "x = [f(), E()]\n",
        "x = a[0], E()\n",
        "x = a + b, E()\n",
    ],
)
def test_refused_behind_something_impure(text: str) -> None:
    assert "effects" in refusal(text, BindExpression(spot(text, "E()"), "n"))


def test_refused_where_a_generator_has_no_brackets_of_its_own() -> None:
    text = "x = f(a for a in b)\n"
    assert "brackets" in refusal(text, BindExpression(spot(text, "(a for a in b)"), "n"))


def test_refused_inside_f_strings() -> None:
    text = 'x = f"{E()}"\n'
    assert "f-string" in refusal(text, BindExpression(spot(text, "E()"), "n"))


def test_other_changes_inside_the_expression_apply_as_well() -> None:
    text = "def f():\n\tx = ds.old(1).next()\n"
    bind = BindExpression(spot(text, "ds.old(1)"), "n")
    rename = Rename(spot(text, "ds.old"), "old", "new")
    before = InsertStatement(spot(text, "x = ds.old(1).next()"), Side.BEFORE, "a()")
    after = InsertStatement(spot(text, "x = ds.old(1).next()"), Side.AFTER, "b()")
    expected = "def f():\n\ta()\n\tn = ds.new(1)\n\tx = n.next()\n\tb()\n"
    assert rewritten(text, bind, rename, before, after) == expected
    assert together(text, *map(safe, (after, rename, before, bind))) == expected


def test_at_the_first_column_everything_starts_at_one_place() -> None:
    text = "old(1).next()\n"
    bind = BindExpression(spot(text, "old(1)"), "n")
    rename = Rename(spot(text, "old"), "old", "new")
    before = InsertStatement(spot(text, "old(1).next()"), Side.BEFORE, "a()")
    assert together(text, *map(safe, (rename, before, bind))) == "a()\nn = new(1)\nn.next()\n"


def test_of_two_bindings_in_one_statement_the_later_waits() -> None:
    text = "f(a.E(), b.E())\n"
    first = BindExpression(spot(text, "a.E()"), "n")
    nested = BindExpression(spot(text, "a"), "m")
    assert together(text, safe(first), safe(nested)) == "n = a.E()\nf(n, b.E())\n"
