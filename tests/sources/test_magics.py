"""What is not Python in a cell, told apart as IPython does."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager

from npu_migrate.sources.magics import covered, covers


def plain(cell: str) -> str:
    return covered(cell, covers(cell))


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%matplotlib inline\nx = 1", "__________________\nx = 1"),
        ("!ls -l", "______"),
        ("!!ls", "____"),
        ("!echo (\nx = 1", "_______\nx = 1"),
        ("x = !ls", "x = ___"),
        ("x = %sql select 1", "x = _____________"),
        ("if a:\n    !ls\n    %who\n", "if a:\n    ___\n    ____\n"),
        ("if a: %ls", "if a: %ls"),
        ("for i in x: y = !cat {i}", "for i in x: y = ________"),
        ("?foo", "____"),
        ("foo.bar??", "_________"),
        ("  x = foo?", "  ________"),
        ("%foo?", "_____"),
        ("foo? ", "foo? "),
        ("f(a,\n  b?\n", "____\n____\n"),
        (",f a b", "______"),
        (";f a b", "______"),
        ("/f 1 2", "______"),
        ("!pip install \\\n  a \\\nb\nx = 1", "______________\n_____\n_\nx = 1"),
        ("if a:\n    !pip \\\n        a\n    x", "if a:\n    ______\n    _____\n    x"),
        ("if a:\n    !pip \\\n a\n    x", "if a:\n    ______\n  \n    x"),
        ("é = %précis ü\ny", "é = _________\ny"),
        # magics that run Python on their line
        ("%time f(x)", "_____;f(x)"),
        ("%time x = 1; y = 2", "_____;x = 1; y = 2"),
        ("%time for i in x: f(i)", "______________________"),
        ("%timeit -n 10 -r3 f(x)", "_________________;f(x)"),
        ("x = %time f(x)", "x =       f(x)"),
        ("x = %timeit -o f(x)", "x = _______________"),
        # the magics of whole cells
        ("%%time\nx = 1", "______\nx = 1"),
        ("\n%%capture out\n%%time\n!ls\nx", "\n_____________\n______\n___\nx"),
        ("%%bash\necho $x\n\n  ls", "______\n_______\n\n____"),
        ("%%writefile a.py\nx = 1", "________________\n_____"),
        ("x = 1\n%%time\ny = 2", "x = 1\n______\ny = 2"),
        # Python
        ("x = (a\n  %b)", "x = (a\n  %b)"),
        ("x = [\n!\n]", "x = [\n!\n]"),
        ("s = '''\n%time\n!ls\nfoo?\n'''", "s = '''\n%time\n!ls\nfoo?\n'''"),
        ("s = f'''\n{x}\n%time\n'''", "s = f'''\n{x}\n%time\n'''"),
        ("# why?\nx = 1  # foo?", "# why?\nx = 1  # foo?"),
        ("x = 5 \\\n % 3", "x = 5 \\\n % 3"),
        ("x = a % b\nx %= 3\ny = a != b", "x = a % b\nx %= 3\ny = a != b"),
        ("f(end='')\nd = {'?': '!'}", "f(end='')\nd = {'?': '!'}"),
        ("", ""),
    ],
)
def test_covers(cell: str, python: str) -> None:
    assert plain(cell) == python
    assert len(cell) == len(python)


def test_what_must_come_first_is_marked() -> None:
    assert [one.on_top for one in covers("%%capture\n%%time\n%who\nx")] == [True, True, False]
    assert [one.on_top for one in covers("%%bash\nls")] == [True]


@pytest.mark.parametrize(
    ("magic", "unseen"),
    [
        ("%%writefile train.py", True),
        ("%%writefile -a 'src/train.py'", True),
        ("%%file notes.txt", False),
        ("%%python3", True),
        ("%%script python", True),
        ("%%script bash", False),
        ("%%bash", False),
        ("%%!", False),
        ("%%mymagic", True),
        ("%%time", False),
        ("%who", False),
    ],
)
def test_python_for_elsewhere_is_marked(magic: str, unseen: bool) -> None:
    assert [one.unseen for one in covers(f"{magic}\nx = 1")] == [unseen]


LINES = [
    *(
        "x = 1",
        "",
        "if a:",
        "    pass",
        "for i in b:",
        "def g():",
        "    return 3",
        "@dec",
        "f(",
        ")",
        "x = [1,",
    ),
    *(
        "2]",
        "a = (5",
        "  % 2)",
        "x = a % b",
        "t %= 3",
        "x != y",
        "x == 3",
        "lambda: x",
        "'abc'",
        "'?'",
        "'''",
    ),
    *("s = '''", "x = 5 \\", "  + 3", "# why?", "import os;", 'f"{x!r}"', "d = {'a': 1}", "print('!')"),
    *("%matplotlib inline", "!ls -l", "!ls \\", "  more", "    !ls", "    %pylab", "    w = !cat {i}"),
    *(
        "y = !ls",
        "z = %sql select",
        "foo?",
        "foo.bar??",
        "?foo",
        "??foo",
        "x = foo?",
        "d[0]?",
        "d[i]?",
        "%foo?",
    ),
    *("a = b = !ls", "x = !!ls", "x = % who 5", "class A: y = !pwd", "z: int = %who", "x.y = !ls"),
    *(
        "!pip install a; # b?",
        "%load_ext a \\",
        "   b \\",
        "é = %précis 3",
        "f(a=%b)",
        "x == !ls",
        "%notmagic",
    ),
    *("%%time", "%%bash", "%%capture out", "%%time?"),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=7).map("\n".join))
def test_the_same_is_python_as_for_ipython(cell: str) -> None:
    """Whatever IPython can run, the covered cell says the same; each command is a name or is gone."""
    # IPython shifts a cell to the left that begins with a blank; such a cell is not valid here.
    assume(not cell.lstrip("\n").startswith(" "))
    expected = by_ipython(cell)
    assume(expected is not None)
    try:
        actual = parsed(plain(cell))
    except SyntaxError:
        pytest.fail(f"{plain(cell)!r} is not Python")
    assert normal(actual) == normal(expected)


def by_ipython(cell: str) -> ast.Module | None:
    """The cell as IPython would run it, with the bodies of cell magics in place; None if it would not."""
    try:
        module = parsed(TransformerManager().transform_cell(cell))
        return ast.Module([one for statement in module.body for one in unfolded(statement)], [])
    except SyntaxError:
        return None


def unfolded(statement: ast.stmt) -> Iterator[ast.stmt]:
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(attr="run_cell_magic"), [ast.Constant(name), _, body])):
            if name in ("time", "capture"):
                assert isinstance(body, ast.Constant)
                # The body runs as a cell of its own; IPython would shift it to the left.
                if str(body.value).lstrip("\n").startswith(" "):
                    raise SyntaxError
                inner = by_ipython(str(body.value))
                if inner is None:
                    raise SyntaxError
                yield from inner.body
        case _:
            yield statement


def parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


class Commands(ast.NodeTransformer):
    """Makes IPython's calls and our covers one name, and leaves them out where they are statements."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node.func:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython"))):
                return ast.Name("_", ast.Load())
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name("_", node.ctx) if not node.id.strip("_") else node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | None:
        self.generic_visit(node)
        return None if isinstance(node.value, ast.Name) and node.value.id == "_" else node


def normal(module: ast.Module) -> str:
    return ast.dump(Commands().visit(module))
