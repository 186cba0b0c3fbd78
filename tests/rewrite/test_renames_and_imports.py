"""Identifiers renamed, imports added."""

from __future__ import annotations

import pytest
from rewriting import PATH, refusal, rewritten, safe, spot, together, unsafe

from npu_migrate.intents import AddImport, InsertStatement, Rename, ReplaceStatement, Side
from npu_migrate.places import Place


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("old(old)\n", "old", "new(old)\n"),
        ("a.old.old()\n", "a.old.old", "a.old.new()\n"),
        ("a. \\\n old ()\n", "a. \\\n old", "a. \\\n new ()\n"),
        ("(a  # c\n .old)()\n", "a  # c\n .old", "(a  # c\n .new)()\n"),
        ("from m import a, old as b\n", "old as b", "from m import a, new as b\n"),
        ("from m import (a,\n  old)\n", "old", "from m import (a,\n  new)\n"),
        ("import a . old as old\n", "a . old as old", "import a . new as old\n"),
        ("f(old=1)\n", "old=1", "f(new=1)\n"),
        ("日.old('😀')\n", "日.old", "日.new('😀')\n"),
    ],
)
def test_rename(text: str, code: str, expected: str) -> None:
    assert rewritten(text, Rename(spot(text, code), "old", "new")) == expected


def test_rename_of_the_word_itself() -> None:
    text = "x.f(old = 1)\n"
    assert rewritten(text, Rename(Place(PATH, (1, 4, 1, 7)), "old", "new")) == "x.f(new = 1)\n"


