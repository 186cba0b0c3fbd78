"""Moving statements and expressions above the statement around them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewriting import place_of, refusal, rewritten, safe, spot, together

from npu_migrate.intents import (
    EncloseStatement,
    HoistExpression,
    HoistStatement,
    InsertStatement,
    Rename,
    Side,
)
from npu_migrate.rewrite.edits import apply_edits
from npu_migrate.rewrite.planning import compile_rewrites
from npu_migrate.rewrite.tokens import comments

PATH = "/project/train.py"


def hoist(text: str, code: str, above: type[ast.stmt] = ast.With) -> HoistStatement:
    """Asks for the statement `code` above the outermost statement of a kind."""
    return HoistStatement(spot(text, code), outermost(text, above))


def extract(text: str, code: str, name: str = "m") -> HoistExpression:
    return HoistExpression(spot(text, code), name, outermost(text, ast.With))


def outermost(text: str, kind: type[ast.stmt]):
    return place_of(next(node for node in ast.walk(ast.parse(text)) if isinstance(node, kind)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("with a:\n    m = E()\n    b()\n", "m = E()\nwith a:\n    b()\n", id="first"),
        pytest.param("with a:\n    b()\n    m = E()\n", "m = E()\nwith a:\n    b()\n", id="last"),
        pytest.param("with a:\n    m = E()\n", "m = E()\nwith a:\n    pass\n", id="alone"),
        pytest.param("with a:\n    m = E()", "m = E()\nwith a:\n    pass", id="alone-at-end"),
        pytest.param("with a:\n    b()\n    m = E()", "m = E()\nwith a:\n    b()\n", id="at-end"),
        pytest.param(
            "with a:\r\n\tm = E()\r\n\tb()\r\n", "m = E()\r\nwith a:\r\n\tb()\r\n", id="tabs-and-crlf"
        ),
        pytest.param("with a:\r m = E()\r b()\r", "m = E()\rwith a:\r b()\r", id="cr"),
        pytest.param(
            "def f():\n  with a:\n      with b:\n          m = E()\n",
            "def f():\n  m = E()\n  with a:\n      with b:\n          pass\n",
            id="two-levels",
        ),
        pytest.param(
            "with a:\n    b()\n    # why\n    # and how\n    m = E()  # what\n    c()\n",
            "# why\n# and how\nm = E()  # what\nwith a:\n    b()\n    c()\n",
            id="with-its-comments",
        ),
        pytest.param(
            "with a:\n    # of the block\n\n    m = E()\n  # less\n    b()\n",
            "m = E()\nwith a:\n    # of the block\n\n  # less\n    b()\n",
            id="without-other-comments",
        ),
        pytest.param(
            "x = 1\n# the updates\nwith a:\n    m = E()\n    b()\n",
            "x = 1\nm = E()\n# the updates\nwith a:\n    b()\n",
            id="above-the-comments-of-the-target",
        ),
        pytest.param(
            "with a:\n\n    m = E()\n\n    b()\n", "m = E()\nwith a:\n\n    b()\n", id="one-gap-of-two"
        ),
        pytest.param(
            "with a:\n    b()\n    m = E()\n\n    c()\n", "m = E()\nwith a:\n    b()\n\n    c()\n", id="gap"
        ),
        pytest.param(
            "with a:\n    m = E(\n        1,  # one\n      2)\n    b()\n",
            "m = E(\n    1,  # one\n  2)\nwith a:\n    b()\n",
            id="over-lines",
        ),
        pytest.param(
            "with a:\n    m = E(\n  1)\n    b()\n", "m = E(\n  1)\nwith a:\n    b()\n", id="outdented"
        ),
        pytest.param(
            'with a:\n    m = E("""x\n    y""", [\n        2])\n    b()\n',
            'm = E("""x\n    y""", [\n    2])\nwith a:\n    b()\n',
            id="lines-in-a-string",
        ),
        pytest.param(
            "with a:\n    m = \\\n        E()\n    b()\n",
            "m = \\\n    E()\nwith a:\n    b()\n",
            id="backslash",
        ),
        pytest.param(
            "with a:\n    m = E();\n    b()\n", "m = E();\nwith a:\n    b()\n", id="semicolon-at-end"
        ),
        pytest.param(
            'with a:\n    s = """\n    # no comment\n"""\n    m = E()\n',
            'm = E()\nwith a:\n    s = """\n    # no comment\n"""\n',
            id="string-above",
        ),
    ],
)
def test_statements_move_as_whole_lines(text: str, expected: str) -> None:
    code = next(
        ast.get_source_segment(text, node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Assign) and ast.unparse(node).startswith("m =")
    )
    assert code is not None
    assert rewritten(text, hoist(text, code)) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("with a: m = E()\n", "m = E()", id="one-line-suite"),
        pytest.param("with a:\n    m = E(); b()\n", "m = E()", id="before-another"),
        pytest.param("with a:\n    b(); m = E()\n", "m = E()", id="behind-another"),
        pytest.param("with a:\n    if b:\n        m = E()\n", "if b:\n        m = E()", id="compound"),
        pytest.param("with a:\n    def f():\n        m = E()\n", "m = E()", id="function-between"),
        pytest.param("with a:\n    class C:\n        m = E()\n", "m = E()", id="class-between"),
        pytest.param("with a:\n    b()\nm = E()\n", "m = E()", id="outside"),
    ],
)
def test_statements_that_stay(text: str, code: str) -> None:
    assert refusal(text, hoist(text, code))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("with a:\n    f(b(), E(1))\n", "m = E(1)\nwith a:\n    f(b(), m)\n", id="argument"),
        pytest.param(
            "with a:\n    return_ = (E(1))\n", "m = E(1)\nwith a:\n    return_ = (m)\n", id="bracketed"
        ),
        pytest.param("with a:\n\tx = E(1).y\n", "m = E(1)\nwith a:\n\tx = m.y\n", id="attribute"),
        pytest.param("with a:\n  b(); c(E(1))\n", "m = E(1)\nwith a:\n  b(); c(m)\n", id="shared-line"),
        pytest.param("with a: c(E(1))\n", "m = E(1)\nwith a: c(m)\n", id="one-line-suite"),
        pytest.param(
            "with a:\n    x = f(b, E(1,  # one\n               2))\n",
            "m = E(1,  # one\n      2)\nwith a:\n    x = f(b, m)\n",
            id="aligned",
        ),
        pytest.param(
            "with a:\n    x = f(\n        E(\n            1,\n            2))\n",
            "m = E(\n    1,\n    2)\nwith a:\n    x = f(\n        m)\n",
            id="hanging",
        ),
        pytest.param(
            "with a:\n    x = f(p\n          .E(1))\n",
            "m = (p\n     .E(1))\nwith a:\n    x = f(m)\n",
            id="broken",
        ),
    ],
)
def test_expressions_get_a_name_above(text: str, expected: str) -> None:
    code = next(
        ast.get_source_segment(text, node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("E")
    )
    assert code is not None
    assert rewritten(text, extract(text, code)) == expected


@pytest.mark.parametrize(
    ("line", "moved"),
    [
        pytest.param("       2", "               2", id="blanks"),
        pytest.param("\t2", "\t2", id="tab"),
        pytest.param("'s'", "        's'", id="string-in-first-column"),
    ],
)
def test_further_lines_move_to_the_right_with_a_long_name(line: str, moved: str) -> None:
    text = f"with a:\n    f(E(1,\n{line}))\n"
    expected = f"longer_name = E(1,\n{moved})\nwith a:\n    f(longer_name)\n"
    assert rewritten(text, extract(text, f"E(1,\n{line})", "longer_name")) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("with a:\n    x = [E(1) for b in c]\n", id="comprehension"),
        pytest.param("with a:\n    x = lambda: E(1)\n", id="lambda"),
        pytest.param("with a:\n    x = f'{E(1)}'\n", id="f-string"),
        pytest.param("with a:\n    def f():\n        E(1)\n", id="function"),
    ],
)
def test_expressions_that_stay(text: str) -> None:
    assert refusal(text, extract(text, "E(1)"))


