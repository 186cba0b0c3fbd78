"""Patches as Git writes them: read, and applied backwards."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from review_repository import Repository, new_repository

from npu_migrate.review.change import ReviewError, Touched
from npu_migrate.review.patched import change_of
from npu_migrate.review.patches import FilePatch, parse_patch, touched_by
from npu_migrate.review.rewinding import as_it_is, rewind
from npu_migrate.sources.tree import SourceTree

needs_git = pytest.mark.needs("git")

ODD_NAMES = (
    "plain.py",
    "with blank.py",
    "训练/脚本.py",
    'quote".py',
    "tab\t.py",
    "back\\slash.py",
    "a/b/x.py",
    "b/x.py",
    "--- dashes.py",
    " leading.py",
)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "repository")


def files_of(patch: bytes) -> dict[str | None, FilePatch]:
    return {one.new or one.old: one for one in parse_patch(patch)}


@needs_git
@pytest.mark.parametrize("options", [(), ("--no-prefix",), ("--src-prefix=i/", "--dst-prefix=w/"), ("-U0",)])
@pytest.mark.parametrize("quoted", ["true", "false"])
def test_names_are_read_however_git_writes_them(
    repository: Repository, options: tuple[str, ...], quoted: str
) -> None:
    base = repository.commit(dict.fromkeys(ODD_NAMES, "x = 1\n"))
    repository.commit(dict.fromkeys(ODD_NAMES, "x = 2\n"))
    diff = repository.git("-c", f"core.quotePath={quoted}", "diff", *options, base)
    assert {(one.old, one.new) for one in parse_patch(diff)} == {(name, name) for name in ODD_NAMES}


@needs_git
@pytest.mark.parametrize("options", [(), ("--no-prefix",)])
def test_added_deleted_renamed_and_empty_files(repository: Repository, options: tuple[str, ...]) -> None:
    text = "".join(f"x{number} = {number}\n" for number in range(20))
    base = repository.commit({"a/old.py": text, "gone.py": "x = 1\n", "empty.py": "", "mode.py": "y = 1\n"})
    for name in ("a/old.py", "gone.py", "empty.py"):
        (repository.folder / name).unlink()
    (repository.folder / "mode.py").chmod(0o755)
    repository.commit({"b/new.py": f"{text}z = 1\n", "added.py": "import os\n", "empty too.py": ""})
    patches = parse_patch(repository.git("diff", "-M", *options, base))
    assert {(one.old, one.new) for one in patches} == {
        ("a/old.py", "b/new.py"),
        ("gone.py", None),
        ("empty.py", "empty too.py"),
        ("mode.py", "mode.py"),
        (None, "added.py"),
    }


@needs_git
def test_links_submodules_and_binary_files(repository: Repository) -> None:
    base = repository.commit({"text.py": "x = 1\n", "data.py": b"\0\1\2"})
    (repository.folder / "link.py").symlink_to("text.py")
    repository.commit({"data.py": b"\0\1\3"})
    for options in ((), ("--binary",)):
        data, link = parse_patch(repository.git("diff", *options, base))
        assert (data.new, data.binary, data.special, data.hunks) == ("data.py", True, False, ())
        assert (link.new, link.binary, link.special, link.hunks) == ("link.py", False, True, ())


def test_a_hunk_is_as_long_as_its_header_says() -> None:
    patch = b"--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,2 @@\n a\n--- a\n b\n-- \n2.39.5\n"
    (file,) = parse_patch(patch)
    assert [line.content for line in file.hunks[0].lines] == [b"a\n", b"-- a\n", b"b\n"]
    assert touched_by(file.hunks) == Touched(gaps=frozenset({1}))


def test_the_blank_of_an_empty_line_may_be_missing() -> None:
    (file,) = parse_patch(b"--- x.py\n+++ x.py\n@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n")
    assert file.new == "x.py"
    assert [line.content for line in file.hunks[0].lines] == [b"a\n", b"b\n", b"\n", b"c\n"]


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (b"hello\n", "holds no unified diff"),
        ("diff --git a/x b/x\n".encode("utf-16"), "UTF-16"),
        (b"diff --cc x.py\n@@@ -1,1 -1,1 +1,1 @@@\n", "combined diff of a merge"),
        (b"--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n", "cut off at line 4"),
        (b"--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\nb\nc\n", "damaged at line 5: a hunk is shorter"),
        (b"--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,2 @@\n-a\n-b\n+c\n+d\n", "damaged at line 5: a hunk is longer"),
    ],
)
def test_what_is_no_patch_is_told(patch: bytes, message: str) -> None:
    with pytest.raises(ReviewError, match=message):
        parse_patch(patch)


def test_an_empty_patch_changes_nothing() -> None:
    assert parse_patch(b"") == parse_patch(b"\n") == ()


LINES = (b"x\n", b"y\r\n", b"z\x0cw\n", b"-- \n", b"++ x\n", b"\n", b"\r\n", "训练 = 1\n".encode(), b"a\rb\n")


def mutated(random_: random.Random, lines: list[bytes]) -> list[bytes]:
    lines = list(lines)
    for _ in range(random_.randint(1, 4)):
        at = random_.randint(0, len(lines))
        if random_.random() < 0.5:
            lines[at:at] = random_.choices(LINES, k=random_.randint(1, 3))
        else:
            del lines[at : at + random_.randint(1, 4)]
    return lines


def content(random_: random.Random, lines: list[bytes]) -> bytes:
    data = b"".join(lines)
    return data.removesuffix(b"\n") if random_.random() < 0.3 else data


@needs_git
def test_patches_lead_back_to_what_was_there(repository: Repository) -> None:
    """120 files changed at random: what Git's diff says of each, backwards, gives the old file."""
    random_ = random.Random(7)
    old = [random_.choices(LINES, k=random_.randint(1, 40)) for _ in range(120)]
    before = {f"{number}.py": content(random_, lines) for number, lines in enumerate(old)}
    after = {f"{number}.py": content(random_, mutated(random_, lines)) for number, lines in enumerate(old)}
    base = repository.commit(dict(before))
    repository.commit(dict(after))
    seen = 0
    for options in ((), ("-U0",), ("-U10", "--patience")):
        for name, patch in files_of(repository.git("diff", "--text", *options, base)).items():
            assert name is not None
            rewound = rewind(as_it_is(after[name]), patch)
            assert rewound.data == before[name]
            assert rewound.touched == touched_by(patch.hunks)
            seen += 1
    assert seen > 300


