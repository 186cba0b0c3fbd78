"""Where inserted statements go."""

from __future__ import annotations

import pytest
from rewriting import refusal, rewritten, spot

from npu_migrate.intents import InsertStatement, Side

BEFORE, AFTER, BODY_START = Side.BEFORE, Side.AFTER, Side.BODY_START


@pytest.mark.parametrize(
    ("text", "code", "side", "expected"),
    [
        pytest.param("a()\nb()\n", "b()", BEFORE, "a()\nnew()\nb()\n", id="before"),
        pytest.param("a()\nb()\n", "a()", AFTER, "a()\nnew()\nb()\n", id="after"),
        pytest.param("\na()\n", "a()", BEFORE, "\nnew()\na()\n", id="below-an-empty-first-line"),
        pytest.param("a()", "a()", AFTER, "a()\nnew()", id="missing-final-newline"),
        pytest.param("a()  # why\nb()", "a()", AFTER, "a()  # why\nnew()\nb()", id="after-comment"),
        pytest.param("# on b\nb()", "b()", BEFORE, "# on b\nnew()\nb()", id="below-the-head-of-the-file"),
        pytest.param("a()\n# on b\n# too\nb()", "b()", BEFORE, "a()\nnew()\n# on b\n# too\nb()", id="on-b"),
        pytest.param(
            "def f():\n  # on b\n  @c\n  def b(): pass\n",
            "def b(): pass",
            BEFORE,
            "def f():\n  new()\n  # on b\n  @c\n  def b(): pass\n",
            id="above-decorator-and-comment",
        ),
        pytest.param("a()\n# a\n\nb()", "b()", BEFORE, "a()\n# a\n\nnew()\nb()", id="comment-apart"),
        pytest.param(
            "if x:\n  a()\n  # a\nb()", "b()", BEFORE, "if x:\n  a()\n  # a\nnew()\nb()", id="of-block"
        ),
        pytest.param("a()\n# A\n# ---\nb()", "b()", BEFORE, "a()\n# A\n# ---\nnew()\nb()", id="heading"),
        pytest.param("a()\n# %% B\nb()", "b()", BEFORE, "a()\n# %% B\nnew()\nb()", id="cell"),
        pytest.param("a()\n##### B\nb()", "b()", BEFORE, "a()\n##### B\nnew()\nb()", id="framed"),
        pytest.param("a = '''\n# a'''\nb()", "b()", BEFORE, "a = '''\n# a'''\nnew()\nb()", id="no-comment"),
        pytest.param("# C:\\\nb()", "b()", BEFORE, "# C:\\\nnew()\nb()", id="comment-ends-in-backslash"),
        pytest.param("if x:\n\ta()\n", "a()", AFTER, "if x:\n\ta()\n\tnew()\n", id="tab-after"),
        pytest.param("if x:\n\ta()\n", "a()", BEFORE, "if x:\n\tnew()\n\ta()\n", id="tab-before"),
        pytest.param("if x:\r\n a()\r\n", "a()", AFTER, "if x:\r\n a()\r\n new()\r\n", id="crlf"),
        pytest.param("a()\rb()\r", "a()", AFTER, "a()\rnew()\rb()\r", id="cr"),
        pytest.param("a(); b()\n", "a()", AFTER, "a(); new(); b()\n", id="semicolon-first-after"),
        pytest.param("a(); b()\n", "a()", BEFORE, "new()\na(); b()\n", id="semicolon-first-before"),
        pytest.param("a(); b()\n", "b()", BEFORE, "a(); new(); b()\n", id="semicolon-second-before"),
        pytest.param("a(); b()  # c\n", "b()", AFTER, "a(); b(); new()  # c\n", id="semicolon-second-after"),
        pytest.param("a() ;\nb()\n", "a()", AFTER, "a() ;\nnew()\nb()\n", id="trailing-semicolon"),
        pytest.param("if x: a()\n", "a()", BEFORE, "if x: new(); a()\n", id="one-line-suite-before"),
        pytest.param("if x: a()\n", "a()", AFTER, "if x: a(); new()\n", id="one-line-suite-after"),
        pytest.param(
            "if x: \\\n    a()\n", "a()", BEFORE, "if x: \\\n    new(); a()\n", id="backslash-suite"
        ),
        pytest.param("a(); \\\n  b()\n", "b()", BEFORE, "a(); \\\n  new(); b()\n", id="backslash-semicolon"),
        pytest.param("a = 1 \\\n\nb()\n", "a = 1", AFTER, "a = 1 \\\n\nnew()\nb()\n", id="backslash-at-end"),
        pytest.param(
            "x = 1 + \\\n  2\nb()\n",
            "x = 1 + \\\n  2",
            AFTER,
            "x = 1 + \\\n  2\nnew()\nb()\n",
            id="backslash",
        ),
        pytest.param(
            "class A: x = 1\n", "class A: x = 1", AFTER, "class A: x = 1\nnew()\n", id="after-one-line-class"
        ),
        pytest.param(
            "def f():\n    if x:\n        a()  # c\n        # block\n    b()\n",
            "if x:\n        a()",
            AFTER,
            "def f():\n    if x:\n        a()  # c\n        # block\n    new()\n    b()\n",
            id="after-compound-with-comments",
        ),
        pytest.param(
            "try:\n  a()\nexcept E:\n  b()\nelse:\n  c()\nfinally:\n  d()\ne()\n",
            "try:\n  a()\nexcept E:\n  b()\nelse:\n  c()\nfinally:\n  d()",
            AFTER,
            "try:\n  a()\nexcept E:\n  b()\nelse:\n  c()\nfinally:\n  d()\nnew()\ne()\n",
            id="after-try",
        ),
        pytest.param(
            's = """a\n  b"""\nc()\n',
            's = """a\n  b"""',
            AFTER,
            's = """a\n  b"""\nnew()\nc()\n',
            id="string-over-lines",
        ),
        pytest.param(
            "@deco\n@other(  # c\n  1)\ndef f():\n    pass\n",
            "def f():\n    pass",
            BEFORE,
            "new()\n@deco\n@other(  # c\n  1)\ndef f():\n    pass\n",
            id="before-decorators",
        ),
        pytest.param(
            "class A:\n    @(deco)\n    def f(self): pass\n",
            "def f(self): pass",
            BEFORE,
            "class A:\n    new()\n    @(deco)\n    def f(self): pass\n",
            id="before-bracketed-decorator",
        ),
        pytest.param("\fa()\n", "a()", BEFORE, "new()\n\fa()\n", id="form-feed"),
        pytest.param(
            "if x:\n \f  a()\n", "a()", AFTER, "if x:\n \f  a()\n  new()\n", id="form-feed-in-indentation"
        ),
        pytest.param("if x:\n  'a'\n", "'a'", BEFORE, "if x:\n  new()\n  'a'\n", id="before-plain-string"),
        pytest.param("日 = '😀'; b()\n", "b()", BEFORE, "日 = '😀'; new(); b()\n", id="non-ascii-before-it"),
        pytest.param(
            "with x as y:  # c\n    # d\n    a()\n",
            "with x as y:  # c\n    # d\n    a()",
            BODY_START,
            "with x as y:  # c\n    new()\n    # d\n    a()\n",
            id="body-start",
        ),
        pytest.param(
            "def f(a={}): return a\n",
            "def f(a={}): return a",
            BODY_START,
            "def f(a={}): new(); return a\n",
            id="body-of-one-line",
        ),
        pytest.param(
            'def f():\n  """Doc."""  # c\n  a()\n',
            'def f():\n  """Doc."""  # c\n  a()',
            BODY_START,
            'def f():\n  """Doc."""  # c\n  new()\n  a()\n',
            id="body-behind-docstring",
        ),
        pytest.param(
            'def f():\n  "Doc."\n',
            'def f():\n  "Doc."',
            BODY_START,
            'def f():\n  "Doc."\n  new()\n',
            id="only-docstring",
        ),
        pytest.param(
            'def f(): "Doc."; a()\n',
            'def f(): "Doc."; a()',
            BODY_START,
            'def f(): "Doc."; new(); a()\n',
            id="docstring-on-one-line",
        ),
        pytest.param(
            "def f(\n  a,\n):\n  @d\n  def g(): pass\n",
            "def f(\n  a,\n):\n  @d\n  def g(): pass",
            BODY_START,
            "def f(\n  a,\n):\n  new()\n  @d\n  def g(): pass\n",
            id="body-with-decorated-def",
        ),
        pytest.param(
            "if x:\n  a()\nelse:\n  b()\n",
            "if x:\n  a()\nelse:\n  b()",
            BODY_START,
            "if x:\n  new()\n  a()\nelse:\n  b()\n",
            id="body-of-if",
        ),
    ],
)
def test_insertion(text: str, code: str, side: Side, expected: str) -> None:
    assert rewritten(text, InsertStatement(spot(text, code), side, "new()")) == expected


