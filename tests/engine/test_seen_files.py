"""What is kept of files between runs: a hash under a stamp, a sketch under a hash."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fixture_cases import FIXTURES
from source_trees import tree_of

from npu_migrate.cache.store import Store
from npu_migrate.engine.remembering import seen_files
from npu_migrate.engine.remembering.kept_sketches import keep_sketches, read_sketches
from npu_migrate.engine.remembering.seen_files import SeenFiles
from npu_migrate.sources.discovery import discover
from npu_migrate.sources.tree import SourceTree


@pytest.fixture
def store(tmp_path: Path) -> Store:
    folder = tmp_path / "cache"
    folder.mkdir()
    return Store(folder)


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as old at once."""
    monkeypatch.setattr(seen_files, "_OLD", -(10**12))


def read_in(tree: SourceTree, store: Store, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that a new run reads."""
    found: list[str] = []
    data = SourceTree.data

    def noted(self: SourceTree, key: str) -> bytes:
        found.append(Path(key).name)
        return data(self, key)

    with monkeypatch.context() as patched:
        patched.setattr(SourceTree, "data", noted)
        SeenFiles.of(store, b"tool", tree).digests(tree)
    return found


def keep(tree: SourceTree, store: Store) -> dict[str, bytes]:
    seen = SeenFiles.of(store, b"tool", tree)
    digests = seen.digests(tree)
    seen.keep()
    return digests


@pytest.mark.usefixtures("old")
def test_only_what_was_written_to_is_read(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tree_of(tmp_path / "p", {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    assert read_in(tree, store, monkeypatch) == ["a.py", "b.py"]
    digests = keep(tree, store)
    assert read_in(tree, store, monkeypatch) == []
    file = tmp_path / "p/a.py"
    times = file.stat()
    file.write_text("a = 2\n")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert read_in(tree, store, monkeypatch) == ["a.py"], "although size and time are as before"
    assert SeenFiles.of(store, b"tool", tree).digests(tree) != digests
    assert read_in(tree, store, monkeypatch) == ["a.py"], "until it is kept again"
    assert SeenFiles.of(store, b"another tool", tree).digests(tree) == keep(tree, store)
    assert read_in(tree, store, monkeypatch) == []


def test_a_file_that_was_just_written_is_read_again(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be written to once more without another stamp."""
    tree = tree_of(tmp_path / "p", {"a.py": "a = 1\n"})
    keep(tree, store)
    assert read_in(tree, store, monkeypatch) == ["a.py"]


@pytest.mark.usefixtures("old")
def test_texts_in_memory_are_not_taken_for_files(tmp_path: Path, store: Store) -> None:
    tree = tree_of(tmp_path / "p", {"a.py": "a = 1\n"})
    (key,) = tree.targets
    edited = tree.with_contents({key: b"a = 2\n"})
    on_disk = keep(tree, store)
    in_memory = keep(edited, store)
    assert on_disk != in_memory
    assert keep(tree, store) == on_disk


@pytest.mark.parametrize("names", [(), (b"tensorflow",)])
def test_kept_sketches_are_those_that_are_made_anew(store: Store, names: tuple[bytes, ...]) -> None:
    tree = discover((str(FIXTURES),), FIXTURES).tree
    seen = SeenFiles.of(store, b"tool", tree)
    digests = seen.digests(tree)
    made = read_sketches(seen, tree, names, lambda: digests)
    sketches = {key: (made.sketch(key), made.roles(key)) for key in digests}
    assert made.has_new
    keep_sketches(seen, made.of_any_place(), names, digests)
    kept = read_sketches(seen, tree, names, lambda: digests)
    assert {key: (kept.sketch(key), kept.roles(key)) for key in digests} == sketches
    anywhere = kept.of_any_place()
    assert len(anywhere) > 0.9 * len(digests)
    again = read_sketches(seen, tree, names, lambda: digests)
    assert all((again.sketch(key), again.roles(key)) == sketches[key] for key in anywhere)
    assert not again.has_new