@needs_git
def test_a_series_of_patches_is_one_change(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a mailbox of patches touched is what one diff over all of them touched."""
    random_ = random.Random(11)
    lines = [f"line {number}\n".encode() for number in range(60)]
    base = repository.commit({"a.py": b"".join(lines), "gone.py": "g = 1\n"})
    lines[10:12] = [b"first\n"]
    repository.commit({"a.py": b"".join(lines), "tmp.py": "t = 1\n"})
    repository.git("mv", "a.py", "b.py")
    lines[10:11] = [b"second\n", b"third\n"]
    del lines[40:43]
    (repository.folder / "tmp.py").unlink()
    (repository.folder / "gone.py").unlink()
    repository.commit({"b.py": b"".join(lines), "new.py": "n = 1\n"})
    lines.insert(random_.randint(50, 55), b"fourth\n")
    repository.commit({"b.py": b"".join(lines)})
    monkeypatch.chdir(repository.folder)
    keys = tuple(f"{repository.folder}/{name}" for name in ("b.py", "new.py"))
    tree = SourceTree(repository.folder, keys, ())
    series = change_of(parse_patch(repository.git("format-patch", "--stdout", base)), tree)
    at_once = change_of(parse_patch(repository.git("diff", base)), tree)
    assert series.files[keys[0]].before == at_once.files[keys[0]].before
    assert series.files[keys[0]].was == f"{repository.folder}/a.py"
    assert series.files[keys[0]].touched.lines == at_once.files[keys[0]].touched.lines
    assert series.files[keys[1]] == at_once.files[keys[1]]
    assert series.deleted[f"{repository.folder}/gone.py"] == b"g = 1\n"


def test_hunks_are_those_of_a_diff_with_three_lines_of_context() -> None:
    touched = Touched(frozenset({1, 8, 30}), frozenset({20}))
    assert touched.hunks(31) == ((1, 11), (18, 23), (27, 31))
    assert Touched(gaps=frozenset({0})).hunks(2) == ((1, 2),)
    assert Touched(gaps=frozenset({0})).hunks(0) == ()


@needs_git
@pytest.mark.parametrize(
    "text",
    [
        "Binary files are gone",
        "GIT binary patch",
        "rename to nowhere.py",
        "copy to nowhere.py",
        "old mode 120000",
        "new file mode 100644",
        "deleted file mode 100644",
        "index 1234567..89abcde 120000",
        "--- a/nowhere.py\n+++ b/nowhere.py",
        "diff --git a/nowhere.py b/nowhere.py",
        "diff --cc nowhere.py",
    ],
)
def test_the_words_of_a_commit_are_no_patch(repository: Repository, text: str) -> None:
    base = repository.commit({"a.py": "x = 1\n", "b.py": "x = 1\n"})
    repository.commit({"a.py": "x = 2\n"})
    repository.write({"b.py": "x = 2\n"})
    repository.git("commit", "--quiet", "--all", "--message", f"title\n\n{text}\n\nmore")
    diff = repository.git("diff", base)
    assert parse_patch(repository.git("format-patch", "--stdout", base)) == parse_patch(diff)


@needs_git
@pytest.mark.parametrize("name", ["a.py", "renamed.py"])
def test_a_patch_that_is_cut_off_is_told(repository: Repository, name: str) -> None:
    """Wherever the patch of a file ends behind its first line."""
    base = repository.commit({"a.py": "x = 1\n" * 9})
    (repository.folder / "a.py").unlink()
    repository.commit({name: "x = 1\n" * 9 + "x = 2\n"})
    patch = repository.git("diff", "-M", base)
    (whole,) = parse_patch(patch)
    assert whole.new == name
    lines = patch.splitlines(keepends=True)
    for count in range(2, len(lines)):
        for part in (b"".join(lines[:count]), b"".join(lines[:count]).removesuffix(b"\n")):
            with pytest.raises(ReviewError, match="cut off"):
                parse_patch(part)


@needs_git
def test_a_file_with_nothing_but_white_space_changed(repository: Repository) -> None:
    base = repository.commit({"a.py": "x = 1\n"})
    (repository.folder / "a.py").chmod(0o755)
    repository.commit({"a.py": "x =  1\n"})
    (patch,) = parse_patch(repository.git("diff", "--ignore-all-space", base))
    assert (patch.old, patch.new, patch.hunks) == ("a.py", "a.py", ())
