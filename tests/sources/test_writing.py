from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from unprivileged import unprivileged_folder

from npu_migrate.sources.writing import CHANGED, Replacement, replace_files, write_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def replacement(path: Path, data: bytes) -> Replacement:
    return Replacement(str(path), data, path.read_bytes())


def test_files_get_their_new_bytes_and_keep_mode_and_owner(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o754)
    if os.geteuid() == 0:
        os.chown(path, 1234, 2345)
    before = path.stat()
    assert replace_files([replacement(path, b"new\r\n")]).written == (str(path),)
    after = path.stat()
    assert path.read_bytes() == b"new\r\n"
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert names(tmp_path) == ["a.py"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real/a.py"
    target.write_bytes(b"old")
    link = tmp_path / "a.py"
    link.symlink_to("real/a.py")
    replace_files([replacement(link, b"new")])
    assert link.readlink() == Path("real/a.py")
    assert target.read_bytes() == b"new"


def test_a_file_that_has_changed_is_refused_and_so_are_the_others(tmp_path: Path) -> None:
    a, b = tmp_path / "a.py", tmp_path / "b.py"
    a.write_bytes(b"a")
    b.write_bytes(b"b")
    wanted = [replacement(a, b"A"), replacement(b, b"B")]
    b.write_bytes(b"user's own")
    replaced = replace_files(wanted)
    assert (replaced.written, dict(replaced.refused)) == ((), {str(b): CHANGED})
    assert (a.read_bytes(), b.read_bytes()) == (b"a", b"user's own")
    assert names(tmp_path) == ["a.py", "b.py"]


def test_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    wanted = Replacement(str(tmp_path / "a.py"), b"new", b"old")
    assert "No such file" in replace_files([wanted]).refused[str(tmp_path / "a.py")]
    assert names(tmp_path) == []


def test_a_read_only_file_and_a_read_only_folder_are_refused() -> None:
    with unprivileged_folder() as folder:
        (folder / "shut").mkdir()
        wanted = []
        for path in (folder / "locked.py", folder / "shut/a.py"):
            path.write_bytes(b"old")
            wanted.append(replacement(path, b"new"))
        (folder / "locked.py").chmod(0o444)
        (folder / "shut").chmod(0o555)
        replaced = replace_files(wanted)
        (folder / "shut").chmod(0o755)
        assert [path.read_bytes() for path in folder.rglob("*.py")] == [b"old", b"old"]
    assert list(replaced.refused.values()) == ["cannot be written: Permission denied"] * 2


def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """A limit on file size stands in for a full disk: the second file does not fit."""
    (tmp_path / "a.py").write_bytes(b"a")
    (tmp_path / "b.py").write_bytes(b"b")
    code = """
        import resource, signal, sys
        from npu_migrate.sources.writing import Replacement, replace_files
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        a, b = sys.argv[1:]
        replaced = replace_files([Replacement(a, b"x", b"a"), Replacement(b, b"x" * 9999, b"b")])
        print(replaced.written, list(replaced.refused.values()))
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), tmp_path / "a.py", tmp_path / "b.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == "() ['cannot be written: File too large']\n"
    assert (tmp_path / "a.py").read_bytes() == b"a"
    assert names(tmp_path) == ["a.py", "b.py"]


def test_an_interruption_before_the_last_file_is_ready_changes_nothing(tmp_path: Path) -> None:
    a, b = tmp_path / "a.py", tmp_path / "b.py"
    a.write_bytes(b"a")
    b.write_bytes(b"b")

    def interrupted() -> object:
        yield replacement(a, b"A")
        signal.raise_signal(signal.SIGINT)
        yield replacement(b, b"B")

    with pytest.raises(KeyboardInterrupt):
        replace_files(interrupted())  # type: ignore[arg-type]
    assert (a.read_bytes(), b.read_bytes()) == (b"a", b"b")
    assert names(tmp_path) == ["a.py", "b.py"]


def test_an_interruption_while_files_are_replaced_waits_for_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = tmp_path / "a.py", tmp_path / "b.py"
    a.write_bytes(b"a")
    b.write_bytes(b"b")
    rename = Path.replace

    def rename_and_interrupt(self: Path, target: Path) -> Path:
        signal.raise_signal(signal.SIGINT)
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", rename_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace_files([replacement(a, b"A"), replacement(b, b"B")])
    assert (a.read_bytes(), b.read_bytes()) == (b"A", b"B")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_report_is_a_new_file_with_the_usual_mode(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    mask = os.umask(0o027)
    try:
        write_file(str(path), b"{}")
    finally:
        os.umask(mask)
    assert path.read_bytes() == b"{}"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o600)
    write_file(str(path), b"[]")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"[]", 0o600)
    assert names(tmp_path) == ["report.json"]


def test_a_report_may_go_to_a_device() -> None:
    write_file("/dev/null", b"{}")
    assert not Path("/dev/null").is_file()


def test_a_read_only_report_is_not_replaced() -> None:
    with unprivileged_folder() as folder:
        path = folder / "report.json"
        path.write_bytes(b"kept")
        path.chmod(0o444)
        with pytest.raises(PermissionError):
            write_file(str(path), b"new")
        assert path.read_bytes() == b"kept"
        assert names(folder) == ["report.json"]


def test_a_new_file_is_made_as_any_program_makes_files(tmp_path: Path) -> None:
    path = tmp_path / "new.py"
    assert replace_files([Replacement(str(path), b"new", None)]).written == (str(path),)
    (tmp_path / "usual").touch()
    assert (path.read_bytes(), path.stat().st_mode) == (b"new", (tmp_path / "usual").stat().st_mode)
    assert names(tmp_path) == ["new.py", "usual"]


@pytest.mark.parametrize("content", [b"", b"theirs"])
def test_a_new_file_that_somebody_else_has_made_is_refused(content: bytes, tmp_path: Path) -> None:
    new, old = tmp_path / "new.py", tmp_path / "old.py"
    new.write_bytes(content)
    old.write_bytes(b"old")
    replaced = replace_files([replacement(old, b"other"), Replacement(str(new), b"ours", None)])
    assert (replaced.written, dict(replaced.refused)) == ((), {str(new): CHANGED})
    assert (new.read_bytes(), old.read_bytes()) == (content, b"old")


def test_new_files_are_made_before_those_that_may_need_them_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "a.py"
    old.write_bytes(b"old")
    made: list[str] = []
    rename = Path.replace

    def noted(self: Path, target: Path) -> Path:
        made.append(target.name)
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", noted)
    replace_files([replacement(old, b"import new"), Replacement(str(tmp_path / "new.py"), b"", None)])
    assert made == ["new.py", "a.py"]
