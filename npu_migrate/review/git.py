"""The change since a revision, as Git knows it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from npu_migrate.review.change import SUFFIXES, Change, ChangedFile, ReviewError, all_lines
from npu_migrate.review.patches import FilePatch, parse_patch, touched_by
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import SourceError, decode
from npu_migrate.sources.tree import SourceTree

_REDIRECTIONS = frozenset(
    {
        "GIT_COMMON_DIR",
        "GIT_DIFF_OPTS",
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_GLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_INDEX_FILE",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_PREFIX",
        "GIT_WORK_TREE",
    }
)
"""Variables, set in hooks for instance, that would make Git look elsewhere or write another diff."""

_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "core.fsmonitor": "false",
        "core.quotePath": "false",
        "core.warnAmbiguousRefs": "true",
        "diff.suppressBlankEmpty": "false",
    }
)
"""What no option of ``git diff`` can say."""

_DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--full-index",
    "--text",
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--ignore-submodules=all",
    "-M",
    "-O/dev/null",
)

_SAFE_DIRECTORY = re.compile(r"git config --global --add safe\.directory (.*)")


@dataclass(frozen=True, slots=True)
class _Repository:
    """The repository around `folder`; `prefix` leads from its top there. It ends with ``/``, or is empty."""

    folder: str
    prefix: str

    @property
    def top(self) -> str:
        return self.folder.removesuffix(self.prefix.rstrip("/")).rstrip("/") if self.prefix else self.folder

    def key(self, name: str) -> str:
        return f"{self.top}/{name}"


def change_since(revision: str, tree: SourceTree) -> Change:
    """What differs between the files below the root of `tree` and the merge base of `revision` and HEAD.

    Files that Git neither tracks nor ignores count as added. Raises `ReviewError`.
    """
    repository = _repository(key_of(tree.root))
    base = _merge_base(revision, repository)
    selected = _pathspecs(tree, repository)
    patches = parse_patch(_git(repository, *_DIFF, base, "--", *selected))
    untracked = _git(
        repository, "ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", *selected
    )
    added = (repository.key(os.fsdecode(name)) for name in untracked.split(b"\0") if name)
    before = _contents(repository, [patch for patch in patches if patch.old is not None and patch.blob])
    files = {key: ChangedFile(all_lines(_data(tree, key))) for key in added}
    deleted: dict[str, bytes] = {}
    for patch in patches:
        was = None if patch.old is None else repository.key(patch.old)
        content = before.get(patch.blob or "")
        if patch.new is None:
            if was is not None:
                deleted[was] = content or b""
            continue
        key = repository.key(patch.new)
        data = _data(tree, key)
        touched = all_lines(data) if was is None else touched_by(patch.hunks)
        files[key] = ChangedFile(touched, was, None if was is None else data if content is None else content)
    return Change(repository.top, files, deleted)


def _repository(folder: str) -> _Repository:
    here = _Repository(folder, "")
    prefix = os.fsdecode(_git(here, "rev-parse", "--show-prefix")).rstrip("\n")
    if not folder.endswith(f"/{prefix}".rstrip("/")):
        raise ReviewError(f"{folder} is a link into a Git repository; run in the folder that it leads to")
    return _Repository(folder, prefix)


def _merge_base(revision: str, repository: _Repository) -> str:
    """The commit that HEAD and `revision` have in common."""
    found = _commit(revision, repository)
    head = _run(repository, "rev-parse", "--verify", "--end-of-options", "HEAD^{commit}")
    if head.returncode:
        raise ReviewError("the current branch has no commit yet")
    base = _run(repository, "merge-base", found, head.stdout.decode().split()[-1])
    if base.returncode == 0:
        return base.stdout.decode().split()[0]
    if _is_shallow(repository):
        raise ReviewError(
            f"this clone has too little history to compare with {revision}; "
            "fetch more: git fetch --deepen=1000, or fetch-depth: 0 in a workflow"
        )
    raise ReviewError(f"{revision} and the current branch have no commit in common")


def _commit(revision: str, repository: _Repository) -> str:
    found = _run(repository, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    said = found.stderr.decode("utf-8", "replace")
    if "ambiguous" in said:
        raise ReviewError(f"{revision} is ambiguous; write more of it, such as refs/heads/{revision}")
    if found.returncode == 0:
        return found.stdout.decode().split()[-1]
    if ".." in revision:
        raise ReviewError(f"{revision} is not one revision; name the one to compare with, such as main")
    missing = f"there is no revision {revision}"
    if _is_shallow(repository):
        raise ReviewError(f"{missing} in this shallow clone; fetch it: git fetch --depth=1000 origin BRANCH")
    raise ReviewError(f"{missing}; fetch it, or see git branch --all")


def _is_shallow(repository: _Repository) -> bool:
    return _git(repository, "rev-parse", "--is-shallow-repository").strip() == b"true"


def _pathspecs(tree: SourceTree, repository: _Repository) -> list[str]:
    """The files that matter: those that Python files and notebooks are, and what the user named besides."""
    named = (key for key in tree.targets if not key.endswith(SUFFIXES))
    literal = [key.removeprefix(f"{repository.top}/") for key in named]
    return [
        *(f":(top,glob)**/*{suffix}" for suffix in SUFFIXES),
        *(f":(top,literal){one}" for one in literal),
    ]


def _contents(repository: _Repository, patches: Sequence[FilePatch]) -> dict[str, bytes]:
    """What Git keeps under the names in `patches`, as it would write it to the disk."""
    wanted = {patch.blob: patch.old for patch in patches if patch.blob and patch.old}
    if not wanted:
        return {}
    output = _git(repository, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in wanted).encode())
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


def _as_on_disk(repository: _Repository, blob: str, name: str, content: bytes) -> bytes:
    """`content` in the encoding in which Git would write it.

    Line ends make no difference to Python, so only a file that does not fit its own encoding is converted.
    """
    try:
        decode(name, content)
    except SourceError:
        return _git(repository, "cat-file", "--filters", f"--path={name}", blob)
    return content


def _data(tree: SourceTree, key: str) -> bytes:
    try:
        return tree.data(key)
    except OSError:
        return b""


def _git(repository: _Repository, *arguments: str, given: bytes = b"") -> bytes:
    """What Git prints. Raises `ReviewError` when it fails."""
    ran = _run(repository, *arguments, given=given)
    if ran.returncode == 0:
        return ran.stdout
    said = ran.stderr.decode("utf-8", "replace")
    if "not a git repository" in said:
        raise ReviewError(f"{repository.folder} is in no Git repository; --diff-file takes a patch instead")
    if match := _SAFE_DIRECTORY.search(said):
        raise ReviewError(f"Git does not trust the owner of the repository; run: {match[0]}")
    if "must be run in a work tree" in said:
        raise ReviewError(f"{repository.folder} is in no work tree of a Git repository")
    reason = next((line for line in said.splitlines() if line.startswith(("fatal:", "error:"))), said.strip())
    raise ReviewError(f"git {arguments[0]} failed: {reason}")


def _run(repository: _Repository, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    settings = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]
    try:
        return subprocess.run(
            ["git", "-C", repository.folder, "--no-pager", *settings, *arguments],
            input=given,
            capture_output=True,
            env=_environment(os.environ),
        )
    except FileNotFoundError:
        raise ReviewError("git is not installed; --diff-file takes a patch instead") from None
    except OSError as error:
        raise ReviewError(f"git cannot be started: {error.strerror}") from None


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in variables.items() if name not in _REDIRECTIONS}
    return {**kept, "LC_ALL": "C", "LANGUAGE": "", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
