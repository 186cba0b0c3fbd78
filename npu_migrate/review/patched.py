"""The change that a patch describes, which the files already contain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from npu_migrate.review.change import SUFFIXES, Change, ChangedFile, ReviewError, Touched, all_lines
from npu_migrate.review.patches import DELETED, FilePatch
from npu_migrate.review.rewinding import Rewound, Traced, as_it_is, rewind
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.tree import SourceTree


@dataclass(frozen=True, slots=True)
class _Track:
    """A file on its way back through the patches: its key now, None if it is gone, and its state then."""

    now: str | None
    file: Rewound


def change_of(patches: Sequence[FilePatch], tree: SourceTree) -> Change:
    """What `patches`, applied one after the other, did to the files of `tree`, which have them all.

    Names in a patch count from the top of the repository that the root of `tree` lies in, or from the working
    directory where there is none.
    Raises `ReviewError` when the files are not as the patches left them.
    """
    top = _top(tree.root)
    wanted = frozenset((*tree.targets, *tree.context))
    tracks: dict[str, _Track] = {}
    added: list[_Track] = []
    special = {patch.new for patch in patches if patch.special}
    for patch in reversed(patches):
        name = patch.new or patch.old
        if name is None or patch.special or not (name.endswith(SUFFIXES) or f"{top}/{name}" in wanted):
            continue
        if patch.new is None:
            track = _Track(None, _deleted(patch))
        else:
            track = _back(tracks.pop(name) if name in tracks else _now(name, top, tree), patch)
        if patch.old is None:
            added.append(track)
        else:
            tracks[patch.old] = track
    files = {f"{top}/{name}": ChangedFile(Touched()) for name in special}
    files |= {
        track.now: ChangedFile(track.file.touched, f"{top}/{name}", track.file.data)
        for name, track in tracks.items()
        if track.now is not None
    }
    for track in added:
        if track.now is not None:
            files[track.now] = ChangedFile(all_lines(tree.data(track.now)))
    deleted = {f"{top}/{name}": track.file.data for name, track in tracks.items() if track.now is None}
    return Change(top, files, deleted)


def _top(root: Path) -> str:
    """The nearest folder at or above `root` that holds a Git repository, else the working directory."""
    return key_of(next((one for one in (root, *root.parents) if (one / ".git").exists()), Path.cwd()))


def _now(name: str, top: str, tree: SourceTree) -> _Track:
    key = f"{top}/{name}"
    try:
        return _Track(key, as_it_is(tree.data(key)))
    except OSError as error:
        raise ReviewError(
            f"the patch does not fit the files: {key} cannot be read ({error.strerror}); names in a patch "
            "count from the top of the repository, and the files must be as they are after the patch"
        ) from None


def _back(track: _Track, patch: FilePatch) -> _Track:
    """`track` one patch earlier. Of a binary file nothing is known but that it changed."""
    if patch.binary:
        everything = all_lines(track.file.data)
        return replace(track, file=replace(track.file, touched=everything))
    return replace(track, file=rewind(track.file, patch))


def _deleted(patch: FilePatch) -> Rewound:
    removed = (line.content for hunk in patch.hunks for line in hunk.lines if line.mark == DELETED)
    return Rewound(tuple(Traced(content, 0) for content in removed), Touched())
