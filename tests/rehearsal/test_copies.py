"""Copies of a project: Python is copied, all else is linked, and nothing of the user's changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from fidelity import read_tree, write_tree

from npu_migrate.commands.options import CommandError
from npu_migrate.commands.rehearsing.copies import Migration, copy_folder, copy_project, migration_of
from npu_migrate.findings import Applicability
from npu_migrate.settings import Settings

TREE = {
    "train.py": b"import pkg.data\n",
    "pkg/__init__.py": b"",
    "pkg/data.py": b"x = 1\n",
    "pkg/words.txt": b"a b c\n",
    "data/points.csv": b"1,2\n",
    "model/checkpoint": b'model_checkpoint_path: "model-1"\n',
    "model/model-1.index": b"\0",
    "pkg/__pycache__/data.cpython-37.pyc": b"\0",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_tree(tmp_path / "project", TREE)
    return tmp_path / "project"


def test_a_copy_has_what_the_project_has(project: Path, tmp_path: Path) -> None:
    copy_project(str(project), tmp_path / "copy", Migration())
    found = {str(path.relative_to(tmp_path / "copy")) for path in (tmp_path / "copy").rglob("*")}
    assert "pkg/__pycache__" not in found
    assert (tmp_path / "copy/data/points.csv").read_bytes() == b"1,2\n"
    assert (tmp_path / "copy/pkg/words.txt").read_bytes() == b"a b c\n"


def test_python_is_copied_and_data_is_linked(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy_project(str(project), copy, Migration())
    links = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_symlink()}
    assert links == {"data", "pkg/words.txt"}


def test_a_checkpoint_is_copied(project: Path, tmp_path: Path) -> None:
    """Two runs that are compared go on from the same one, and neither writes over the user's."""
    copy_project(str(project), tmp_path / "copy", Migration())
    (tmp_path / "copy/model/checkpoint").write_bytes(b"another")
    assert read_tree(project)["model/checkpoint"] == TREE["model/checkpoint"]


def test_new_contents_are_in_the_copy_only(project: Path, tmp_path: Path) -> None:
    key = f"{project}/pkg/data.py"
    copy = copy_project(str(project), tmp_path / "copy", Migration({key: b"x = 2\n"}, safe=1))
    assert (tmp_path / "copy/pkg/data.py").read_bytes() == b"x = 2\n"
    assert (project / "pkg/data.py").read_bytes() == b"x = 1\n"
    assert copy.copied(key) == f"{tmp_path}/copy/pkg/data.py"
    assert copy.origin(copy.copied(key)) == key
    assert copy.copied(f"{project}-other/a.py") == f"{project}-other/a.py"


def test_a_copy_inside_the_folder_that_is_copied_ends(project: Path) -> None:
    """The temporary folder may lie below the working directory."""
    (project / "tmp").mkdir()
    copy_project(str(project), project / "tmp" / "copy", Migration())
    assert not (project / "tmp/copy/tmp").exists()


def test_a_folder_of_its_own(project: Path, tmp_path: Path) -> None:
    folder = Path(copy_folder(str(project), tmp_path / "folder"))
    assert (folder / "data/points.csv").read_bytes() == b"1,2\n"
    (folder / "model/new").write_bytes(b"")
    (folder / "results").mkdir()
    assert read_tree(project) == TREE


def test_what_cannot_be_read_is_named(project: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be copied to a temporary folder"):
        copy_folder(f"{project}/missing", tmp_path / "folder")


ONE_SHOT = b"""\
import tensorflow as tf

iterator = tf.data.Dataset.range(3).make_one_shot_iterator()
x = iterator.get_next()
with tf.Session() as sess:
    print(sess.run(x))
"""


@pytest.mark.parametrize("applicability", Applicability)
def test_the_fixes_of_a_project(tmp_path: Path, applicability: Applicability) -> None:
    write_tree(tmp_path, {"train.py": ONE_SHOT})
    settings = Settings(applicability=applicability)
    migration = migration_of(str(tmp_path), f"{tmp_path}/train.py", None, settings)
    assert migration.safe == 1
    (content,) = migration.contents.values()
    assert b"make_initializable_iterator" in content


def test_only_the_program_of_the_script_is_migrated(tmp_path: Path) -> None:
    """But a file that it shares with others is changed as in a migration of all."""
    reader = b"import tensorflow as tf\n\n\ndef batches():\n" + (
        b"    return tf.data.Dataset.range(3).make_one_shot_iterator().get_next()\n"
    )
    main = b"import tensorflow as tf\nimport reader\n\nx = reader.batches()\n" + (
        b"with tf.Session() as sess:\n    print(sess.run(x))\n"
    )
    write_tree(
        tmp_path,
        {"a.py": main, "b.py": main, "reader.py": reader, "other/train.py": ONE_SHOT},
    )
    migration = migration_of(str(tmp_path), f"{tmp_path}/a.py", None, Settings())
    assert {Path(key).name for key in migration.contents} == {"a.py", "b.py", "reader.py"}
    assert migration.safe == 1
