"""Code that constants rule out, and expressions that may be evaluated once more."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from source_trees import tree_of

from npu_migrate.index.facts import Call
from npu_migrate.programs.programs import relevant_files
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.dead_code import is_dead
from npu_migrate.semantics.repeatable import is_repeatable
from npu_migrate.training.libraries import LIBRARIES


def project_of(root: Path, files: dict[str, str]) -> Project:
    tree = tree_of(root, {name: dedent(text) for name, text in files.items()})
    return Project(tree, relevant_files(tree), LIBRARIES)


def marked(project: Project) -> Ref:
    """The only call of ``npu_here``."""
    ((key, site),) = project.calls_named("npu_here")
    return Ref(key, site.scope, site.statement, site.call)


DEAD = {
    "a constant": "if False:\n  npu_here()",
    "the other branch": "if True:\n  pass\nelse:\n  npu_here()",
    "a number": "scale = 0\nif scale:\n  npu_here()",
    "a comparison": "scale = 0\nif scale == 0:\n  pass\nelif scale >= 1:\n  npu_here()",
    "a part of a condition": "scale = 0\nif unknown and scale > 0:\n  npu_here()",
    "none of two": "scale = 1\nif unknown or scale:\n  pass\nelse:\n  npu_here()",
    "not": "on = True\nif not on:\n  npu_here()",
    "while": "while 0:\n  npu_here()",
    "left before": "def f():\n  if True:\n    return\n  npu_here()\nf()",
    "an expression": "on = False\nx = npu_here() if on else 1",
    "and": "on = False\nx = on and npu_here()",
    "or": "on = True\nx = on or npu_here()",
    "the caller": "def f():\n  npu_here()\nif False:\n  f()",
    "the caller's caller": "def g():\n  npu_here()\ndef f():\n  g()\nif False:\n  f()",
    "by itself only": "def f(n):\n  npu_here()\n  f(n - 1)\nif False:\n  f(3)",
    "an argument": "def f(on):\n  if on:\n    npu_here()\nf(False)",
}
ALIVE = {
    "no condition": "npu_here()",
    "unknown": "if unknown():\n  npu_here()",
    "a default": "def f(on=False):\n  if on:\n    npu_here()\nf()",
    "a flag": "import argparse\np = argparse.ArgumentParser()\n"
    "p.add_argument('--on', type=int, default=0)\nif p.parse_args().on:\n  npu_here()",
    "changed later": "on = False\ndef f():\n  if on:\n    npu_here()\non = True\nf()",
    "counted": "n = 0\nwhile n < 3:\n  if n:\n    npu_here()\n  n += 1",
    "one of two": "scale = 0\nif unknown or scale:\n  npu_here()",
    "one caller": "def f():\n  npu_here()\nif False:\n  f()\nf()",
    "nobody calls it": "def f():\n  npu_here()",
    "handed on": "def f():\n  npu_here()\nif False:\n  f()\nx = [f]",
    "the orelse of a loop": "while 0:\n  pass\nelse:\n  npu_here()",
    "the test": "on = False\nif npu_here() or on:\n  pass",
    "two values": "def f(on):\n  if on:\n    npu_here()\nf(False)\nf(True)",
}


@pytest.mark.parametrize("text", DEAD.values(), ids=DEAD)
def test_constants_rule_it_out(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, {"train.py": f"import npu_bridge\n{text}\n"})
    assert is_dead(project, marked(project))


@pytest.mark.parametrize("text", ALIVE.values(), ids=ALIVE)
def test_it_may_run(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, {"train.py": f"import npu_bridge\n{text}\n"})
    assert not is_dead(project, marked(project))


def test_the_caller_may_be_another_file(tmp_path: Path) -> None:
    files = {
        "data.py": "import npu_bridge\ndef f():\n  npu_here()\n",
        "train.py": "import data\nif 0:\n  data.f()\n",
    }
    project = project_of(tmp_path, files)
    assert is_dead(project, marked(project))


CLASS = """\
import npu_bridge
class Clock:
    def __init__(self):
        self.count = 0
    @property
    def next(self):
        self.count += 1
        return self.count
    @property
    def double(self):
        return 2 * self.count
    def __len__(self):
        return self.next
clock = Clock()
table = {"a": 1}
"""


@pytest.mark.parametrize(
    "code", ["1 + 2", "clock.count", "clock.double", "table['a']", "len(table)", "table.get('a')"]
)
def test_it_may_be_evaluated_again(tmp_path: Path, code: str) -> None:
    project = project_of(tmp_path, {"train.py": f"{CLASS}npu_here({code})\n"})
    assert is_repeatable(project, argument(project))


@pytest.mark.parametrize(
    "code", ["clock.next", "unknown.next", "len(clock)", "f()", "table.pop()", "queue.get()"]
)
def test_it_may_not_be_evaluated_again(tmp_path: Path, code: str) -> None:
    project = project_of(tmp_path, {"train.py": f"{CLASS}npu_here({code})\n"})
    assert not is_repeatable(project, argument(project))


def argument(project: Project) -> Ref:
    """What the only call of ``npu_here`` gets."""
    call = marked(project)
    assert isinstance(call.expr, Call)
    return call._replace(expr=call.expr.args[0])
