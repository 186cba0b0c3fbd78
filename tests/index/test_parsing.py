"""Long texts are parsed in parts: the result is that of the whole."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from fidelity import read_tree
from fixture_cases import FIXTURES

from npu_migrate.index import parsing

STATEMENTS = '''\
"""A text

in three paragraphs.
"""

import os

if os.sep:
    x = 1

elif os.name:
    x = 2

else:
    x = 3

try:
    pass

except ValueError:
    pass

else:
    pass

finally:
    pass

@decorated

def f(a):
    """
if a text looks like code

class A:
    """
    return a

y = [
1,

x
]

z = x + \\

async def g(): pass
text = """迭代器😀"""; a = """

import b"""

elsewhere = 1
'''


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("size", [1, 30, 100])
def test_parts_make_the_whole(size: int, newline: str) -> None:
    text = STATEMENTS.replace("z = x + \\", "z = x \\").replace("\n", newline)
    require_the_same(text, size)


@pytest.mark.parametrize("rule", sorted(FIXTURES.glob("NPU*")), ids=lambda rule: rule.name)
def test_parts_of_scripts_make_the_whole(rule: Path) -> None:
    for before in rule.glob("*/before"):
        for path, data in read_tree(before).items():
            if path.endswith(".py") and b"coding" not in data and b"\r" not in data:
                require_the_same(data.decode("utf-8-sig"), 200)


@pytest.mark.parametrize("at", range(0, len(STATEMENTS), 7))
@pytest.mark.parametrize("typed", ["(", '"""', "\0", "def", "\n    ", "x y", "😀", "\ud83d"])
def test_the_error_is_that_of_the_whole(at: int, typed: str) -> None:
    require_the_same(STATEMENTS[:at] + typed + STATEMENTS[at:], 40)


@pytest.mark.long
def test_a_long_text() -> None:
    text = "def f():\n    return [1, 2, 3]\n\n" * 10_000
    require_the_same(text, 100_000)
    assert ast.dump(parsing.parse(text)) == ast.dump(ast.parse(text))
    mac = text[:150_000] + "\r" + text[150_000:]
    assert parsing.parse(mac).body[-1].end_lineno == ast.parse(mac).body[-1].end_lineno


def require_the_same(text: str, size: int) -> None:
    whole = dumped(lambda: ast.parse(text))
    assert dumped(lambda: parsing._parsed_in_parts(text, size)) == whole


def dumped(work: Callable[[], ast.Module]) -> object:
    try:
        return ast.dump(work(), include_attributes=True)
    except SyntaxError as error:
        return error.msg, error.lineno, error.offset, error.end_lineno, error.end_offset, error.text
    except parsing.UNPARSABLE as error:
        return type(error)
