import ast
import io
import keyword
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npu_migrate.programs.imports import ImportedModule, scan_imports


def scanned(source: str) -> list[tuple[str, int, tuple[str, ...]]]:
    return [tuple(found) for found in scan_imports(textwrap.dedent(source).encode())]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a", [("a", 0, ())]),
        ("import a.b.c as d, e", [("a.b.c", 0, ()), ("e", 0, ())]),
        ("from a.b import c as d, e", [("a.b", 0, ("c", "e"))]),
        ("from a import *", [("a", 0, ("*",))]),
        ("from . import a", [("", 1, ("a",))]),
        ("from .. a import b", [("a", 2, ("b",))]),
        ("from.a import b", [("a", 1, ("b",))]),
        ("from .import a", [("", 1, ("a",))]),
        ("from ...a.b import(c)", [("a.b", 3, ("c",))]),
        ("def f():\n\timport a  # why", [("a", 0, ())]),
        ("try: import a\nexcept ImportError: from b import c", [("a", 0, ()), ("b", 0, ("c",))]),
        ("import a; import b;from c import d", [("a", 0, ()), ("b", 0, ()), ("c", 0, ("d",))]),
        ("if x[1:2]: import a", [("a", 0, ())]),
        ("from a import (  # first )\n    b,\n    # c,\n    d as e,\n)", [("a", 0, ("b", "d"))]),
        ("from a import b, \\\n    c", [("a", 0, ("b", "c"))]),
        ("from a.b \\\n    import c", [("a.b", 0, ("c",))]),
        ("import \\\n    a", [("a", 0, ())]),
        ("import a\rimport b\r\nimport c", [("a", 0, ()), ("b", 0, ()), ("c", 0, ())]),
        ("import a\nimport a\n", [("a", 0, ())]),
        ("import größe", [("größe", 0, ())]),
        ("m = importlib.import_module('a.b')", [("a.b", 0, ())]),
        ("import a\f", [("a", 0, ())]),
        ("\ufefffrom a import b", [("a", 0, ("b",))]),
    ],
)
def test_import_statements(source: str, expected: list[tuple[str, int, tuple[str, ...]]]) -> None:
    assert scanned(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "important = 1",
        "x.import_ = 1",
        "reimport = importer",
        "# import a",
        "x = 1  # note: import a",
        "'import a'",
        "print('usage: import a')",
        '"""\nWe import the data here.\nimport of goods\n"""',
        ">>> import a",
        "from a import",
        "from import a",
        "import a b",
        "import_module(name)",
        "import",
    ],
)
def test_what_only_looks_like_an_import(source: str) -> None:
    assert scanned(source) == []


def test_bytes_that_are_no_python_do_no_harm() -> None:
    assert scan_imports(b"\x00\xff import \xfe(\n" * 3) == ()
    assert scan_imports(b"from a import (" + b"x, " * 10_000) == ()


_names = (
    st.text("abcé_1", min_size=1, max_size=4)
    .filter(str.isidentifier)
    .filter(lambda n: not keyword.iskeyword(n))
)
_dotted = st.lists(_names, min_size=1, max_size=3).map(".".join)
_gaps = st.sampled_from([" ", "  ", "\t", " \\\n ", "\\\n\t"])
_alias = st.one_of(st.just(""), st.builds(" as {}".format, _names))


@st.composite
def _statements(draw: st.DrawFn) -> str:
    gap = draw(_gaps)
    if draw(st.booleans()):
        items = draw(st.lists(st.builds("{}{}".format, _dotted, _alias), min_size=1, max_size=3))
        return f"import{gap}{', '.join(items)}"
    items = draw(st.lists(st.builds("{}{}".format, _names, _alias), min_size=1, max_size=3))
    listed = draw(
        st.sampled_from(
            [", ".join(items), f"({', '.join(items)},)", "(\n" + ", # x )\n  ".join(items) + "\n)", "*"]
        )
    )
    source = draw(st.builds("{}{}".format, st.sampled_from(["", ".", ".. "]), _dotted))
    return f"from{gap}{source}{gap}import {listed}"


@given(st.lists(_statements(), max_size=4), st.sampled_from(["\n", "\r\n", "\r", "; "]))
def test_agrees_with_the_parser(statements: list[str], joint: str) -> None:
    source = "".join(statement + joint for statement in statements)
    if joint == "; ":
        source += "0"
    data = source.encode()
    if joint in ("\r\n", "\r"):
        data = source.replace(joint, "\n").replace("\n", joint).encode()
    expected: dict[ImportedModule, None] = {}
    for node in ast.parse(io.StringIO(source, newline=None).read()).body:
        if isinstance(node, ast.Import):
            expected |= dict.fromkeys(ImportedModule(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            expected[ImportedModule(node.module or "", node.level, names)] = None
    assert scan_imports(data) == tuple(expected)
