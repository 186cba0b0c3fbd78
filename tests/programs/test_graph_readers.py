"""Which files may import the graph of a program, and what follows from their changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from source_trees import names, tree_of

from npu_migrate.programs.programs import relevant_files, relevant_files_after
from npu_migrate.programs.sketches import KeptSketches

TRAIN = "it = ds.make_one_shot_iterator()\nsess = tf.Session()\n"
READER = "tf.train.import_meta_graph(path)\n"


def readers(root: Path, files: Mapping[str, str], entry: str) -> list[str]:
    programs = relevant_files(tree_of(root, files)).programs
    program = programs.by_entry[f"{root.as_posix()}/{entry}"]
    return names(root, [reader.key for reader in program.graph_readers])


@pytest.mark.parametrize(
    ("entry", "reader"),
    [
        ("train.py", "resume.py"),
        ("train.py", "deep/below/resume.py"),
        ("net/train.py", "resume.py"),
        ("train/train.py", "eval/resume.py"),
        ("net/Scripts/train.py", "net/tools/resume.py"),
        ("net/train/train.py", "inference/resume.py"),
    ],
)
def test_scripts_that_lie_together(tmp_path: Path, entry: str, reader: str) -> None:
    assert readers(tmp_path, {entry: TRAIN, reader: READER}, entry) == [reader]


@pytest.mark.parametrize("reader", ["speech/resume.py", "network/resume.py", "speech/tools/resume.py"])
def test_scripts_of_other_projects(tmp_path: Path, reader: str) -> None:
    assert readers(tmp_path, {"net/train.py": TRAIN, reader: READER}, "net/train.py") == []


def test_folders_beside_the_scripts_of_a_project(tmp_path: Path) -> None:
    files = {"net/train.py": TRAIN, "speech/resume.py": READER}
    assert readers(tmp_path, {**files, "setup.py": ""}, "net/train.py") == ["speech/resume.py"]
    package = {f"all/{name}": text for name, text in files.items()}
    assert readers(tmp_path, {**package, "all/__init__.py": "", "setup.py": ""}, "all/net/train.py") == []


def test_scripts_that_share_code(tmp_path: Path) -> None:
    files = {
        "nets/model.py": "",
        "net/train.py": "import nets.model\n" + TRAIN,
        "serving_app/serve.py": "from nets import model\n" + READER,
        "speech/serve.py": READER,
    }
    assert readers(tmp_path, files, "net/train.py") == ["serving_app/serve.py"]


def test_they_are_no_part_of_the_program(tmp_path: Path) -> None:
    relevance = relevant_files(tree_of(tmp_path, {"train.py": TRAIN, "resume.py": READER}))
    assert names(tmp_path, relevance.ours | relevance.supporting) == ["train.py"]
    assert names(tmp_path, relevance.programs.by_file) == ["train.py"]


def test_a_file_of_the_program_without_a_role_is_one(tmp_path: Path) -> None:
    files = {"train.py": "import graphs\n" + TRAIN, "graphs.py": READER}
    assert readers(tmp_path, files, "train.py") == ["graphs.py"]
    files["graphs.py"] += "sess = tf.Session()\n"
    assert readers(tmp_path, files, "train.py") == []


def test_who_makes_no_one_shot_iterator_has_none(tmp_path: Path) -> None:
    files = {"train.py": "it = ds.make_initializable_iterator()\n", "resume.py": READER}
    assert readers(tmp_path, files, "train.py") == []


def test_who_is_alone(tmp_path: Path) -> None:
    files = {"train.py": TRAIN, "a.py": READER, "b.py": READER, "c.py": "import b\n", "d.py": READER}
    files["d.py"] += "import c\n"
    programs = relevant_files(tree_of(tmp_path, files)).programs
    (program,) = programs.by_entry.values()
    assert [(Path(one.key).name, one.alone) for one in program.graph_readers] == [
        ("a.py", True),
        ("b.py", False),
        ("d.py", False),
    ]


def test_whose_findings_they_may_change(tmp_path: Path) -> None:
    files = {"train.py": "import data\n", "data.py": TRAIN, "resume.py": READER, "other.py": ""}
    programs = relevant_files(tree_of(tmp_path, files)).programs
    root = tmp_path.as_posix()
    assert names(tmp_path, programs.affected_by([f"{root}/resume.py"])) == ["data.py", "train.py"]
    assert names(tmp_path, programs.affected_by([f"{root}/data.py"])) == ["data.py", "train.py"]
    assert programs.affected_by([f"{root}/other.py"]) == frozenset()


def test_a_file_becomes_one(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"train.py": TRAIN, "resume.py": ""})
    sketches = KeptSketches(tree)
    earlier = relevant_files(tree, (), sketches)
    key = f"{tmp_path.as_posix()}/resume.py"
    for text in (READER, ""):
        tree = replace(tree, replaced={key: text.encode()})
        assert sketches.moved_on(tree, [key])
        later = relevant_files_after(earlier, earlier.programs.imports, tree, sketches, [key])
        assert not later.chooses_as(earlier)
        (program,) = later.programs.by_entry.values()
        assert [one.key for one in program.graph_readers] == ([key] if text else [])
        earlier = later
