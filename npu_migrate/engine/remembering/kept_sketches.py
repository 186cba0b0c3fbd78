"""The sketches of a tree's files, as earlier runs have made them: each under the hash of its file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from npu_migrate.engine.remembering.seen_files import Digests, SeenFiles, Stamps
from npu_migrate.programs.graph import Survey
from npu_migrate.programs.imports import ImportedModule
from npu_migrate.programs.sketches import KeptSketches, KnownFile, Roles, Sketch
from npu_migrate.sources.tree import SourceTree


def read_sketches(
    seen: SeenFiles, tree: SourceTree, names: tuple[bytes, ...], digests: Callable[[], Digests]
) -> KeptSketches:
    """The sketches of the files of `tree`, which have the hashes that `digests` gives.

    Those that are not kept are made when they are asked for. `names` are as in `TreeSketches`.
    """
    kept = seen.store.read(seen.name("sketches", names))
    if kept is None:
        return KeptSketches(tree, names)
    rows: dict[str, Any] = json.loads(kept)
    known = {key: _known_file(*row) for key, digest in digests().items() if (row := rows.get(digest.hex()))}
    return KeptSketches(tree, names, known)


def keep_sketches(
    seen: SeenFiles, found: Mapping[str, KnownFile], names: tuple[bytes, ...], digests: Digests
) -> None:
    """Keep for later runs what was `found` in files with the hashes `digests`. Raises `OSError`."""
    rows = {digests[key].hex(): _row(known) for key, known in found.items() if key in digests}
    seen.store.write(seen.name("sketches", names), json.dumps(rows, separators=(",", ":")).encode())


@dataclass(frozen=True, slots=True)
class SketchesOnDisk:
    """The `sketches` of the files of `tree`, which had the stamps `before` when these were made.

    `names` are as in `TreeSketches`.
    """

    seen: SeenFiles
    tree: SourceTree
    names: tuple[bytes, ...]
    sketches: KeptSketches
    before: Stamps

    @staticmethod
    def of(seen: SeenFiles, tree: SourceTree, names: tuple[bytes, ...]) -> SketchesOnDisk:
        """What earlier runs have left of the sketches of files."""
        before = seen.stamps(tree)
        sketches = read_sketches(seen, tree, names, lambda: seen.digests(tree))
        return SketchesOnDisk(seen, tree, names, sketches, before)

    def keeping(self) -> Callable[[], None] | None:
        """What keeps the sketches that are known now, when there is time for it; None if they are kept."""
        return partial(self._keep, self.sketches.of_any_place()) if self.sketches.has_new else None

    def _keep(self, found: Mapping[str, KnownFile]) -> None:
        digests, now = self.seen.digests(self.tree), self.seen.stamps(self.tree)
        same = {key: one for key, one in found.items() if key in now and now[key] == self.before.get(key)}
        with contextlib.suppress(OSError):
            self.seen.keep()
            keep_sketches(self.seen, same, self.names, digests)


def _row(known: KnownFile) -> list[object]:
    sketch, roles = known
    return [
        sketch.ours,
        sketch.reasons,
        sketch.survey.imports,
        sketch.survey.script,
        sketch.one_shot,
        sketch.reads_graphs,
        roles,
    ]


def _known_file(
    ours: bool,
    reasons: list[int],
    imports: list[tuple[str, int, list[str]]],
    script: bool,
    one_shot: bool,
    reads_graphs: bool,
    roles: tuple[bool, list[int]] | None,
) -> KnownFile:
    imported = tuple(ImportedModule(module, level, tuple(names)) for module, level, names in imports)
    sketch = Sketch(ours, tuple(reasons), Survey(imported, script), one_shot, reads_graphs)
    return KnownFile(sketch, None if roles is None else Roles(roles[0], tuple(roles[1])))