@pytest.mark.parametrize(
    ("text", "span", "reason"),
    [
        ("other\n", (1, 0, 1, 5), "does not hold the name 'old'"),
        ("'old'\n", (1, 1, 1, 4), "does not hold"),
        ("# old\n", (1, 2, 1, 5), "does not hold"),
        ("f'{old}'\n", (1, 3, 1, 6), "does not hold"),
        ("f(**old)\n", (1, 2, 1, 7), "does not hold"),
        ("old()\n", (1, 0, 1, 5), "does not hold"),
    ],
)
def test_refused_rename(text: str, span: tuple[int, int, int, int], reason: str) -> None:
    assert reason in refusal(text, Rename(Place(PATH, span), "old", "new"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("import b\nc()\n", "import b\nimport a\nc()\n", id="behind-imports"),
        pytest.param("import b  # c\nd()\n", "import b  # c\nimport a\nd()\n", id="behind-comment"),
        pytest.param("from b import (\n  c,\n)\n", "from b import (\n  c,\n)\nimport a\n", id="over-lines"),
        pytest.param("import b; c()\n", "import b; import a; c()\n", id="shared-line"),
        pytest.param("import b\nx = 1\nimport c\n", "import b\nx = 1\nimport c\nimport a\n", id="last"),
        pytest.param(
            "import b\ndef f(): pass\nimport c\n",
            "import b\nimport a\ndef f(): pass\nimport c\n",
            id="before-def",
        ),
        pytest.param("import b\na.x()\nimport c\n", "import b\nimport a\na.x()\nimport c\n", id="before-use"),
        pytest.param("try:\n  import a\nexcept E: pass\nx()\n", None, id="not-into-try"),
        pytest.param(
            "import b\ntry:\n  import a\nexcept E: pass\n",
            "import b\nimport a\ntry:\n  import a\nexcept E: pass\n",
            id="only-in-try",
        ),
        pytest.param('"""Doc."""\nx()\n', '"""Doc."""\nimport a\nx()\n', id="behind-docstring"),
        pytest.param('"""Doc."""', '"""Doc."""\nimport a', id="only-docstring"),
        pytest.param(
            "from __future__ import b\nx()\n", "from __future__ import b\nimport a\nx()\n", id="future"
        ),
        pytest.param(
            "#!/bin/py\n# Copyright\n\n# x\nx()\n",
            "#!/bin/py\n# Copyright\nimport a\n\n# x\nx()\n",
            id="behind-head",
        ),
        pytest.param(
            "\n# coding: utf-8\nx()\n", "\n# coding: utf-8\nimport a\nx()\n", id="cookie-on-line-two"
        ),
        pytest.param("from . import a\n", "from . import a\nimport a\n", id="of-the-package"),
        pytest.param("x()", "import a\nx()", id="on-top"),
        pytest.param("", "import a\n", id="empty"),
        pytest.param("# c", "# c\nimport a", id="only-comment"),
        pytest.param("import b\r\n", "import b\r\nimport a\r\n", id="crlf"),
        pytest.param(
            "import b\n# pylint: enable=x\n#isort:on\n# c\nx()\n",
            "import b\n# pylint: enable=x\n#isort:on\nimport a\n# c\nx()\n",
            id="behind-what-a-linter-is-told",
        ),
        pytest.param(
            "import b\n\n# pylint: enable=x\n",
            "import b\nimport a\n\n# pylint: enable=x\n",
            id="pragma-apart",
        ),
        pytest.param(
            "import b\n# pylint: disable=x\nx()\n",
            "import b\nimport a\n# pylint: disable=x\nx()\n",
            id="before-what-a-linter-is-told",
        ),
    ],
)
def test_import(text: str, expected: str | None) -> None:
    if expected is None:
        expected = "import a\n" + text
    assert rewritten(text, AddImport(PATH, "import a")) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("import a\n", "import a"),
        ("import b, a\n", "import a"),
        ("from a import b, c as d\n", "from a import c as d"),
        ("def f(): a.x()\nimport a\n", "import a"),
    ],
)
def test_nothing_changes_when_the_import_is_there(text: str, code: str) -> None:
    assert "change nothing" in refusal(text, AddImport(PATH, code))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from a import c  # why\n", "from a import c, b  # why\n"),
        (
            "from a import (\n    c,  # why\n    d,\n)\n",
            "from a import (\n    c,  # why\n    d,\n    b,\n)\n",
        ),
        ("from a import (\n    c,\n    d  # why\n)\n", "from a import (\n    c,\n    d, b  # why\n)\n"),
        (
            "from a import (c,\n               d)\n",
            "from a import (c,\n               d,\n               b)\n",
        ),
        ("from a import (c, d,\n               e, f)\n", "from a import (c, d,\n               e, f, b)\n"),
        (f"from a import {'c' * 83}\n", f"from a import {'c' * 83}, b\n"),
        (f"from a import {'c' * 84}\n", f"from a import {'c' * 84}, \\\n    b\n"),
        ("from a import c; import d\n", "from a import c, b; import d\n"),
        ("from .a import c\n", "from .a import c\nfrom a import b\n"),
        ("from a import *\n", "from a import *\nfrom a import b\n"),
        ("if x:\n    from a import c\n", "from a import b\nif x:\n    from a import c\n"),
    ],
)
def test_names_go_to_the_import_that_is_there(text: str, expected: str) -> None:
    assert rewritten(text, AddImport(PATH, "from a import b")) == expected


def test_several_names_go_to_one_import() -> None:
    wanted = [AddImport(PATH, f"from a import {name}") for name in ("d", "b, c", "c, d")]
    assert rewritten("import x\n", *wanted) == "import x\nfrom a import b, c, d\n"
    assert rewritten("from a import e\n", *wanted) == "from a import e, b, c, d\n"


@pytest.mark.parametrize(
    "text", ["import a as b\n", "from a import b as c\n", "if x: import a\n", "from .a import b\n"]
)
def test_other_imports_do_not_count(text: str) -> None:
    assert rewritten(text, AddImport(PATH, "from a import b")).count("from a import b\n") == 1


