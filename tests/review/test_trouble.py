"""What can go wrong with a change takes one line, says what to do, and ends with exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from review_repository import Ran, Repository, new_repository

pytestmark = [pytest.mark.needs("git"), pytest.mark.long]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = new_repository(tmp_path / "repository")
    repository.commit({"train.py": "import tensorflow as tf\nx = 1\n"})
    return repository


def assert_one_line(ran: Ran, *parts: str) -> None:
    assert (ran.code, ran.out) == (2, b""), ran.err
    assert ran.err.startswith("npu-migrate: error: ")
    assert ran.err.count("\n") == 1
    for part in parts:
        assert part in ran.err


@pytest.mark.parametrize(
    ("revision", "part"),
    [
        ("nope", "--changed-since: there is no revision nope; fetch it"),
        ("--help", "there is no revision --help"),
        ("--output=x", "there is no revision --output=x"),
        ("-", "there is no revision -"),
        ("", "name the revision to compare with"),
        (" ", "name the revision to compare with"),
        ("a\nb", "there is no revision a\N{REPLACEMENT CHARACTER}b"),
        ("^HEAD", "^HEAD is not one revision"),
        ("HEAD~7", "there is no revision HEAD~7"),
        ("HEAD:train.py", "there is no revision HEAD:train.py"),
        ("HEAD..HEAD", "HEAD..HEAD is not one revision"),
    ],
)
def test_a_revision_that_is_none(repository: Repository, revision: str, part: str) -> None:
    assert_one_line(repository.since(revision), part)
    assert sorted(path.name for path in repository.folder.iterdir()) == [".git", "train.py"]


def test_a_name_of_two_things(repository: Repository) -> None:
    repository.git("branch", "both")
    repository.commit({"train.py": "x = 2\n"})
    repository.git("tag", "both")
    assert_one_line(repository.since("both"), "both is ambiguous", "refs/heads/both")
    assert repository.since("refs/heads/both").code == 0


def test_a_shortened_name_of_two_commits(repository: Repository) -> None:
    commits: dict[str, str] = {}
    number = 0
    while True:
        tree = repository.git("write-tree").decode().strip()
        name = repository.git("commit-tree", "-m", str(number), tree).decode().strip()
        if name[:4] in commits:
            break
        commits[name[:4]] = name
        number += 1
    assert_one_line(repository.since(name[:4]), f"{name[:4]} is ambiguous")


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1\n")
    ran = Repository(tmp_path).since("HEAD", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert_one_line(ran, "is in no Git repository; --diff-file takes a patch instead")


def test_no_commit_yet(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    repository.write({"train.py": "x = 1\n"})
    assert_one_line(repository.since("HEAD"), "there is no revision HEAD")
    other = new_repository(tmp_path / "other")
    other.commit({"x.py": "x = 1\n"})
    repository.git("fetch", "--quiet", "other", "main:known")
    assert_one_line(repository.since("known"), "the current branch has no commit yet")


def test_no_git(repository: Repository, tmp_path: Path) -> None:
    assert_one_line(repository.since("HEAD", PATH=str(tmp_path)), "git is not installed")


def test_histories_without_a_common_commit(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--orphan", "alone")
    repository.commit({"train.py": "x = 3\n"})
    assert_one_line(repository.since("main"), "main and the current branch have no commit in common")


def test_a_shallow_clone(repository: Repository, tmp_path: Path) -> None:
    for number in range(4):
        repository.commit({"train.py": f"x = {number}\n"})
    repository.git("checkout", "--quiet", "-b", "topic", "HEAD~2")
    repository.commit({"topic.py": "x = 1\n"})
    address = f"file://{repository.folder}"
    clone = new_repository(tmp_path / "clone")
    clone.git("fetch", "--quiet", "--depth=1", address, "main:main2", "topic:topic")
    clone.git("checkout", "--quiet", "topic")
    assert_one_line(clone.since("main2"), "git fetch --deepen=1000", "fetch-depth: 0")
    assert_one_line(clone.since("main3"), "there is no revision main3 in this shallow clone")
    clone.git("fetch", "--quiet", "--deepen=1000", address, "main:main2", "topic")
    assert clone.since("main2").code == 0


def test_a_repository_of_somebody_else(repository: Repository) -> None:
    ran = repository.since("HEAD", GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert_one_line(ran, "Git does not trust the owner", "git config --global --add safe.directory")


def test_a_bare_repository(repository: Repository) -> None:
    repository.write({".git/hooks/x.py": "x = 1\n"})
    ran = repository.tool("x.py", "--changed-since", "HEAD", "--root", ".", within=".git/hooks")
    assert_one_line(ran, "is in no work tree of a Git repository")


def test_a_link_into_a_repository(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"sub/train.py": "x = 1\n"})
    (tmp_path / "link").symlink_to(repository.folder / "sub")
    ran = Repository(tmp_path).tool("link", "--root", "link", "--changed-since", "HEAD")
    assert_one_line(ran, "is a link into a Git repository; run in the folder that it leads to")


def test_a_patch_that_does_not_fit(repository: Repository) -> None:
    base = repository.commit({"train.py": "a = 1\nb = 2\nc = 3\n"})
    repository.commit({"train.py": "a = 1\nb = 5\nc = 3\n"})
    patch = repository.git("diff", base)

    def reviewed() -> Ran:
        return repository.tool(".", "--diff-file", "-", stdin=patch)

    assert reviewed().code == 0
    repository.write({"train.py": "a = 1\nb = 2\nc = 3\n"})
    part = "the files must be as they are after the patch"
    assert_one_line(reviewed(), "--diff-file: the patch does not fit train.py: line 2 is different", part)
    repository.write({"train.py": "a = 1\n"})
    assert_one_line(reviewed(), "the patch does not fit train.py: line 2 is different")
    (repository.folder / "train.py").unlink()
    repository.write({"other.py": ""})
    assert_one_line(reviewed(), "train.py cannot be read", "count from the top of the repository")


def test_a_patch_file_that_is_none(repository: Repository) -> None:
    assert_one_line(repository.tool(".", "--diff-file", "gone"), "--diff-file: gone: No such file")
    assert_one_line(repository.tool(".", "--diff-file", "."), "--diff-file: .: Is a directory")
    assert_one_line(repository.tool(".", "--diff-file", "train.py"), "holds no unified diff")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((".", "--changed-since", "HEAD", "--diff-file", "x"), "exclude each other"),
        (("-", "--changed-since", "HEAD"), "--changed-since needs files or folders, not standard input"),
        (("-", "--diff-file", "-"), "--diff-file needs files or folders, not standard input"),
        (
            (".", "--changed-since", "HEAD", "--output", "x"),
            "--changed-since and --output exclude each other",
        ),
        ((".", "--changed-since", "HEAD", "--prune-baseline"), "and --prune-baseline exclude each other"),
        ((".", "--diff-file", "x", "--write-baseline", "y"), "and --write-baseline exclude each other"),
        ((".", "--changed-since", "HEAD", "--add-suppressions"), "and --add-suppressions exclude each other"),
        ((".", "--diff-file", "x", "--write"), "--diff-file and --write exclude each other"),
        ((".", "--format", "github-review"), "needs the change that is reviewed"),
        (
            (".", "--format", "github-review", "--changed-since", "HEAD", "--write"),
            "--format github-review and --write exclude each other",
        ),
        ((".", "--existing", "x"), "--existing goes with --format github-review"),
    ],
)
def test_options_that_do_not_go_together(
    repository: Repository, arguments: tuple[str, ...], part: str
) -> None:
    assert_one_line(repository.tool(*arguments), part)


@pytest.mark.parametrize("content", ["", "{}", "[1]", "<html>", '[{"body": 1}]', "[{]"])
def test_comments_that_are_none(repository: Repository, content: str) -> None:
    repository.write(
        {"train.py": "import tensorflow as tf\ni = tf.data.Dataset().make_one_shot_iterator()\n"}
    )
    repository.write({"comments.json": content})
    ran = repository.tool(
        ".", "--format", "github-review", "--changed-since", "HEAD", "--existing", "comments.json"
    )
    if content == "":
        assert ran.code == 1
    else:
        assert_one_line(ran, "--existing: comments.json holds no comments as GitHub's API gives them")
