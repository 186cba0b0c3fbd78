from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from npu_migrate.sources.copying import CopyError, common_folder, copy_files, require_destination
from npu_migrate.sources.discovery import PathError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "pkg/.hidden").mkdir(parents=True)
    (folder / "pkg/a.py").write_bytes(b"a = 1\r\n")
    (folder / "pkg/run.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "pkg/run.sh").chmod(0o755)
    (folder / "pkg/.hidden/data.bin").write_bytes(bytes(range(256)))
    (folder / "train.py").write_bytes(b"t = 1\n")
    (folder / "empty").mkdir()
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def listing(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_the_copy_has_everything_and_the_new_contents(project: Path, tmp_path: Path) -> None:
    new = {f"{project}/pkg/a.py": b"a = 2\r\n"}
    assert copy_files([str(project)], str(tmp_path / "out/deep"), new) == ()
    out = tmp_path / "out/deep"
    assert listing(out) == listing(project)
    assert (out / "pkg/a.py").read_bytes() == b"a = 2\r\n"
    assert (out / "train.py").read_bytes() == b"t = 1\n"
    assert (out / "pkg/.hidden/data.bin").read_bytes() == bytes(range(256))
    assert stat.S_IMODE((out / "pkg/run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(project.stat().st_mode)
    assert (out / "train.py").stat().st_mtime_ns == (project / "train.py").stat().st_mtime_ns
    assert (project / "pkg/a.py").read_bytes() == b"a = 1\r\n"


def test_several_paths_keep_their_places_below_the_common_folder(project: Path, tmp_path: Path) -> None:
    copy_files([str(project / "pkg"), str(project / "train.py")], str(tmp_path / "out"), {})
    assert listing(tmp_path / "out") == [
        name for name in listing(project) if name.startswith(("pkg", "train.py"))
    ]


def test_one_file_is_copied_alone(project: Path, tmp_path: Path) -> None:
    assert common_folder([str(project / "pkg/a.py")]) == f"{project}/pkg"
    copy_files([str(project / "pkg/a.py")], str(tmp_path / "out"), {})
    assert listing(tmp_path / "out") == ["a.py"]


def test_links_inside_lead_into_the_copy_and_others_to_where_they_led(project: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("outside")
    (project / "pkg/near.py").symlink_to("../train.py")
    (project / "pkg/absolute.py").symlink_to(project / "train.py")
    (project / "far.txt").symlink_to("../outside.txt")
    (project / "edited.py").symlink_to("../outside.txt")
    (project / "folder").symlink_to("pkg")
    copy_files([str(project)], str(tmp_path / "x/out"), {f"{project}/edited.py": b"new"})
    out = tmp_path / "x/out"
    assert (out / "pkg/near.py").resolve() == out / "train.py"
    assert (out / "pkg/absolute.py").resolve() == out / "train.py"
    assert (out / "folder").resolve() == out / "pkg"
    assert (out / "far.txt").resolve() == tmp_path / "outside.txt"
    assert not (out / "edited.py").is_symlink()
    assert (tmp_path / "outside.txt").read_text() == "outside", "a fix never leaves the copy"


def test_an_empty_folder_is_taken_as_destination(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    require_destination([str(project)], str(tmp_path / "out"))
    copy_files([str(project)], str(tmp_path / "out"), {})
    assert listing(tmp_path / "out") == listing(project)


def test_pipes_are_left_out_and_told(project: Path, tmp_path: Path) -> None:
    os.mkfifo(project / "pipe")
    assert copy_files([str(project)], str(tmp_path / "out"), {}) == (f"{project}/pipe",)


def test_what_cannot_be_copied_leaves_nothing_behind(project: Path, tmp_path: Path) -> None:
    gone = f"{project}/pkg/a.py"
    (project / "pkg/a.py").unlink()
    with pytest.raises(CopyError, match=r"a\.py: cannot be copied: No such file"):
        copy_files([str(project), gone], str(tmp_path / "out"), {gone: b"new"})
    assert names(tmp_path) == ["project"]


@pytest.mark.parametrize(
    ("destination", "message"),
    [
        ("project", "is not empty"),
        ("project/new", "lies inside .*project; --output needs a folder elsewhere"),
        ("link/new", "lies inside"),
        ("project/empty", "lies inside"),
        ("project/train.py", "is not a folder"),
        ("empty_link", "is not a folder"),
    ],
)
def test_destinations_that_would_mix_with_the_project(
    project: Path, tmp_path: Path, destination: str, message: str
) -> None:
    (tmp_path / "link").symlink_to("project")
    (tmp_path / "empty_link").symlink_to("project/empty")
    with pytest.raises(PathError, match=message):
        require_destination([str(project)], str(tmp_path / destination))


def test_a_file_may_have_its_copy_in_a_folder_beside_it(project: Path) -> None:
    require_destination([str(project / "train.py")], str(project / "migrated"))
    require_destination([str(project / "train.py")], str(project / "empty"))