def test_an_import_comes_before_the_line_that_needs_it() -> None:
    text = "import b\nx()\nimport c\ny()\nimport a\n"
    use = InsertStatement(spot(text, "x()"), Side.AFTER, "a.f()")
    assert rewritten(text, AddImport(PATH, "import a"), use) == (
        "import b\nimport a\nx()\na.f()\nimport c\ny()\nimport a\n"
    )


def test_what_a_function_needs_may_be_imported_below_it() -> None:
    text = "def f():\n  x()\nimport a\nf()\n"
    use = InsertStatement(spot(text, "x()"), Side.AFTER, "a.f()")
    assert rewritten(text, AddImport(PATH, "import a"), use) == "def f():\n  x()\n  a.f()\nimport a\nf()\n"


def test_what_a_class_needs_is_imported_above_it() -> None:
    text = "class A:\n  x()\nimport a\n"
    use = InsertStatement(spot(text, "x()"), Side.AFTER, "a.f()")
    assert rewritten(text, AddImport(PATH, "import a"), use) == (
        "import a\nclass A:\n  x()\n  a.f()\nimport a\n"
    )


def test_imports_of_several_rewrites_come_once_and_in_order() -> None:
    text = "import b\n"
    rewrites = [safe(AddImport(PATH, code)) for code in ("import d", "import c", "import d")]
    assert together(text, *rewrites) == "import b\nimport c\nimport d\n"


def test_a_long_import_goes_on_in_the_next_line() -> None:
    names = [letter * 40 for letter in "bcde"]
    wanted = [AddImport(PATH, f"from a import {name}") for name in names]
    first, second, third, fourth = names
    assert rewritten("import x\r\n", *wanted) == (
        f"import x\r\nfrom a import {first}, {second}, \\\r\n    {third}, {fourth}\r\n"
    )


def test_safe_and_unsafe_names_are_one_import() -> None:
    def of(*names: str) -> str:
        added = [AddImport(PATH, f"from a import {name}") for name in names]
        return together("import x\n", safe(added[0]), unsafe(added[0], *added[1:]))

    long = "c" * 84
    assert of("b", "c") == "import x\nfrom a import b, c\n"
    assert of("b", long, "d") == f"import x\nfrom a import b, \\\n    {long}, d\n"
    assert of(long, "d", "e") == f"import x\nfrom a import {long}, \\\n    d, e\n"


def test_only_imports_are_imported() -> None:
    assert "not an import" in refusal("", AddImport(PATH, "a()"))


def test_an_import_comes_before_other_statements_behind_the_last_import() -> None:
    text = "import b\nx()\n"
    use = InsertStatement(spot(text, "x()"), Side.AFTER, "a.f()")
    other = InsertStatement(spot(text, "import b"), Side.AFTER, "b.g()")
    assert together(text, safe(AddImport(PATH, "import a"), use), safe(other)) == (
        "import b\nimport a\nb.g()\nx()\na.f()\n"
    )


@pytest.mark.parametrize(
    ("text", "gone", "expected"),
    [
        pytest.param("import b\nimport c\nd()\n", "import c", "import b\nimport a\nd()\n", id="last"),
        pytest.param("import c\nimport b\nd()\n", "import c", "import b\nimport a\nd()\n", id="first"),
        pytest.param("import c\nd()\n", "import c", "import a\nd()\n", id="only"),
        pytest.param("'Doc.'\nimport c\nd()\n", "import c", "'Doc.'\nimport a\nd()\n", id="behind-docstring"),
        pytest.param("# c\nimport c\nd()\n", "import c", "# c\nimport a\nd()\n", id="behind-comment"),
    ],
)
def test_nothing_goes_behind_an_import_that_is_taken_away(text: str, gone: str, expected: str) -> None:
    adding, removing = AddImport(PATH, "import a"), ReplaceStatement(spot(text, gone), "")
    assert rewritten(text, adding, removing) == expected
    assert together(text, unsafe(removing), safe(adding)) == expected
