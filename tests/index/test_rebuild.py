"""Facts after a keystroke: the short way to them leads where the long way does."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import pytest
from fixture_cases import FIXTURES

from npu_migrate.index.build import build_facts
from npu_migrate.index.facts import FileFacts
from npu_migrate.index.parsing import UNPARSABLE
from npu_migrate.index.rebuild import rebuild_facts

CHARACTERS = "aZ_ 019.,:;()[]{}=+#@\\'\"\t*\r\n\x0cé迭😀"
WORDS = (
    " if | else 0|x = |self.|lambda: |not |import |from x import *|global n|yield |def f(): |for n in m: |:="
    "|**|f'{n}'|del |return |await |async |pass; "
)
TYPED = (*CHARACTERS, *WORDS.split("|"))


def plain(value: Any) -> Any:
    """A value that is compared by what it says: expressions are not."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, tuple(
            plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        )
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return type(value).__name__, repr(value)


def in_order(facts: FileFacts) -> Any:
    """All that facts say, with the order of the bindings, of which the order of findings may depend."""
    return plain(facts), [[*scope.bindings] for scope in facts.scopes]


def typed(chance: random.Random, text: str) -> tuple[int, str, str]:
    """A place in the text, what is removed there and what is typed instead."""
    start = chance.randrange(len(text) + 1)
    removed = text[start : start + chance.choice((0, 0, 0, 1, 1, 2, 5))]
    return start, removed, chance.choice(("", *TYPED) if removed else TYPED)


def scripts() -> list[Path]:
    return sorted(FIXTURES.glob("NPU1*/*/before/*.py"))[::6]


@pytest.mark.parametrize("seed", range(8))
def test_each_keystroke(seed: int) -> None:
    """Of thousands of keystrokes, all that leave Python behind, in scripts of all kinds."""
    chance = random.Random(seed)
    short = 0
    for script in scripts()[seed::8]:
        text = script.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
        try:
            facts = build_facts("train.py", text)
        except UNPARSABLE:
            continue
        for _ in range(60):
            start, removed, added = typed(chance, text)
            now = text[:start] + added + text[start + len(removed) :]
            rebuilt = rebuild_facts(facts, now, start, removed, added)
            try:
                built = build_facts("train.py", now)
            except UNPARSABLE:
                assert rebuilt is None
                continue
            if rebuilt is not None:
                short += 1
                assert in_order(rebuilt) == in_order(built)
            if chance.random() < 0.3:  # go on typing: what was rebuilt is built upon
                text, facts = now, rebuilt or built
    assert short > 20


LINES = """\
import a, b

def f(x, y=lambda z: z):
    global_name = [n for n in x]
    return a.g(x)(y)

b = f(1); c = f(2)
@a.decorator
def g():
    yield b
    with open(c) as d, a: pass
class K(a.B):
    b = 2
e = (
    1,
    2)
"""


@pytest.mark.parametrize(
    ("before", "after", "is_short"),
    [
        ("a.g(x)", "a.h(x)", True),
        ("n for n in x", "m for m in x if m", True),
        ("lambda z: z", "(lambda z: z)(1)", True),
        ("yield b", "yield b + 1", True),
        ("yield b", "b", True),
        ("@a.decorator", "@a.decorator(b)", True),
        ("    2)", "    20)", True),
        ("import a, b", "import a as aa, b", True),
        ("K(a.B)", "L(a.B, b=3)", True),
        ("b = 2", "b = lambda: 2", False),  # one scope more
        ("c = f(2)", "c = f(3)", False),  # two statements in a line
        ("return a.g", "global q; return a.g", False),
        ("import a, b", "from a import *", False),
        ("yield b", "yield (b", False),
    ],
)
def test_which_keystrokes_are_short(before: str, after: str, is_short: bool) -> None:
    start = LINES.index(before)
    now = LINES.replace(before, after, 1)
    rebuilt = rebuild_facts(build_facts("k", LINES), now, start, before, after)
    assert (rebuilt is not None) == is_short
    if rebuilt is not None:
        assert in_order(rebuilt) == in_order(build_facts("k", now))


def test_other_statements_keep_their_expressions() -> None:
    """So that what is known of them stays known."""
    facts = build_facts("k", LINES)
    start = LINES.index("yield b")
    rebuilt = rebuild_facts(facts, LINES.replace("yield b", "yield x"), start + 6, "b", "x")
    assert rebuilt is not None
    same = [one is other for one, other in zip(facts.statements, rebuilt.statements, strict=True)]
    assert same.count(False) == 4


@pytest.mark.parametrize(
    ("before", "removed", "added", "short"),
    [
        ("from lib import *\nfrom m import here\n", "here", "there", True),
        (
            "from lib import *\ntry:\n    from m import here\nexcept ImportError:\n    pass\n",
            "here",
            "there",
            True,
        ),
        ("from lib import *\nfrom m import here\n", "*", "some", False),
        ("from m import here\nfrom lib import some\n", "some", "*", False),
    ],
)
def test_an_import_beside_one_with_a_star(before: str, removed: str, added: str, *, short: bool) -> None:
    now = before.replace(removed, added, 1)
    rebuilt = rebuild_facts(build_facts("train.py", before), now, before.index(removed), removed, added)
    assert (rebuilt is not None) == short
    assert rebuilt is None or in_order(rebuilt) == in_order(build_facts("train.py", now))
