from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from npu_migrate.sources.source import UndecodableFile, UnreadableFile
from npu_migrate.sources.tree import SourceTree


def tree_of(folder: Path, **files: bytes) -> SourceTree:
    for name, data in files.items():
        (folder / f"{name}.py").write_bytes(data)
    return SourceTree(folder, tuple(sorted(f"{folder.as_posix()}/{name}.py" for name in files)), ())


def test_contents_are_read_when_asked_for(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, a=b"x = 1\n")
    (key,) = tree.targets
    Path(key).write_bytes(b"y = 2\n")
    assert tree.data(key) == b"y = 2\n"
    assert tree.source(key).text == "y = 2\n"


def test_replaced_texts_keep_encoding_and_bom(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, a=b"# coding: gbk\n", b=b"\xef\xbb\xbfx = 1\n")
    a, b = tree.targets
    edited = tree.with_texts({a: "# coding: gbk\n# 训\n"}).with_texts({b: "y = 1\n"})
    assert edited.data(a) == "# coding: gbk\n# 训\n".encode("gbk")
    assert edited.data(b) == b"\xef\xbb\xbfy = 1\n"
    assert edited.source(b).text == "y = 1\n"
    assert tree.data(b) == b"\xef\xbb\xbfx = 1\n", "the tree itself does not change"


def test_a_text_may_stand_for_a_file_that_does_not_exist(tmp_path: Path) -> None:
    key = f"{tmp_path.as_posix()}/new.py"
    assert SourceTree(tmp_path, (key,), ()).with_texts({key: "x = 1\n"}).source(key).text == "x = 1\n"


def test_bytes_are_decoded_when_asked_for(tmp_path: Path) -> None:
    key = f"{tmp_path.as_posix()}/new.py"
    tree = SourceTree(tmp_path, (key,), ()).with_contents({key: b"\xff"})
    assert tree.data(key) == b"\xff"
    with pytest.raises(UndecodableFile):
        tree.source(key)


def test_a_missing_file_is_unreadable(tmp_path: Path) -> None:
    tree = SourceTree(tmp_path, (), ())
    with pytest.raises(UnreadableFile, match="cannot be read: No such file"):
        tree.source(f"{tmp_path.as_posix()}/gone.py")
    with pytest.raises(FileNotFoundError):
        tree.data(f"{tmp_path.as_posix()}/gone.py")


def test_trees_cross_process_borders(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, a=b"x = 1\n")
    tree = tree.with_texts({tree.targets[0]: "x = 2\n"})
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_notebooks_are_decoded_once_as_long_as_they_stay_the_same(tmp_path: Path) -> None:
    file = tmp_path / "x.ipynb"
    tree = SourceTree(tmp_path, (file.as_posix(),), ())
    for code in ("%who\nx", "x = 2"):
        file.write_text(json.dumps({"cells": [{"cell_type": "code", "source": code}]}))
        read = tree.source(tree.targets[0])
        assert read.text == code.replace("%who", "____") + "\n"
        assert tree.focused(()).source(tree.targets[0]) is read
        assert tree.python(tree.targets[0]) == read.text.encode()


def test_a_damaged_notebook_is_searched_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "x.ipynb"
    file.write_text('{"cells": [')
    tree = SourceTree(tmp_path, (file.as_posix(),), ())
    assert tree.python(tree.targets[0]) == b'{"cells": ['
    with pytest.raises(UndecodableFile, match="damaged"):
        tree.source(tree.targets[0])


def test_a_focus_makes_all_other_files_context(tmp_path: Path) -> None:
    a, b, c, d = (f"{tmp_path.as_posix()}/{name}.py" for name in "abcd")
    tree = SourceTree(tmp_path, (a, c, d), (b,))
    focused = tree.focused({d, a, b})
    assert focused.targets == (a, d), "what was no target does not become one"
    assert (*focused.context,) == (b, c)
    assert len(focused.context) == 2
    assert all(map(focused.holds, (a, b, c, d)))
    assert not focused.holds(f"{tmp_path.as_posix()}/e.py")
    again = focused.focused({a, c})
    assert (again.targets, (*again.context,)) == ((a,), (b, c, d))
