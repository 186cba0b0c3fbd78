"""The folders of a report as a tree of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

TOP = "."


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with the number of findings in it and below. `label` is `path` without the row it is under.

    `depth` is 0 for a row that is under no other.
    """

    path: str
    label: str
    depth: int
    count: int


def folder_of(path: str) -> str:
    """The folder of a file as the rows name it; `TOP` for a path without a folder."""
    return path.rpartition("/")[0] or TOP


def folder_tree(paths: Iterable[str]) -> tuple[Folder, ...]:
    """One row per folder that holds files of `paths` or in which the ways to them part.

    `paths` has one entry per finding. Rows are in the order of their paths, each below what contains it.
    """
    direct = Counter(map(folder_of, paths))
    below: Counter[str] = Counter()
    children: dict[str, set[str]] = {}
    for folder, count in direct.items():
        child = ""
        for ancestor in _upwards(folder):
            below[ancestor] += count
            branches = children.setdefault(ancestor, set())
            if child:
                branches.add(child)
            child = ancestor
    kept = [folder for folder in below if folder in direct or len(children[folder]) > 1]
    return tuple(_rows(sorted(kept, key=lambda folder: folder.split("/")), below))


def _upwards(folder: str) -> Iterator[str]:
    """The folder and all that contain it, innermost first."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _rows(folders: Iterable[str], below: Counter[str]) -> Iterator[Folder]:
    open_rows: list[str] = []
    for folder in folders:
        while open_rows and not folder.startswith(f"{open_rows[-1]}/"):
            open_rows.pop()
        label = folder[len(open_rows[-1]) + 1 :] if open_rows else folder
        yield Folder(folder, label, len(open_rows), below[folder])
        open_rows.append(folder)
