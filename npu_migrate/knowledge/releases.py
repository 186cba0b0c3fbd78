"""Releases of TF Adapter and of CANN, as far as it is known which came with which.

Release r1.15 came with CANN 7.0 (CODE). What the documents of later versions have beside it is "after r1.15".
"""

from __future__ import annotations

import re

_RELEASE = re.compile(r"(after )?r(\d+)\.(\d+)")
_CANN = re.compile(r"(\d+)\.(\d+)")

_KNOWN = "r1.15"
_KNOWN_CANN = (7, 0)

Number = tuple[int, int]


def release_number(release: str) -> Number:
    """``(1, 13)`` for ``r1.13``; what came after a release is one more. Raises `ValueError`."""
    match = _RELEASE.fullmatch(release)
    if match is None:
        raise ValueError(f"{release!r} is not a release")
    return int(match[2]), int(match[3]) + (match[1] is not None)


def cann_number(version: str) -> Number:
    """``(8, 0)`` for ``8.0``, ``8.0.0`` and ``8.0.RC1``. Raises `ValueError`."""
    match = _CANN.match(version)
    if match is None:
        raise ValueError(f"{version!r} is not a version of CANN")
    return int(match[1]), int(match[2])


def has_certainly(cann: str | None, since: str | None) -> bool:
    """Whether a version of CANN has what the release `since` brought."""
    if cann is None or since is None:
        return False
    return cann_number(cann) >= _KNOWN_CANN and release_number(since) <= release_number(_KNOWN)


def lacks_certainly(cann: str | None, since: str | None) -> bool:
    """Whether a version of CANN is older than what the release `since` brought."""
    if cann is None or since is None:
        return False
    latest = release_number(_KNOWN)
    if cann_number(cann) < _KNOWN_CANN:
        return release_number(since) >= latest
    return cann_number(cann) == _KNOWN_CANN and release_number(since) > latest


def in_words(release: str) -> str:
    """``r1.13``, or the version of CANN for what came later."""
    return "a CANN after 7.0" if release.startswith("after ") else release
