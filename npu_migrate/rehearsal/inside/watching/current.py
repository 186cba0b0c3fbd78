"""The rehearsal that this process is; imitations speak to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..watching.watcher import Watcher

_WATCHERS: list[Watcher] = []


def begin(watcher: Watcher) -> None:
    """From now on the script is watched by `watcher`."""
    _WATCHERS.append(watcher)


def watcher() -> Watcher:
    """Who watches the script."""
    return _WATCHERS[-1]