def test_two_statements_keep_their_order() -> None:
    text = "with a:\n    x = E(1)\n    y = E(2)\n    b()\n"
    assert (
        together(text, safe(hoist(text, "x = E(1)")), safe(hoist(text, "y = E(2)")))
        == "x = E(1)\ny = E(2)\nwith a:\n    b()\n"
    )


def test_two_statements_that_leave_none_go_one_after_the_other() -> None:
    text = "with a:\n    x = E(1)\n    y = E(2)\n"
    results = compile_rewrites({PATH: text}, [safe(hoist(text, "x = E(1)")), safe(hoist(text, "y = E(2)"))])
    first = apply_edits(text, results[0].edits or ())
    assert results[1].edits is None
    assert first == "x = E(1)\nwith a:\n    y = E(2)\n"
    assert rewritten(first, hoist(first, "y = E(2)")) == "x = E(1)\ny = E(2)\nwith a:\n    pass\n"


def test_other_changes_meet_a_hoist() -> None:
    text = "with a:\n    m = E(1)\n    b()\n"
    inserted = InsertStatement(outermost(text, ast.With), Side.BEFORE, "c()")
    renamed = Rename(spot(text, "E"), "E", "F")
    both = together(text, safe(hoist(text, "m = E(1)")), safe(inserted), safe(renamed))
    assert both == "m = E(1)\nc()\nwith a:\n    b()\n"


