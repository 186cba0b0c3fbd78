"""A Git repository and what its commands print."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess, run
from tempfile import TemporaryDirectory
from types import MappingProxyType

from npu_migrate.review.change import ReviewError

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

DIFF = (
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
"""The command whose output `parse_patch` reads."""

_SAFE_DIRECTORY = re.compile(r"git config --global --add safe\.directory (.*)")


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository around `folder`; `prefix` leads from its top there. It ends with ``/``, or is empty.

    `index` is a file that stands for Git's own index, if it is not empty.
    """

    folder: str
    prefix: str = ""
    index: str = ""

    @property
    def top(self) -> str:
        """The absolute path of its top."""
        return self.folder.removesuffix(self.prefix.rstrip("/")).rstrip("/") if self.prefix else self.folder

    def key(self, name: str) -> str:
        """The key of the file that has a name in Git."""
        return f"{self.top}/{name}"


def repository_around(folder: str) -> Repository:
    """The repository that `folder`, an absolute path, lies in. Raises `ReviewError`."""
    here = Repository(folder)
    prefix = os.fsdecode(git(here, "rev-parse", "--show-prefix")).rstrip("\n")
    if not folder.endswith(f"/{prefix}".rstrip("/")):
        raise ReviewError(f"{folder} is a link into a Git repository; run in the folder that it leads to")
    return Repository(folder, prefix)


def last_commit(folder: str) -> str | None:
    """The commit that is checked out around `folder`; None where there is none, or no Git to ask."""
    try:
        ran = run_git(Repository(folder), "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except ReviewError:
        return None
    return ran.stdout.decode("ascii", "replace").strip() or None if ran.returncode == 0 else None


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for the time of the block. Raises `ReviewError` for an `OSError` while it is made or used."""
    try:
        with TemporaryDirectory(prefix="npu-migrate-", ignore_cleanup_errors=True) as name:
            yield Path(name)
    except OSError as error:
        raise ReviewError(
            f"temporary files cannot be written: {error.strerror or error}; see TMPDIR"
        ) from None


def git(repository: Repository, *arguments: str, given: bytes = b"") -> bytes:
    """What Git prints. Raises `ReviewError` when it fails."""
    ran = run_git(repository, *arguments, given=given)
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


def run_git(repository: Repository, *arguments: str, given: bytes = b"") -> CompletedProcess[bytes]:
    """How a command of Git ended. Raises `ReviewError` only if it cannot be started."""
    settings = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]
    try:
        return run(
            ["git", "-C", repository.folder, "--no-pager", *settings, *arguments],
            input=given,
            capture_output=True,
            env=_environment(os.environ, repository.index),
        )
    except FileNotFoundError:
        raise ReviewError("git is not installed; --diff-file takes a patch instead") from None
    except OSError as error:
        raise ReviewError(f"git cannot be started: {error.strerror}") from None


def _environment(variables: Mapping[str, str], index: str) -> dict[str, str]:
    kept = {name: value for name, value in variables.items() if name not in _REDIRECTIONS}
    if index:
        kept["GIT_INDEX_FILE"] = index
    return {**kept, "LC_ALL": "C", "LANGUAGE": "", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
