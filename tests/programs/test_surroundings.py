"""Which new files may be meant by a program that does not import them, and which are not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from source_trees import tree_of

from npu_migrate.programs.programs import relevant_files
from npu_migrate.programs.surroundings import surroundings

ITERATOR = "it = ds.make_one_shot_iterator()\n"
IMPORTS = "import data\n" + ITERATOR


def around(root: Path, files: Mapping[str, str], entry: str) -> tuple[str, ...]:
    tree = tree_of(root, files)
    programs = relevant_files(tree).programs
    program = programs.by_entry[f"{root.as_posix()}/{entry}"]
    found = surroundings(programs.imports, [program], frozenset(tree.targets))
    return tuple(path.removeprefix(f"{root.as_posix()}/") for path in found)


@pytest.mark.parametrize(
    ("files", "new"),
    [
        ({"a/train.py": IMPORTS, "a/data/__init__.py": ""}, "a/data/reader.py"),
        ({"a/train.py": IMPORTS, "a/data/__init__.py": ""}, "a/data/parts/reader.py"),
        ({"a/train.py": IMPORTS, "a/data/other.py": ""}, "a/data/parts/reader.py"),
        ({"a/train.py": IMPORTS, "data/other.py": ""}, "data/reader.py"),
        ({"a/train.py": "from . import data\n" + ITERATOR, "a/data/other.py": ""}, "a/data/reader.py"),
        ({"a/b/train.py": "from ..data import x\n" + ITERATOR, "a/data/other.py": ""}, "a/data/reader.py"),
        ({"a/b/train.py": ITERATOR, "a/b/__init__.py": ""}, "a/__init__.py"),
        ({"a/train.py": ITERATOR}, "a/first_use_iterator/other.py"),
    ],
)
def test_what_may_be_meant(tmp_path: Path, files: Mapping[str, str], new: str) -> None:
    entry = next(path for path in files if path.endswith("train.py"))
    assert around(tmp_path, files, entry) != around(tmp_path, {**files, new: ""}, entry)


@pytest.mark.parametrize(
    ("files", "new"),
    [
        ({"a/train.py": IMPORTS}, "a/reader.py"),
        ({"a/train.py": IMPORTS}, "reader.py"),
        ({"a/train.py": IMPORTS}, "a/parts/reader.py"),
        ({"a/train.py": IMPORTS, "b/data/other.py": ""}, "b/data/reader.py"),
    ],
)
def test_what_nothing_means(tmp_path: Path, files: Mapping[str, str], new: str) -> None:
    entry = next(path for path in files if path.endswith("train.py"))
    assert around(tmp_path, files, entry) == around(tmp_path, {**files, new: ""}, entry)
