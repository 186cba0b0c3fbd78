"""The cache never changes a result: whatever happened before, a run prints what it prints without a cache."""

from __future__ import annotations

import json
import os
import resource
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from command import case_folder, folder_with, tool
from fidelity import write_tree
from fixture_cases import Case, all_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from npu_migrate.cache.folder import open_folder
from npu_migrate.cli import command

SCRIPT = b"""\
import tensorflow as tf
iterator = tf.data.Dataset.range(8).make_one_shot_iterator()
with tf.Session() as sess:
    print(sess.run(iterator.get_next()))
"""
CASES = all_cases()
PROJECT = b"[tool.npu-migrate]\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("NPU_MIGRATE_CACHE_DIR", str(folder))
    return folder


def entries(cache: Path) -> set[str]:
    return {file.name for file in cache.glob("*.plan")}


def report(*arguments: str) -> tuple[bytes, bytes]:
    """The JSON report, and the text report with its summary."""
    text = CliRunner().invoke(command, [*arguments, "."], standalone_mode=False, catch_exceptions=False)
    return tool("--format", "json", *arguments, "."), text.output_bytes


def assert_cache_changes_nothing() -> None:
    cold = report("--no-cache")
    assert report() == cold
    assert report() == cold


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_fixture_reports_the_same_cold_and_warm(case: Case) -> None:
    """What is kept meanwhile, other tests of all fixtures are told."""
    with case_folder(case.before):
        assert_cache_changes_nothing()


def test_a_second_run_finds_what_the_first_has_kept(cache: Path) -> None:
    with folder_with({"train.py": SCRIPT}):
        first = tool("--format", "json", ".")
        kept = entries(cache)
        assert len(kept) == 1
        assert tool("--format", "json", ".") == first
        assert entries(cache) == kept
        # The entry is what the answer comes from: another one gives another answer.
        (other,) = (cache / name for name in kept)
        other.write_bytes(b"damaged")
        assert tool("--format", "json", ".") == first
        assert other.read_bytes() != b"damaged"


SAVER = SCRIPT + b'    tf.train.Saver().save(sess, "model")\n'
RESUMER = b"""\
import tensorflow as tf
saver = tf.train.import_meta_graph("model.meta")
with tf.Session() as sess:
    print(sess.run("IteratorGetNext:0"))
"""


def test_a_script_that_imports_the_graph_of_another_one_counts(cache: Path) -> None:
    """Of the contents beside a program only that of who imports its graph decides."""
    other = {"p/train.py": SCRIPT}
    with folder_with({"a/train.py": SAVER, "a/resume.py": b"", "a/idle.py": b"", **other}) as folder:
        assert_cache_changes_nothing()
        assert not is_unsafe("a/train.py")
        parts = {file.name for file in cache.glob("*.part")}
        (folder / "a/resume.py").write_bytes(RESUMER)
        assert_cache_changes_nothing()
        assert is_unsafe("a/train.py")
        renewed = {file.name for file in cache.glob("*.part")} - parts
        assert len(renewed) == 2, "one with edits, one without"
        (folder / "a/resume.py").write_bytes(RESUMER.replace(b"model.meta", b"other.meta"))
        assert_cache_changes_nothing()
        assert not is_unsafe("a/train.py")
        parts = {file.name for file in cache.glob("*.part")}
        (folder / "a/idle.py").write_bytes(b"x = 1\n")
        assert_cache_changes_nothing()
        assert {file.name for file in cache.glob("*.part")} == parts
        (folder / "a/resume.py").unlink()
        assert_cache_changes_nothing()
        assert not is_unsafe("a/train.py")


def is_unsafe(path: str) -> bool:
    (finding,) = (one for one in json.loads(tool("--format", "json", "."))["findings"] if one["path"] == path)
    return bool(finding["fix"]["applicability"] == "unsafe")


def test_times_and_places_do_not_count(cache: Path) -> None:
    with folder_with({"one/p/pyproject.toml": b"", "one/p/train.py": SCRIPT}) as folder:
        os.chdir("one/p")
        first = report()
        kept = entries(cache)
        os.utime("train.py", (1, 1))
        assert report() == first
        os.chdir(folder)
        shutil.move("one", "two")
        os.chdir("two/p")
        assert report() == first
        assert entries(cache) == kept


