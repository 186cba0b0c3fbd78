"""The change since a revision, as Git knows it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path

from npu_migrate.review.change import SUFFIXES, Change, ChangedFile, ReviewError, Touched, all_lines
from npu_migrate.review.filters import filtered, touched_between
from npu_migrate.review.patches import FilePatch, parse_patch, touched_by
from npu_migrate.review.repository import DIFF, Repository, git, repository_around, run_git, scratch_folder
from npu_migrate.review.rewinding import as_it_is, rewind
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import SourceError, decode
from npu_migrate.sources.tree import SourceTree


def change_since(revision: str, tree: SourceTree) -> Change:
    """What differs between the files below the root of `tree` and the merge base of `revision` and HEAD.

    Files that Git neither tracks nor ignores count as added, or as renamed if they hold what a file held that
    is gone. Raises `ReviewError`.
    """
    repository = repository_around(key_of(tree.root))
    base = _merge_base(revision, repository)
    patches = _patches(repository, base, _pathspecs(tree, repository))
    before = _contents(
        repository, [patch for patch in patches if patch.old is not None and patch.blob and not patch.special]
    )
    files: dict[str, ChangedFile] = {}
    deleted: dict[str, bytes] = {}
    for patch in patches:
        content = before.get(patch.blob or "")
        if patch.new is not None:
            files[repository.key(patch.new)] = _changed(repository, tree, patch, patch.new, content)
        elif patch.old is not None and not patch.special:
            deleted[repository.key(patch.old)] = content or b""
    return Change(repository.top, files, deleted)


def _patches(repository: Repository, base: str, selected: Sequence[str]) -> tuple[FilePatch, ...]:
    """The diff between a commit and the files on disk, the untracked ones among them."""
    untracked = git(
        repository, "ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", *selected
    )
    with _index_with(repository, untracked) if untracked else nullcontext(repository) as complete:
        return parse_patch(git(complete, *DIFF, base, "--", *selected))


@contextmanager
def _index_with(repository: Repository, names: bytes) -> Iterator[Repository]:
    """`repository` with another index, which has the files `names` too, each ending with a zero byte.

    Git tells only of files in its index whether they were renamed. What the index says that they hold does
    not matter.
    """
    with scratch_folder() as folder:
        index = folder / "index"
        path = os.fsdecode(git(repository, "rev-parse", "--git-path", "index").removesuffix(b"\n"))
        with suppress(FileNotFoundError):
            shutil.copy2(Path(repository.folder, path), index)  # with its time, which Git looks at
        other = replace(repository, index=str(index))
        blob = git(other, "hash-object", "--stdin").strip()
        entries = b"".join(b"100644 %b\t%b\0" % (blob, name) for name in names.split(b"\0") if name)
        git(other, "update-index", "--replace", "-z", "--index-info", given=entries)
        yield other


def _changed(
    repository: Repository, tree: SourceTree, patch: FilePatch, name: str, content: bytes | None
) -> ChangedFile:
    """What `patch` did to the file that has a name now; `content` is what Git kept of it, if it differs."""
    if patch.special:
        return ChangedFile(Touched())
    data = _data(tree, repository.key(name))
    if patch.old is None:
        return ChangedFile(all_lines(data))
    was = repository.key(patch.old)
    if content is None or patch.blob is None:
        return ChangedFile(touched_by(patch.hunks), was, data)
    if _leads_back(patch, data, content):
        return ChangedFile(touched_by(patch.hunks), was, content)
    # Git keeps another text than is on disk, and counts its lines: a filter cleans it, or converts it.
    before = filtered(repository, patch.blob, patch.old, content)
    return ChangedFile(touched_between(before, data), was, before)


def _leads_back(patch: FilePatch, data: bytes, content: bytes) -> bool:
    """Whether `patch` made `data` of `content`, whatever their lines end with."""
    try:
        before = rewind(as_it_is(data), patch).data
    except ReviewError:
        return False
    return before.replace(b"\r\n", b"\n") == content.replace(b"\r\n", b"\n")


def _merge_base(revision: str, repository: Repository) -> str:
    """The commit that HEAD and `revision` have in common."""
    found = _commit(revision, repository)
    head = run_git(repository, "rev-parse", "--verify", "--end-of-options", "HEAD^{commit}")
    if head.returncode:
        raise ReviewError("the current branch has no commit yet")
    base = run_git(repository, "merge-base", found, head.stdout.decode().split()[-1])
    if base.returncode == 0:
        return base.stdout.decode().split()[0]
    if _is_shallow(repository):
        raise ReviewError(
            f"this clone has too little history to compare with {revision}; "
            "fetch more: git fetch --deepen=1000, or fetch-depth: 0 in a workflow"
        )
    raise ReviewError(f"{revision} and the current branch have no commit in common")


def _commit(revision: str, repository: Repository) -> str:
    found = run_git(repository, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    said = found.stderr.decode("utf-8", "replace")
    if "ambiguous" in said:
        raise ReviewError(f"{revision} is ambiguous; write more of it, such as refs/heads/{revision}")
    if found.returncode == 0 and not found.stdout.startswith(b"^"):
        return found.stdout.decode().split()[-1]
    if not revision.strip():
        raise ReviewError("name the revision to compare with, such as main")
    if ".." in revision or revision.startswith("^"):
        raise ReviewError(f"{revision} is not one revision; name the one to compare with, such as main")
    missing = f"there is no revision {revision}"
    if _is_shallow(repository):
        raise ReviewError(f"{missing} in this shallow clone; fetch it: git fetch --depth=1000 origin BRANCH")
    raise ReviewError(f"{missing}; fetch it, or see git branch --all")


def _is_shallow(repository: Repository) -> bool:
    return git(repository, "rev-parse", "--is-shallow-repository").strip() == b"true"


def _pathspecs(tree: SourceTree, repository: Repository) -> list[str]:
    """The files that matter: those that Python files and notebooks are, and what the user named besides."""
    named = (key for key in tree.targets if not key.endswith(SUFFIXES))
    literal = [key.removeprefix(f"{repository.top}/") for key in named]
    return [
        *(f":(top,glob)**/*{suffix}" for suffix in SUFFIXES),
        *(f":(top,literal){one}" for one in literal),
    ]


def _contents(repository: Repository, patches: Sequence[FilePatch]) -> dict[str, bytes]:
    """What Git keeps under the names in `patches`, as it would write it to the disk."""
    wanted = {patch.blob: patch.old for patch in patches if patch.blob and patch.old}
    if not wanted:
        return {}
    output = git(repository, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in wanted).encode())
    contents: dict[str, bytes] = {}
    position = 0
    for blob, name in wanted.items():
        end = output.index(b"\n", position)
        words = output[position:end].split()
        if len(words) != 3:
            raise ReviewError(f"Git lacks the former content of {name}; fetch it: git fetch --refetch")
        size = int(words[2])
        contents[blob] = _as_on_disk(repository, blob, name, output[end + 1 : end + 1 + size])
        position = end + size + 2
    return contents


def _as_on_disk(repository: Repository, blob: str, name: str, content: bytes) -> bytes:
    """`content` in the encoding in which Git would write it.

    Line ends make no difference to Python, so only a file that does not fit its own encoding is converted.
    """
    try:
        decode(name, content)
    except SourceError:
        return filtered(repository, blob, name, content)
    return content


def _data(tree: SourceTree, key: str) -> bytes:
    try:
        return tree.data(key)
    except OSError:
        return b""
