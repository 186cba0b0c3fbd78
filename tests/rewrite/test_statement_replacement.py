"""A simple statement in the place of another one."""

from __future__ import annotations

import pytest
from rewriting import refusal, rewritten, spot

from npu_migrate.intents import ReplaceStatement


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("import a.b as c\nc.f()\n", "import a.b as c", "import d", "import d\nc.f()\n"),
        ("c.init()  # once\n", "c.init()", "x, y = f()", "x, y = f()  # once\n"),
        ("if a: c.init(); g()\n", "c.init()", "x = f()", "if a: x = f(); g()\n"),
        (
            "def f():\n    return g(\n        1)\n",
            "return g(\n        1)",
            "return 2",
            "def f():\n    return 2\n",
        ),
        ("a = 1\n", "a = 1", "b = 2", "b = 2\n"),
        ("a = 1\nb = 2\n", "a = 1", "", "b = 2\n"),
        (
            "def f():\n    a = g(\n        1)\n    return 2",
            "a = g(\n        1)",
            "",
            "def f():\n    return 2",
        ),
        ("a = 1\nb = 2", "b = 2", "", "a = 1\n"),
    ],
)
def test_replacing(text: str, old: str, new: str, expected: str) -> None:
    assert rewritten(text, ReplaceStatement(spot(text, old), new)) == expected


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        ("f(\n    1,  # why\n)\n", "f(\n    1,  # why\n)", "g()", "it would lose a comment"),
        ("if a:\n    b()\n", "if a:\n    b()", "c()", "only a simple statement can be replaced"),
        ("f()\n", "f()", "if a: b()", "cannot share a line"),
        ("f()\n", "f()", "g(", "is not a statement"),
        ("a = 1  # why\nb = 2\n", "a = 1", "", "it would lose a comment"),
        ("if a:\n    b()\n", "b()", "", "a block needs a statement"),
        ("if a:\n    b()\nelse:\n    c()\n", "c()", "", "a block needs a statement"),
        ("a = 1; b = 2\n", "a = 1", "", "shares its line"),
        ("a = 1; b = 2\n", "b = 2", "", "shares its line"),
        ("if a: b = 1\n", "b = 1", "", "a block needs a statement"),
    ],
)
def test_what_is_refused(text: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(text, ReplaceStatement(spot(text, old), new))