def test_settings_and_contents_count(cache: Path) -> None:
    with folder_with({"pyproject.toml": PROJECT, "train.py": SCRIPT}) as folder:
        seen = {report()}
        write_tree(folder, {"pyproject.toml": PROJECT + b'ignore = ["NPU101"]\n'})
        seen.add(report())
        write_tree(folder, {"train.py": b"\n" + SCRIPT})
        seen.add(report())
        write_tree(folder, {"pyproject.toml": PROJECT})
        seen.add(report())
        assert len(seen) == 3, "while the rule is off, the edit changes nothing"
        assert len(entries(cache)) == 8
        # What is done with the findings does not count.
        report("--fail-on", "never", "--unsafe-fixes")
        assert len(entries(cache)) == 8


def test_a_changed_file_costs_its_part_only(cache: Path) -> None:
    tree = {"p0/train.py": SCRIPT, "p1/train.py": SCRIPT}
    with folder_with({"pyproject.toml": b"", **tree}) as folder:
        tool("--format", "json", ".")
        before = {file.name for file in cache.glob("*.part")}
        write_tree(folder, {"p0/train.py": b"\n" + SCRIPT})
        warm = tool("--format", "json", ".")
        after = {file.name for file in cache.glob("*.part")}
        assert (len(before), len(after)) == (2, 3)
        assert warm == tool("--no-cache", "--format", "json", ".")
        # No import means the new file.
        write_tree(folder, {"p0/new.py": b""})
        warm = tool("--format", "json", ".")
        assert {file.name for file in cache.glob("*.part")} == after
        assert warm == tool("--no-cache", "--format", "json", ".")


PIPELINE = b"""\
import tensorflow as tf


def batch():
    return tf.data.Dataset.range(4).make_one_shot_iterator().get_next()
"""
TRAINING = b"""\
import tensorflow as tf
%b
with tf.Session() as sess:
    print(sess.run(%b))
"""


@pytest.mark.parametrize(
    ("tree", "new"),
    [
        pytest.param(
            {"a/train.py": TRAINING % (b"import data", b"data.batch()"), "src/data.py": PIPELINE},
            {"a/data.py": b"batch = print\n"},
            id="a module in front of another one",
        ),
        pytest.param(
            {"a/train.py": TRAINING % (b"from data import batch", b"batch()")},
            {"a/data/__init__.py": b"from .inside import batch", "a/data/inside.py": PIPELINE},
            id="a module that was not there",
        ),
        pytest.param(
            {"a/train.py": TRAINING % (b"import data", b"data.inside.batch()"), "a/data/other.py": b""},
            {"a/data/inside.py": PIPELINE},
            id="a part of a package without a file of its own",
        ),
        pytest.param(
            {"a/train.py": TRAINING % (b"import data", b"data.inside.batch()"), "a/data/__init__.py": b""},
            {"a/data/inside.py": PIPELINE},
            id="a part of a package that nobody imports",
        ),
        pytest.param(
            {"a/b/c/train.py": TRAINING % (b"from data import batch", b"batch()"), "a/b/c/__init__.py": b""},
            {"a/b/__init__.py": b"", "a/data.py": PIPELINE},
            id="a package around the package",
        ),
        pytest.param(
            {"a/train.py": TRAINING % (b"from .data import batch", b"batch()"), "a/data/x.py": b""},
            {"a/data/__init__.py": PIPELINE},
            id="a folder that becomes a package",
        ),
        pytest.param(
            {
                "a/train.py": TRAINING
                % (
                    b"import importlib\nimport sys\ndata = importlib.import_module('data.' + sys.argv[1])",
                    b"data.batch()",
                ),
                "a/data/other.py": PIPELINE,
            },
            {"a/data/inside.py": PIPELINE},
            id="a module that a text may name",
        ),
    ],
)
def test_new_and_removed_files_cost_what_can_mean_them(
    tree: dict[str, bytes], new: dict[str, bytes], cache: Path
) -> None:
    with folder_with({"pyproject.toml": b"", "other/train.py": SCRIPT, **tree}) as folder:
        assert_cache_changes_nothing()
        before = {file.name for file in cache.glob("*.part")}
        write_tree(folder, new)
        assert_cache_changes_nothing()
        with_new = {file.name for file in cache.glob("*.part")}
        assert before < with_new, "what the new file means is found"
        for path in new:
            (folder / path).unlink()
        assert_cache_changes_nothing()
        assert {file.name for file in cache.glob("*.part")} == with_new, "as it was before"


def test_what_is_left_after_a_write_is_known_to_the_next_run(cache: Path) -> None:
    with folder_with({"train.py": SCRIPT}):
        tool("--write", "--format", "json", ".")
        kept = entries(cache)
        assert json.loads(tool("--format", "json", "."))["findings"] == []
        assert entries(cache) == kept