@pytest.mark.parametrize(
    ("text", "code", "side", "new", "reason"),
    [
        ("if a:\n  b()\nelif c:\n  d()\n", "elif c:\n  d()", BEFORE, "new()", "elif"),
        ("if a:\n  b()\nelif c:\n  d()\n", "elif c:\n  d()", AFTER, "new()", "elif"),
        ("if a: b()\n", "b()", AFTER, "with x: y()", "share a line"),
        ("if a: b()\n", "b()", AFTER, "with x:\n    y()", "share a line"),
        ("a()\n", "a()", AFTER, "x = (", "not a statement"),
        ("a()\n", "a()", AFTER, "x = 1\ny = 2", "not a statement"),
        ("a()\n", "a()", BODY_START, "new()", "no body"),
        ("if x:\n\\\n  a()\n", "a()", BEFORE, "new()", "backslash"),
        ("a()\n", "a", AFTER, "new()", "does not hold"),
        ("'Doc.'\na()\n", "'Doc.'", BEFORE, "new()", "docstring"),
        ("def f():\n  'Doc.'\n", "'Doc.'", BEFORE, "new()", "docstring"),
    ],
)
def test_refusals(text: str, code: str, side: Side, new: str, reason: str) -> None:
    assert reason in refusal(text, InsertStatement(spot(text, code), side, new))


