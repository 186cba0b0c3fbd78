"""Entries come back whole or not at all, whatever happens to the folder."""

from __future__ import annotations

import os
import resource
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unprivileged import unprivileged_folder

from npu_migrate.cache.folder import CacheUnusable, cache_folder, clean, open_folder
from npu_migrate.cache.store import Store

NAME = f"{'a1' * 16}.plan"
OTHER = f"{'b2' * 16}.plan"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(open_folder(tmp_path / "cache"))


def test_an_entry_comes_back(store: Store) -> None:
    assert store.read(NAME) is None
    store.write(NAME, b"first")
    store.write(NAME, b"second")
    assert store.read(NAME) == b"second"


@given(st.data())
def test_a_damaged_entry_is_none(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    store = Store(open_folder(tmp_path_factory.mktemp("damaged") / "cache"))
    store.write(NAME, b"payload")
    file = store.folder / NAME
    whole = file.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    damaged = data.draw(
        st.sampled_from(
            (whole[:place], whole + b"x", whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        )
    )
    file.write_bytes(damaged)
    assert store.read(NAME) is None
    store.write(NAME, b"payload")
    assert store.read(NAME) == b"payload"


def test_an_entry_under_another_name_is_none(store: Store) -> None:
    store.write(NAME, b"payload")
    (store.folder / NAME).rename(store.folder / OTHER)
    assert store.read(OTHER) is None


def test_a_link_in_place_of_an_entry_is_not_followed(store: Store, tmp_path: Path) -> None:
    store.write(NAME, b"payload")
    moved = (store.folder / NAME).rename(tmp_path / "elsewhere")
    (store.folder / NAME).symlink_to(moved)
    assert store.read(NAME) is None
    store.write(NAME, b"new")
    assert store.read(NAME) == b"new"
    assert b"payload" in moved.read_bytes()


def test_writers_at_the_same_time_leave_a_whole_entry(store: Store) -> None:
    payloads = [bytes([number]) * 100_000 for number in range(8)]
    threads = [
        threading.Thread(target=lambda one=one: [store.write(NAME, one) for _ in range(20)])
        for one in payloads
    ]
    seen = set()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        seen.add(store.read(NAME))
    assert seen <= {None, *payloads}
    assert store.read(NAME) in payloads
    assert not list(store.folder.glob(".draft-*"))


def test_the_entries_of_longest_ago_go_first(tmp_path: Path) -> None:
    store = Store(open_folder(tmp_path / "cache"), limit=4_400)
    names = [f"{number:032x}.plan" for number in range(4)]
    for age, name in enumerate(names):
        store.write(name, b"x" * 1_000)
        os.utime(store.folder / name, (age, age))
    assert store.read(names[0]) is not None, "which makes it the youngest"
    store.write(OTHER, b"y" * 1_000)
    store.prune()
    left = {file.name for file in store.folder.iterdir()} - {".gitignore", "CACHEDIR.TAG"}
    assert left == {names[0], names[2], names[3], OTHER}


def test_a_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "deep" / "cache")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "cache")
    folder.chmod(0o777)
    with pytest.raises(CacheUnusable, match="other users may write to it"):
        open_folder(folder)


def test_a_file_or_a_dead_link_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    with pytest.raises(CacheUnusable, match="is not a folder"):
        open_folder(tmp_path / "file")
    with pytest.raises(CacheUnusable, match="cannot be used"):
        open_folder(tmp_path / "link")


def test_the_environment_comes_before_the_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NPU_MIGRATE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder(None) == tmp_path / "npu-migrate"
    assert cache_folder(tmp_path / "set") == tmp_path / "set"
    monkeypatch.setenv("NPU_MIGRATE_CACHE_DIR", str(tmp_path / "named"))
    assert cache_folder(tmp_path / "set") == tmp_path / "named"


def test_cleaning_removes_what_is_ours_only(store: Store) -> None:
    store.write(NAME, b"payload")
    (store.folder / "notes.txt").write_text("mine")
    assert clean(store.folder).files == 1
    assert [file.name for file in store.folder.iterdir()] == ["notes.txt"]
    (store.folder / "notes.txt").unlink()
    assert clean(store.folder).files == 0
    assert not store.folder.exists()
    assert clean(store.folder).files == 0


def test_a_folder_of_another_user_is_refused() -> None:
    with unprivileged_folder(), pytest.raises(CacheUnusable, match="belongs to another user"):
        open_folder(Path("/usr"))


def test_an_entry_of_another_user_is_none(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write(NAME, b"planted while others could write to the folder")
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert store.read(NAME) is None


def test_a_folder_that_cannot_be_written_to_still_answers() -> None:
    with unprivileged_folder() as home:
        store = Store(open_folder(home / "cache"))
        store.write(NAME, b"payload")
        store.folder.chmod(0o500)
        assert store.read(NAME) == b"payload"
        with pytest.raises(PermissionError):
            store.write(OTHER, b"more")
        with pytest.raises(CacheUnusable, match="cannot be used: Permission denied"):
            (home / "closed").mkdir(mode=0o500)
            open_folder(home / "closed" / "cache")
        store.folder.chmod(0o700)


def test_a_full_disk_leaves_no_half_entry(store: Store) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            store.write(NAME, b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert store.read(NAME) is None
    assert not list(store.folder.glob(".draft-*"))