def test_without_a_cache_nothing_is_kept(cache: Path) -> None:
    with folder_with({"train.py": SCRIPT}):
        tool("--no-cache", ".")
    assert not cache.exists()


def test_a_cache_that_cannot_be_used_is_told_to_who_wants_to_know(cache: Path) -> None:
    cache.write_text("a file")
    with folder_with({"train.py": SCRIPT}):
        run = CliRunner().invoke(command, ["--verbose", "."], standalone_mode=False)
        assert f"npu-migrate: no cache: {cache}: is not a folder\n" in run.stderr
        quiet = CliRunner().invoke(command, ["."], standalone_mode=False)
        assert "cache" not in quiet.stderr
        assert run.stdout == quiet.stdout != ""


def test_a_full_disk_is_told_to_who_wants_to_know(cache: Path) -> None:
    with folder_with({"train.py": SCRIPT}):
        cold = tool("--format", "json", "--no-cache", ".")
        open_folder(cache)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        try:
            run = CliRunner().invoke(command, ["--verbose", "--format", "json", "."], standalone_mode=False)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert f"npu-migrate: {cache}: cannot be written: File too large\n" in run.stderr
        assert run.stdout_bytes == cold
        assert entries(cache) == set()


def test_the_cache_is_removed_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPU_MIGRATE_CACHE_DIR")
    with folder_with({"pyproject.toml": PROJECT + b'cache-dir = "kept"\n', "a/train.py": SCRIPT}) as folder:
        report()
        assert len(entries(folder / "kept")) == 2
        os.chdir("a")
        cleaned = CliRunner().invoke(command, ["--clean-cache"]).stdout
        assert cleaned.startswith("Removed 8 files (0.0 MB) from ")
        assert not (folder / "kept").exists()
        again = CliRunner().invoke(command, ["--clean-cache"]).stdout
        assert again.startswith("Nothing to remove")


@st.composite
def changes(draw: st.DrawFn) -> list[tuple[str, int, int]]:
    kinds = st.sampled_from(("edit", "touch", "move", "rename", "add", "remove", "settings"))
    number = st.integers(0, 10_000)
    return draw(st.lists(st.tuples(kinds, number, number), min_size=1, max_size=4))


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(CASES), min_size=1, max_size=2, unique_by=lambda one: one.name), changes())
def test_no_history_changes_a_result(cases: list[Case], history: list[tuple[str, int, int]]) -> None:
    tree = {
        f"p{number}/{path}": data for number, case in enumerate(cases) for path, data in case.before.items()
    }
    with folder_with({"pyproject.toml": PROJECT, **tree}) as folder:
        assert_cache_changes_nothing()
        for change in history:
            apply(folder, *change)
            assert_cache_changes_nothing()


def apply(folder: Path, kind: str, where: int, what: int) -> None:
    files = sorted(folder.rglob("*.py"))
    if not files:
        return
    file = files[where % len(files)]
    if kind == "edit":
        lines = file.read_bytes().splitlines(keepends=True)
        for line in EDITS[what % len(EDITS)]:
            lines.insert(what % (len(lines) + 1), line)
        file.write_bytes(b"".join(lines))
    elif kind == "touch":
        os.utime(file, (what, what))
    elif kind == "move":
        (folder / "moved").mkdir(exist_ok=True)
        file.rename(folder / "moved" / file.name)
    elif kind == "rename":
        file.rename(file.with_name(f"new{what}.py"))
    elif kind == "add":
        file.with_name(f"added{what}.py").write_bytes(SCRIPT if what % 2 else file.read_bytes())
    elif kind == "remove":
        file.unlink()
    else:
        (folder / "pyproject.toml").write_bytes(PROJECT + SETTINGS[what % len(SETTINGS)])


EDITS: tuple[tuple[bytes, ...], ...] = (
    (b"\n",),
    (b"# npu-migrate: ignore\n",),
    (b"import utils\n",),
    (b"(\n",),
    (b"\xff\n",),
    tuple(reversed(SCRIPT.splitlines(keepends=True))),
)
SETTINGS = (
    b"",
    b'select = ["NPU1"]\n',
    b'ignore = ["NPU101"]\n',
    b'exclude = ["p0/"]\n',
    b'src = ["."]\n',
    b'loss-tensor = "loss:0"\nfinal-loss = 0.5\n',
    b'[tool.npu-migrate.per-file-ignores]\n"p1/" = ["NPU1"]\n',
)
