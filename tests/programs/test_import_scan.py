import ast
import io
import keyword
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npu_migrate.programs.imports import ImportedModule, leading_imports, scan_imports


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
        ("m = __import__('a.b', fromlist=['c'])", [("a.b", 0, ())]),
        ("import_module('a.b.' + name)", [("a.b", 0, ("?",))]),
        ("import_module('a.b_%s' % name)", [("a", 0, ("b_?",))]),
        ("import_module('a.b_{}'.format(name))", [("a", 0, ("b_?",))]),
        ("import_module(f'a.{name}')", [("a", 0, ("?",))]),
        ("NAMES = ['a.b', 'c']\nfor n in NAMES:\n    import_module(n)", [("a.b", 0, ())]),
        ("import_module('.a', __package__)", [("a", 1, ())]),
        ("import_module('..a.b', package=__package__)", [("a.b", 2, ())]),
        ("import_module('.' + name, __package__)", [("", 1, ("?",))]),
        ("import_module('.net_' + name, __name__)", [("", 1, ("net_?",))]),
        ("import_module('.a.%s' % name, __package__)", [("a", 1, ("?",))]),
        ("import_module(f'.{name}', package)", [("", 1, ("?",))]),
        ("import_module('.' + name, 'a')", [("a", 0, ("?",))]),
        ("import_module('.{}'.format(name), package='a.b')", [("a.b", 0, ()), ("a.b", 0, ("?",))]),
        ("import_module('..' + name, 'a.b')", [("a.b", 0, ()), ("a", 0, ("?",))]),
        ("import_module('.b_' + f(name),\n    a.__name__,\n)", [("a", 0, ("b_?",))]),
        ("import_module('.b', 'a')", [("b", 1, ()), ("a.b", 0, ())]),
        ("NAMES = ['.a', '.b.c']\nfor n in NAMES:\n    import_module(n, p)", [("a", 1, ()), ("b.c", 1, ())]),
        ("import_module(name)\nopen('config.json'), open('a/.png'), '.png'", []),
        ("import_module('a.json')", [("a.json", 0, ())]),
        ("info('#'); from a import b", [("a", 0, ("b",))]),
        ("if sep == '#': import a", [("a", 0, ())]),
        ("x = '\\'#'; import a", [("a", 0, ())]),
        ("x = '''\n; # '''; import a", [("a", 0, ())]),
        ("x = '#'; import a  # ; import b", [("a", 0, ())]),
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
        "x = '#'  # note: import a",
        "x = '; import a'  # '",
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
    assert scan_imports(data) == _imported_by(ast.parse(io.StringIO(source, newline=None).read()).body)


_HEADS = (
    "",
    "#!/usr/bin/env python\n# import none\n\n",
    '"""Text.\n\nimport none\n"""\n',
    "r'import none'  # x\n",
)
_OTHERS = (
    "x = 1",
    "try:\n    import late\nexcept ImportError:\n    pass",
    "def f():\n    import late",
    "print('x'); import late",
)


@given(
    st.sampled_from(_HEADS),
    st.lists(_statements(), max_size=4),
    st.sampled_from(_OTHERS),
    st.lists(_statements(), max_size=2),
    st.sampled_from(["\n", "\r\n"]),
)
def test_leading_imports_come_before_everything_else(
    head: str, leading: list[str], other: str, late: list[str], line_end: str
) -> None:
    source = head + "".join(f"{line}\n" for line in [*leading, other, *late])
    data = source.replace("\n", line_end).encode()
    assert leading_imports(data) == _imported_by(ast.parse("\n".join(leading)).body)


def test_leading_imports_of_one_line() -> None:
    assert leading_imports(b"import a; import b  # c\nimport d") == scan_imports(b"import a, b, d")


def _imported_by(body: list[ast.stmt]) -> tuple[ImportedModule, ...]:
    found: dict[ImportedModule, None] = {}
    for node in body:
        if isinstance(node, ast.Import):
            found |= dict.fromkeys(ImportedModule(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            found[ImportedModule(node.module or "", node.level, names)] = None
    return tuple(found)
