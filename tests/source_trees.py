"""Little source trees on disk."""

from collections.abc import Mapping
from pathlib import Path

from npu_migrate.sources.tree import SourceTree


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def tree_of(root: Path, files: Mapping[str, str], targets: tuple[str, ...] = ()) -> SourceTree:
    """The written files as a tree; the user asks about `targets`, or about all of them."""
    write(root, files)
    keys = {name: (root / name).as_posix() for name in sorted(files)}
    chosen = tuple(keys[name] for name in sorted(targets or files))
    return SourceTree(root, chosen, tuple(key for key in keys.values() if key not in chosen))


def names(root: Path, keys: "frozenset[str] | tuple[str, ...]") -> list[str]:
    """Keys as paths below `root`, sorted."""
    return sorted(Path(key).relative_to(root).as_posix() for key in keys)
