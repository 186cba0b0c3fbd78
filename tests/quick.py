"""What the quick run leaves out:  python tests/run.py --quick  (or ``pytest --quick``).

It is for the time between two changes: under two minutes on two processors. A test is left out for what it
uses, not by its name: a tool, a TensorFlow, the folder that it is in, or the mark ``long``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools import TOOLS, needs

if TYPE_CHECKING:
    import pytest

TESTS = Path(__file__).parent
TOOLS_OF_QUICK = frozenset({"git"})
"""The tools whose tests the quick run has too."""


class Kind(NamedTuple):
    """Tests that the quick run leaves out: how they are called, and which they are."""

    tests: str
    holds: Callable[[pytest.Item], bool]


def needing(tool: str) -> Kind:
    return Kind(TOOLS[tool].tests, lambda item: tool in needs(item))


def below(folder: str, tests: str) -> Kind:
    return Kind(tests, lambda item: TESTS / folder in item.path.parents)


KINDS = (
    *map(needing, sorted(TOOLS.keys() - TOOLS_OF_QUICK)),
    Kind("scripts under TensorFlow", lambda item: "worlds" in getattr(item, "fixturenames", ())),
    below("robustness", "programs made at random, hostile trees, killed runs"),
    below("integration", "hooks, actions and pipelines as others run them"),
    Kind("tests that are marked as long", lambda item: item.get_closest_marker("long") is not None),
)


def is_quick(item: pytest.Item) -> bool:
    """Whether a test is one of the quick run."""
    return not any(kind.holds(item) for kind in KINDS)


def left_out_by_quick() -> list[str]:
    """A line for each kind of tests that the quick run leaves out."""
    return [f"LEFT OUT: {kind.tests} (--quick)" for kind in KINDS]