def test_a_header_brings_its_block_along() -> None:
    text = "if x:\r\n\ta()  # why\r\n"
    code = "for one in many:\n    b(one)"
    after = rewritten(text, InsertStatement(spot(text, "a()"), AFTER, code))
    assert after == "if x:\r\n\ta()  # why\r\n\tfor one in many:\r\n\t    b(one)\r\n"


def test_statements_at_one_side_are_put_in_order_of_rank_then_code() -> None:
    text = "a()\n"
    intents = [
        InsertStatement(spot(text, "a()"), AFTER, code, rank)
        for code, rank in (("late()", 2), ("b()", 1), ("c()", 1), ("b()", 1))
    ]
    assert rewritten(text, *intents) == "a()\nb()\nc()\nlate()\n"


def test_behind_a_block_and_behind_its_last_statement() -> None:
    text = "with x:\n  if y:\n    a()\n"
    inner, middle, outer = "a()", "if y:\n    a()", "with x:\n  if y:\n    a()"
    intents = [
        InsertStatement(spot(text, code), AFTER, new)
        for code, new in ((outer, "three()"), (inner, "one()"), (middle, "two()"))
    ]
    assert rewritten(text, *intents) == "with x:\n  if y:\n    a()\n    one()\n  two()\nthree()\n"


def test_after_one_and_before_the_next_are_different_edits() -> None:
    text = "a()\nb()\n"
    first = InsertStatement(spot(text, "a()"), AFTER, "one()")
    second = InsertStatement(spot(text, "b()"), BEFORE, "two()")
    assert rewritten(text, second, first) == "a()\none()\ntwo()\nb()\n"


def test_behind_two_statements_that_end_together_the_inner_comes_first() -> None:
    text = "if x:\n    a()\n"
    inner = InsertStatement(spot(text, "a()"), AFTER, "b()", rank=1)
    outer = InsertStatement(spot(text, text.strip()), AFTER, "c()")
    assert rewritten(text, outer, inner) == "if x:\n    a()\n    b()\nc()\n"


def test_behind_one_statement_the_order_is_that_of_the_ranks() -> None:
    text = "a()\n"
    later, earlier = (
        InsertStatement(spot(text, "a()"), AFTER, code, rank) for code, rank in (("b()", 1), ("c()", 0))
    )
    assert rewritten(text, later, earlier) == "a()\nc()\nb()\n"