NAMES = st.sampled_from(
    ["m = E(1)", "m = E(\n{0}  1,  # c\n{0}  2)", 'm = E("""a\n  b""")', "b()", "c()  # d"]
)
COMMENTS = st.sampled_from(["", "", "{0}# over it\n", "\n", "  # odd\n"])


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """A ``with`` in a function, with some statements in it, some of which bind ``m``."""
    indentation = draw(st.sampled_from(["    ", "\t", "  "]))
    inner = indentation * 2
    lines = draw(st.lists(st.tuples(COMMENTS, NAMES), min_size=1, max_size=5))
    body = "".join(comment.format(inner) + inner + code.format(inner) + "\n" for comment, code in lines)
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return f"def f():\n{indentation}with a:\n{body}{indentation}d()\n".replace("\n", newline)


@given(blocks())
def test_the_tree_is_the_expected_one(text: str) -> None:
    """Oracle: the same move on the syntax tree; no comment is lost."""
    tree = ast.parse(text)
    block = next(node for node in ast.walk(tree) if isinstance(node, ast.With))
    found = next((node for node in block.body if isinstance(node, ast.Assign)), None)
    if found is None:
        return
    result = rewritten(text, HoistStatement(place_of(found), place_of(block)))
    block.body = [node for node in block.body if node is not found] or [ast.Pass()]
    tree.body[0].body.insert(0, found)
    assert ast.dump(ast.parse(result)) == ast.dump(tree)
    assert comments(result) == comments(text)


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        pytest.param("m = E()\n", "m = E()", "with c:\n    m = E()\n", id="module"),
        pytest.param(
            "with a:\n  # why\n  m = E()  # what\n  b()\n",
            "m = E()",
            "with a:\n  # why\n  with c:\n    m = E()  # what\n  b()\n",
            id="two-blanks",
        ),
        pytest.param(
            "with a:\r\n\tm = E()", "m = E()", "with a:\r\n\twith c:\r\n\t\tm = E()", id="tabs-and-crlf"
        ),
        pytest.param(
            "with a:\n    m = E(1,\n\n          2)\n",
            "m = E(1,\n\n          2)",
            "with a:\n    with c:\n        m = E(1,\n\n              2)\n",
            id="lines",
        ),
        pytest.param(
            'with a:\n    m = E(\n        """\ntext\n""",\n    1)\n',
            'm = E(\n        """\ntext\n""",\n    1)',
            'with a:\n    with c:\n        m = E(\n            """\ntext\n""",\n        1)\n',
            id="text-of-lines",
        ),
    ],
)
def test_a_statement_gets_a_block_of_its_own(text: str, code: str, expected: str) -> None:
    assert rewritten(text, EncloseStatement(spot(text, code), "with c:")) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("with a: m = E()\n", "m = E()"),
        ("with a:\n    b(); m = E()\n", "m = E()"),
        ("with a:\n    m = E(); b()\n", "m = E()"),
        ("with a:\n    b()\n", "with a:\n    b()"),
    ],
)
def test_a_statement_that_shares_its_lines_gets_no_block(text: str, code: str) -> None:
    assert refusal(text, EncloseStatement(spot(text, code), "with c:")) == (
        "the statement shares its line with others"
    )


def test_what_is_in_the_block_may_change_in_the_same_write() -> None:
    text = "with a:\n    m = lib.Old(1)\n"
    enclosed = safe(EncloseStatement(spot(text, "m = lib.Old(1)"), "with c:"))
    renamed = safe(Rename(spot(text, "lib.Old"), "Old", "New"))
    assert together(text, enclosed, renamed) == "with a:\n    with c:\n        m = lib.New(1)\n"


def test_an_expression_gets_its_name_in_a_block_of_its_own() -> None:
    text = "with a:\n    f(g(), E(1,\n           2))\n"
    intent = HoistExpression(spot(text, "E(1,\n           2)"), "m", spot(text, text.strip()[12:]), "with c:")
    assert rewritten(text, intent) == (
        "with a:\n    with c:\n        m = E(1,\n            2)\n    f(g(), m)\n"
    )
