"""Files that Git keeps in another form than on disk: cleaned by a filter, or in another encoding."""

from __future__ import annotations

from npu_migrate.review.change import ReviewError, Touched
from npu_migrate.review.patches import parse_patch, touched_by
from npu_migrate.review.repository import DIFF, Repository, run_git, scratch_folder
from npu_migrate.sources.discovery import key_of


def filtered(repository: Repository, blob: str, name: str, content: bytes) -> bytes:
    """What Git would write to disk for the file `name`; `content` if the filter of the file fails."""
    ran = run_git(repository, "cat-file", "--filters", f"--path={name}", blob)
    return content if ran.returncode else ran.stdout


def touched_between(before: bytes, after: bytes) -> Touched:
    """What a change from `before` to `after` touched, in lines of `after`. Raises `ReviewError`."""
    with scratch_folder() as folder:
        for name, content in (("before", before), ("after", after)):
            (folder / name).write_bytes(content)
        ran = run_git(Repository(key_of(folder)), *DIFF, "--no-index", "--", "before", "after")
    if ran.returncode not in (0, 1):
        raise ReviewError(f"git diff failed: {ran.stderr.decode('utf-8', 'replace').strip()}")
    return touched_by(tuple(hunk for patch in parse_patch(ran.stdout) for hunk in patch.hunks))
