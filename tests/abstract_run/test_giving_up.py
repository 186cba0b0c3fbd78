"""A file that cannot be followed while it is imported is tried once; its other programs are given up."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from npu_migrate.abstract_run.judging import Originals, paths_of
from tests.abstract_run.judged import project_of

STUCK = "import elsewhere\n\n\ndef register(f):\n    return f\n\n\nelsewhere.given(register)\n"
FIRST = "import registry\n"


@pytest.mark.parametrize(
    "script",
    ["import registry\n", '"""Text."""\n\nimport part\n', "from pieces import registry, nothing\n"],
)
def test_a_program_that_imports_it_first_is_given_up(script: str) -> None:
    originals = _after_the_first(script)
    assert originals.given_up("/project/second.py")
    assert paths_of(originals, "/project/second.py") is None


@pytest.mark.parametrize(
    "script",
    [
        "import other\n",
        "import tensorflow as tf\n\nsess = tf.Session()\nimport registry\n",
        "try:\n    import registry\nexcept ImportError:\n    pass\n",
        "def late():\n    import registry\n",
    ],
)
def test_a_program_that_may_do_something_before_is_run(script: str) -> None:
    assert not _after_the_first(script).given_up("/project/second.py")


def test_a_program_that_ran_out_of_its_budget_says_nothing_of_others() -> None:
    registry = "".join(f"def f{n}():\n    f{n + 1}()\n\n" for n in range(40)) + "f0()\n"
    originals = _after_the_first("import registry\n", registry)
    assert not originals.given_up("/project/second.py")


def _after_the_first(script: str, registry: str = STUCK) -> Originals:
    """The programs of a project in which the first one has been tried."""
    files: Mapping[str, str] = {
        "first.py": FIRST,
        "second.py": script,
        "registry.py": registry,
        "part.py": "import registry\n",
        "other.py": "x = 1\n",
        "pieces/__init__.py": "import registry\n",
        "pieces/nothing.py": "",
    }
    marked = {path: text + "# make_one_shot_iterator\n" for path, text in files.items()}
    project = project_of({path: text.encode() for path, text in marked.items()})
    originals = Originals(project)
    assert paths_of(originals, "/project/first.py") is None
    return originals
