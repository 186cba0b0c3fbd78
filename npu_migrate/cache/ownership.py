"""Whose folder it is. Who can write into the cache can make the tool report what he likes."""

from __future__ import annotations

import os
import stat


def wrong_owner(folder: str | os.PathLike[str]) -> str | None:
    """Why what is in `folder` is not to be believed, as the end of a sentence about it; None if it is.

    A folder that belongs to somebody else, or that others may write to, is not, and neither is a link that
    somebody else has put there. Raises `OSError`.
    """
    if not hasattr(os, "geteuid"):
        return None
    for status in (os.lstat(folder), os.stat(folder)):  # noqa: PTH116 - on the way to each remembered answer
        if status.st_uid != os.geteuid():
            return "belongs to another user"
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return "other users may write to it"
    return None


def is_own(descriptor: int) -> bool:
    """Whether an open file belongs to who runs this.

    Others may have put files into the folder before they were kept from it.
    """
    return not hasattr(os, "geteuid") or os.fstat(descriptor).st_uid == os.geteuid()
