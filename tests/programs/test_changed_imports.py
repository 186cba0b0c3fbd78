"""After a change of some files the same programs are found as if nothing had been known before."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_trees import tree_of

from npu_migrate.programs.programs import Relevance, relevant_files, relevant_files_after
from npu_migrate.programs.sketches import KeptSketches
from npu_migrate.sources.tree import SourceTree

MODULES = (
    "train",
    "eval",
    "lib/__init__",
    "lib/steps",
    "lib/data",
    "lib/deep/__init__",
    "lib/deep/net",
    "data",
)
LINES = (
    "import data",
    "import lib.steps",
    "import numpy",
    "from lib import data, steps",
    "from lib.deep import net",
    "from . import data",
    "from .. import steps",
    "from .deep.net import x",
    "import net",
    "import sys; sys.path.append('lib/deep')",
    "import sys; sys.path.insert(0, 'lib')",
    "it = ds.make_one_shot_iterator()",
    "sess = tf.Session()",
    "tf.train.import_meta_graph(path)",
    "with tf.control_dependencies([x]): pass",
    "from npu_bridge.npu_init import *",
    "app.run(main)",
    "if __name__ == '__main__': main()",
)


def changed_trees(folder: Path, seed: int) -> Iterator[tuple[SourceTree, set[str]]]:
    """A tree of modules, and what becomes of it; each with the keys of the files that have changed."""
    chance = random.Random(seed)
    texts = {name: chance.choices(LINES, k=chance.randint(0, 4)) for name in MODULES}
    for _ in range(40):
        names = chance.sample(MODULES, chance.randint(1, 2))
        for name in names:
            texts[name] = chance.choices(LINES, k=chance.randint(0, 4))
        tree = tree_of(folder, {f"{name}.py": "\n".join(lines) for name, lines in texts.items()})
        yield tree, {f"{folder.as_posix()}/{name}.py" for name in names}


def edges(relevance: Relevance) -> dict[tuple[str, str], frozenset[str]]:
    """Whom the files of each program import in it."""
    return {
        (entry, key): relevance.programs.imports.imports_of(key, program.search_path)
        for entry, program in relevance.programs.by_entry.items()
        for key in program.files
    }


@pytest.mark.parametrize("seed", range(30))
def test_any_change(tmp_path: Path, seed: int) -> None:
    sketches: KeptSketches | None = None
    with_programs = 0
    for tree, changed in changed_trees(tmp_path, seed):
        expected = relevant_files(tree)
        if sketches is None:
            sketches = KeptSketches(tree)
            found = relevant_files(tree, (), sketches)
        else:
            sketches.moved_on(tree, changed)
            found = relevant_files_after(found, found.programs.imports, tree, sketches, changed)
        assert found.chooses_as(expected)
        assert edges(found) == edges(expected)
        with_programs += bool(found.programs.by_entry)
    assert with_programs > 10
