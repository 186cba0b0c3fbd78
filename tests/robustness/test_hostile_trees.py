"""Trees that nobody would make on purpose: a clear line or a right result, and nothing written elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fidelity import write_tree

from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = b"""\
import tensorflow as tf
x = tf.data.Dataset.range(8).repeat().make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print(sess.run(x))
"""
HIDING = SCRIPT + b"y = "


class Ran:
    """What a run on the folder ``tree`` came to; it may only have written below that folder."""

    def __init__(self, surroundings: Path, *options: str) -> None:
        before = snapshot(surroundings)
        ran = subprocess.run(
            [sys.executable, "-m", "npu_migrate", "tree", "--format", "json", *options],
            cwd=surroundings,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
        )
        self.code = ran.returncode
        self.errors = ran.stderr.decode("utf-8", "replace")
        assert self.code in (0, 1, 2), self.errors
        assert "Traceback" not in self.errors, self.errors
        assert snapshot(surroundings) == before
        report = json.loads(ran.stdout) if ran.stdout else {"findings": []}
        self.findings = [(one["path"], one["code"]) for one in report["findings"]]
        self.messages = [one["message"] for one in report["findings"]]


def snapshot(surroundings: Path) -> dict[str, tuple[int, int, int]]:
    """Everything around ``tree``: size, time and kind."""
    found = {}
    for folder, folders, names in os.walk(surroundings):
        if Path(folder) == surroundings:
            folders.remove("tree")
        for name in (*folders, *names):
            status = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - names may be any bytes
            found[f"{folder}/{name}"] = status.st_size, status.st_mtime_ns, status.st_mode
    return found


@pytest.fixture
def surroundings(tmp_path: Path) -> Iterator[Path]:
    write_tree(tmp_path, {"outside/other.py": SCRIPT, "tree/train.py": SCRIPT})
    yield tmp_path
    # Folders may be deeper than `shutil.rmtree` goes.
    subprocess.run(["rm", "-rf", tmp_path / "tree"], check=True)


def test_links_out_of_the_tree_and_in_circles_lead_nowhere(surroundings: Path) -> None:
    tree = surroundings / "tree"
    (tree / "round").symlink_to(tree)
    (tree / "out").symlink_to(surroundings / "outside")
    (tree / "self.py").symlink_to("self.py")
    (tree / "a.py").symlink_to("b.py")
    (tree / "b.py").symlink_to("a.py")
    ran = Ran(surroundings, "--write")
    assert ran.code == 1
    assert {path for path, code in ran.findings if code == "NPU902"} == {
        f"tree/{name}.py" for name in ("self", "a", "b")
    }
    assert (surroundings / "outside/other.py").read_bytes() == SCRIPT
    assert (tree / "train.py").read_bytes() != SCRIPT


@pytest.mark.parametrize(
    "name", [b"new\nline.py", b"\xff\xfe.py", b"\x1b[31m.py", "数据🚀.py".encode(), b"-x.py"]
)
def test_names_of_any_bytes(surroundings: Path, name: bytes) -> None:
    path = os.path.join(os.fsencode(surroundings / "tree"), name)  # noqa: PTH118 - bytes
    Path(os.fsdecode(path)).write_bytes(SCRIPT)
    assert sorted(code for _, code in Ran(surroundings).findings) == ["NPU101", "NPU101"]
    assert Ran(surroundings, "--write").code == 0
    assert b"make_initializable_iterator" in Path(os.fsdecode(path)).read_bytes()


@pytest.mark.parametrize(
    "text",
    [
        HIDING + b"(" * 100_000 + b")" * 100_000,
        HIDING + b"[" * 100_000,
        HIDING + b" + ".join([b"1"] * 20_000) + b"\n",
        HIDING + b"f" + b".a()" * 20_000 + b"\n",
        HIDING + b"-" * 50_000 + b"1\n",
        HIDING + b"a" + b"[0]" * 20_000 + b"\n",
        HIDING + b"lambda: " * 5_000 + b"0\n",
        HIDING + b"1\n" + b"".join(b" " * depth + b"if y:\n" for depth in range(99)) + b" " * 99 + b"pass\n",
        HIDING + b"1\nif y: pass\n" + b"elif y: pass\n" * 5_000,
        SCRIPT + b"\0",
    ],
    ids=[
        "brackets",
        "open brackets",
        "terms",
        "chained calls",
        "signs",
        "subscripts",
        "lambdas",
        "blocks",
        "branches",
        "NUL",
    ],
)
def test_deep_code_costs_its_file_at_most(surroundings: Path, text: bytes) -> None:
    (surroundings / "tree" / "deep.py").write_bytes(text)
    ran = Ran(surroundings, "--write")
    assert (surroundings / "tree/train.py").read_bytes() != SCRIPT
    deep = {code for path, code in ran.findings if path == "tree/deep.py"}
    changed = (surroundings / "tree/deep.py").read_bytes() != text
    assert changed or deep & {"NPU901", "NPU902", "NPU903", "NPU905"}, ran.findings


@pytest.mark.parametrize(
    "text",
    [SCRIPT + b"#" * 20_000_000, SCRIPT + b"z = [" + b"1, " * 100_000 + b"]\n"],
    ids=["20 MB", "one long line"],
)
def test_large_files_are_done(surroundings: Path, text: bytes) -> None:
    (surroundings / "tree" / "large.py").write_bytes(text)
    assert Ran(surroundings, "--write").code == 0
    written = (surroundings / "tree/large.py").read_bytes()
    assert b"make_initializable_iterator" in written and written.endswith(text[-1_000:])


def test_folders_deeper_than_paths_may_be(surroundings: Path) -> None:
    home = Path.cwd()
    os.chdir(surroundings / "tree")
    try:
        for _ in range(1_500):
            Path("folder").mkdir()
            os.chdir("folder")
        Path("deep.py").write_bytes(SCRIPT)
    finally:
        os.chdir(home)
    ran = Ran(surroundings, "--write")
    assert (ran.code, [code for _, code in ran.findings]) == (1, ["NPU902"])
    assert ran.messages[0].startswith("not analysed: cannot be opened")
    assert (surroundings / "tree/train.py").read_bytes() != SCRIPT


def test_special_files_are_told(surroundings: Path) -> None:
    os.mkfifo(surroundings / "tree" / "pipe.py")
    (surroundings / "tree" / "null.py").symlink_to("/dev/null")
    ran = Ran(surroundings)
    assert sorted(ran.findings) == [
        ("tree/null.py", "NPU902"),
        ("tree/pipe.py", "NPU902"),
        ("tree/train.py", "NPU101"),
    ]


def test_the_output_cannot_go_into_the_input(surroundings: Path) -> None:
    ran = Ran(surroundings, "--output", "tree/copy")
    assert ran.code == 2
    assert ran.errors.count("\n") <= 2 and "lies inside" in ran.errors


def test_files_that_vanish_or_change_between_looking_and_reading(surroundings: Path) -> None:
    tree = surroundings / "tree"
    write_tree(tree, {"gone.py": SCRIPT, "changed.py": SCRIPT, "folder/inside.py": SCRIPT})
    job = prepare(Request((str(tree),), root=tree), installed_machinery())
    (tree / "gone.py").unlink()
    (tree / "changed.py").write_bytes(b"x = (\n" + SCRIPT)
    (tree / "folder").rename(tree / "elsewhere")
    found = {(Path(one.path).name, one.code) for one in run(job).report.diagnostics}
    assert found == {
        ("gone.py", "NPU902"),
        ("changed.py", "NPU901"),
        ("inside.py", "NPU902"),
        ("train.py", "NPU101"),
    }


@pytest.fixture
def full_disk(surroundings: Path) -> Iterator[Path]:
    """``tree`` on a disk with no room for another file."""
    tree = surroundings / "tree"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tree], check=True)
    try:
        (tree / "train.py").write_bytes(SCRIPT)
        with pytest.raises(OSError, match="No space left"):
            (tree / "filling").write_bytes(bytes(100_000))
        yield tree
    finally:
        subprocess.run(["umount", tree], check=True)


@pytest.mark.needs("tmpfs")
def test_a_full_disk_changes_nothing(surroundings: Path, full_disk: Path) -> None:
    ran = Ran(surroundings, "--write")
    assert ran.code in (1, 2)
    assert "No space left" in ran.errors
    assert (full_disk / "train.py").read_bytes() == SCRIPT
    assert sorted(path.name for path in full_disk.iterdir()) == ["filling", "train.py"]
