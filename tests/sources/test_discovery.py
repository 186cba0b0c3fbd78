from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from unprivileged import unprivileged_folder

from npu_migrate.sources.discovery import Discovery, PathError, discover, discover_text, project_root


def make(folder: Path, *names: str, **texts: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    for name, text in texts.items():
        (folder / name.replace("__", "/").replace("gitignore", ".gitignore")).write_text(text)


def names(keys: tuple[str, ...], folder: Path) -> list[str]:
    return [os.path.relpath(key, folder) for key in keys]


def targets(folder: Path, *paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return names(find(folder, *paths, exclude=exclude).tree.targets, folder)


def find(folder: Path, *paths: str, exclude: tuple[str, ...] = ()) -> Discovery:
    return discover([str(folder / path) for path in paths], folder, exclude)


def test_python_files_are_targets_and_the_others_context(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "pkg/b.py", "pkg/sub/c.py", "pkg/data.txt", "other/d.py", "pkg/e.pyc")
    found = find(tmp_path, "pkg")
    assert names(found.tree.targets, tmp_path) == ["pkg/b.py", "pkg/sub/c.py"]
    assert names(found.tree.context, tmp_path) == ["a.py", "other/d.py"]


def test_overlapping_paths_count_once(tmp_path: Path) -> None:
    make(tmp_path, "pkg/b.py", "pkg/sub/c.py")
    assert targets(tmp_path, "pkg", "pkg/sub", "pkg/b.py", "pkg/../pkg") == ["pkg/b.py", "pkg/sub/c.py"]


@pytest.mark.parametrize("junk", [".git", ".tox", "venv", "__pycache__", "build", "dist", "x.egg-info"])
def test_junk_is_left_out_unless_it_is_named(tmp_path: Path, junk: str) -> None:
    make(tmp_path, "a.py", f"{junk}/b.py", f"{junk}/sub/c.py")
    found = find(tmp_path, ".")
    assert names(found.tree.targets, tmp_path) == ["a.py"]
    assert names(found.left_out, tmp_path) == [junk]
    assert targets(tmp_path, junk) == [f"{junk}/b.py", f"{junk}/sub/c.py"]
    assert targets(tmp_path, f"{junk}/b.py") == [f"{junk}/b.py"]


def test_an_environment_is_known_by_its_configuration(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "python37/pyvenv.cfg", "python37/lib/b.py")
    assert targets(tmp_path, ".") == ["a.py"]
    assert targets(tmp_path, "python37") == ["python37/lib/b.py"]


def test_ignored_files_are_those_that_git_ignores(tmp_path: Path) -> None:
    """Git itself lists what is not ignored."""
    make(tmp_path, "a.py", "gen/a.py", "gen/keep.py", "sub/a_pb2.py", "sub/gen/x.py", "sub/deep/b.py")
    make(tmp_path, "sub/deep/a_pb2.py", "sub/local.py", "é/a.py", "é/b.py", "wild/x1.py", "wild/x22.py")
    make(
        tmp_path,
        gitignore="*_pb2.py\r\n/gen/*\n!/gen/keep.py\n# comment\n\né/a.py\nx?.py\n",
        sub__gitignore="gen/\n!a_pb2.py\n/deep/b.py\n\\!odd\n",
    )
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".git/info/exclude").write_text("local.py\n")
    listed = subprocess.run(
        ["git", "-c", "core.quotePath=false", "ls-files", "-oc", "--exclude-standard", "*.py"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    expected = sorted(listed.stdout.split())
    assert {"gen/keep.py", "sub/a_pb2.py"} <= set(expected) and "sub/local.py" not in expected
    assert targets(tmp_path, ".") == expected
    assert targets(tmp_path, "sub") == [name for name in expected if name.startswith("sub/")]


def test_patterns_above_the_root_hold_up_to_the_work_tree(tmp_path: Path) -> None:
    make(tmp_path, "mono/a.py", "mono/gen/b.py", gitignore="gen/\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert names(discover([str(tmp_path / "mono")], tmp_path / "mono").tree.targets, tmp_path) == [
        "mono/a.py"
    ]


def test_a_named_folder_is_taken_although_ignored(tmp_path: Path) -> None:
    make(tmp_path, "gen/a.py", "gen/skip.py", "gen/sub/b.py", "c.py", gitignore="gen/\n")
    make(tmp_path, gen__gitignore="skip.py\n")
    assert targets(tmp_path, ".") == ["c.py"]
    assert targets(tmp_path, "gen") == ["gen/a.py", "gen/sub/b.py"]
    assert targets(tmp_path, "gen/sub") == ["gen/sub/b.py"]
    assert targets(tmp_path, "gen/skip.py") == ["gen/skip.py"]


def test_excluded_patterns_are_relative_to_the_root(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "old/a.py", "pkg/old/b.py", "pkg/a.py")
    assert targets(tmp_path, ".", exclude=("/old/", "pkg/a.py")) == ["a.py", "pkg/old/b.py"]
    assert targets(tmp_path, "old", exclude=("/old/",)) == ["old/a.py"]
    assert targets(tmp_path, "pkg", exclude=("old/",)) == ["pkg/a.py"]
    assert names(find(tmp_path, "pkg", exclude=("/old/",)).tree.context, tmp_path) == ["a.py"]


def test_patterns_that_git_cannot_understand_change_nothing(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b.py", gitignore="!\n/\nb.py\n")
    assert targets(tmp_path, ".") == ["a.py"]


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "pkg/a.py")
    (tmp_path / "pkg/loop").symlink_to(tmp_path / "pkg")
    (tmp_path / "pkg/up.py").symlink_to("..")
    found = find(tmp_path, ".")
    assert names(found.tree.targets, tmp_path) == ["pkg/a.py"]
    assert found.unread == ()
    assert targets(tmp_path, "pkg/loop") == ["pkg/loop/a.py"], "a named link is followed"


def test_a_file_and_its_links_are_one_target(tmp_path: Path) -> None:
    make(tmp_path, "z.py", "outside/o.py", "pkg/m.py")
    (tmp_path / "a.py").symlink_to("z.py")
    (tmp_path / "pkg/o1.py").symlink_to("../outside/o.py")
    (tmp_path / "pkg/o2.py").symlink_to("../outside/o.py")
    assert targets(tmp_path, ".") == ["outside/o.py", "pkg/m.py", "z.py"]
    found = find(tmp_path, "pkg")
    assert names(found.tree.targets, tmp_path) == ["pkg/m.py", "pkg/o1.py"]
    assert names(found.tree.context, tmp_path) == ["z.py"], "what is a target is no context"
    assert targets(tmp_path, "a.py", ".") == ["a.py", "outside/o.py", "pkg/m.py"], "the named one wins"


def test_a_folder_may_be_called_like_a_file(tmp_path: Path) -> None:
    make(tmp_path, "x.py/inner.py")
    assert targets(tmp_path, ".") == ["x.py/inner.py"]
    assert targets(tmp_path, "x.py") == ["x.py/inner.py"]


def test_what_is_no_file_is_reported_and_not_read(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "broken.py").symlink_to("nowhere")
    (tmp_path / "self.py").symlink_to("self.py")
    (tmp_path / ".#a.py").symlink_to("user@host.1234")
    found = find(tmp_path, ".")
    assert names(found.tree.targets, tmp_path) == ["a.py"]
    assert [(Path(one.key).name, one.reason) for one in found.unread] == [
        ("broken.py", "is not a regular file"),
        ("pipe.py", "is not a regular file"),
        ("self.py", "is not a regular file"),
    ]


def test_a_folder_that_cannot_be_opened_is_reported() -> None:
    with unprivileged_folder() as folder:
        make(folder, "open/a.py", "shut/b.py")
        (folder / "shut").chmod(0)
        found = find(folder, ".")
        around = find(folder, "open")
        (folder / "shut").chmod(0o700)
    assert names(found.tree.targets, folder) == ["open/a.py"]
    assert [(one.key, one.reason) for one in found.unread] == [
        (f"{folder}/shut", "cannot be opened: Permission denied")
    ]
    assert around.unread == ()
    assert around.unread_context == found.unread


def test_notebooks_are_found_like_scripts(tmp_path: Path) -> None:
    make(tmp_path, "a/x.ipynb", "a/.ipynb_checkpoints/x-checkpoint.ipynb", "b/b.py", "n.ipynb")
    assert targets(tmp_path, "a", "b") == ["a/x.ipynb", "b/b.py"]
    assert targets(tmp_path, "n.ipynb") == ["n.ipynb"]
    assert names(find(tmp_path, "b").tree.context, tmp_path) == ["a/x.ipynb", "n.ipynb"]


def test_empty_folders_are_told(tmp_path: Path) -> None:
    make(tmp_path, "a/x.ipynb", "b/b.py", "c/readme.txt")
    assert names(find(tmp_path, "a", "b", "c").empty, tmp_path) == ["c"]


def test_a_named_file_may_have_any_suffix(tmp_path: Path) -> None:
    make(tmp_path, "train", "x.py3")
    assert targets(tmp_path, "train", "x.py3") == ["train", "x.py3"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone.py", "gone.py: does not exist"),
        ("broken.py", "broken.py: is a link that leads nowhere"),
        ("pipe", "pipe: is neither a file nor a folder; use - to read from standard input"),
        ("loop", "loop: cannot be used: Too many levels of symbolic links"),
        ("a.py/b.py", "a.py/b.py: cannot be used: Not a directory"),
        ("..", r"\.\.: does not lie below the root folder .*; give another --root"),
    ],
)
def test_paths_that_cannot_be_used(tmp_path: Path, path: str, message: str) -> None:
    make(tmp_path, "a.py")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "broken.py").symlink_to("nowhere")
    with pytest.raises(PathError, match=f"{message}$"):
        find(tmp_path, path)


@pytest.mark.parametrize("marker", ["pyproject.toml", "setup.py", ".git"])
def test_the_root_is_the_nearest_folder_with_a_marker(tmp_path: Path, marker: str) -> None:
    make(tmp_path, "setup.py", f"project/{marker}", "project/pkg/sub/a.py")
    assert project_root([str(tmp_path / "project/pkg/sub/a.py")]) == tmp_path / "project"
    assert project_root([str(tmp_path / "project")]) == tmp_path / "project"


def test_paths_of_several_projects_have_the_root_above_them(tmp_path: Path) -> None:
    make(tmp_path, "setup.py", "p/pyproject.toml", "q/pyproject.toml", "p/a.py", "q/b.py")
    assert project_root([str(tmp_path / "p/a.py"), str(tmp_path / "q")]) == tmp_path


def test_without_a_marker_the_root_is_the_own_folder(tmp_path: Path) -> None:
    make(tmp_path, "pkg/a.py")
    assert project_root([str(tmp_path / "pkg/a.py")]) == tmp_path / "pkg"
    assert project_root([str(tmp_path / "pkg")]) == tmp_path / "pkg"


def test_a_text_stands_for_a_file_among_others(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b.py")
    key = f"{tmp_path}/a.py"
    tree = discover_text(b"y = 2\n", key, tmp_path).tree
    assert (tree.targets, names(tree.context, tmp_path)) == ((key,), ["b.py"])
    assert tree.data(key) == b"y = 2\n"


def test_a_text_alone_has_no_context(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    assert discover_text(b"", f"{tmp_path}/-", None).tree.context == ()
