"""Calls of functions that a dictionary, an object or a name holds."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from source_trees import tree_of

from npu_migrate.programs.programs import relevant_files
from npu_migrate.project.project import Project
from npu_migrate.semantics.calls.function_calls import all_calls_of
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.libraries import LIBRARIES

CALLED = {
    "dictionary": "def f(n):\n  pass\nTABLE = {'f': f}\nTABLE['f'](1)\n",
    "dictionary by get": "def f(n):\n  pass\nTABLE = {'f': f}\nTABLE.get('f')(1)\n",
    "stored": "def f(n):\n  pass\nTABLE = {}\nTABLE['f'] = f\nTABLE['f'](1)\n",
    "registered": """
        TABLE = {}
        def register(name):
            def keep(function):
                TABLE[name] = function
                return function
            return keep
        @register("f")
        def f(n):
            pass
        TABLE["f"](1)
        """,
    "found first": "def f(n):\n  pass\nTABLE = {'f': f}\nfound = TABLE['f']\nfound(1)\n",
    "object": "class C:\n  def __call__(self, n):\n    pass\nC()(1)\n",
    "object with a name": "class C:\n  def __call__(self, n):\n    pass\nc = C()\nc(1)\n",
    "class": "class C:\n  def __init__(self, n):\n    pass\nTABLE = {'c': C}\nTABLE['c'](1)\n",
    "getattr": "class C:\n  def f(self, n):\n    pass\ngetattr(C(), 'f')(1)\n",
    "getattr by parts": "class C:\n  def f(self, n):\n    pass\ngetattr(C(), x + 'f')(1)\n",
    "partial": "import functools\ndef f(n):\n  pass\nfunctools.partial(f, 1)()\n",
    "parameter": "def f(n):\n  pass\ndef run(g):\n  g(1)\nrun(f)\n",
}

NOT_CALLED = {
    "another key": "def f(n):\n  pass\ndef g(n):\n  pass\nTABLE = {'f': f, 'g': g}\nTABLE['g'](1)\n",
    "another table": "def f(n):\n  pass\nTABLE = {'f': f}\nOTHER = {}\nOTHER['f'](1)\n",
    "another class": "class C:\n  def __call__(self, n):\n    pass\nclass D:\n  pass\nC()\nD()(1)\n",
    "another attribute": "class C:\n  def f(self, n):\n    pass\n  g = 1\ngetattr(C(), 'g')(1)\n",
    "never looked up": "def f(n):\n  pass\nTABLE = {'f': f}\n",
}


def calls_of_first(root: Path, text: str) -> int:
    tree = tree_of(root, {"train.py": dedent(text).lstrip("\n") + "# npu_bridge\n"})
    project = Project(tree, relevant_files(tree), LIBRARIES)
    facts = project.facts((root / "train.py").as_posix())
    assert facts is not None
    target = next(s.id for s in facts.scopes if s.name in ("f", "__call__", "__init__"))
    return len(all_calls_of(project, Definition(facts.key, target)))


@pytest.mark.parametrize("text", CALLED.values(), ids=CALLED.keys())
def test_called_once(tmp_path: Path, text: str) -> None:
    assert calls_of_first(tmp_path, text) == 1


@pytest.mark.parametrize("text", NOT_CALLED.values(), ids=NOT_CALLED.keys())
def test_not_called(tmp_path: Path, text: str) -> None:
    assert calls_of_first(tmp_path, text) == 0
