"""Answers for who asks the same again: which runs give one, what they have looked at, and how it is kept."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from npu_migrate.cache.answers import Answer, folder_of_answers
from npu_migrate.cache.looks import Looks, stamps_of
from npu_migrate.commands.options import Options
from npu_migrate.commands.telling import as_printed
from npu_migrate.engine.job import Job, Outcome
from npu_migrate.sources.discovery import ROOT_MARKERS, key_of

if TYPE_CHECKING:
    from npu_migrate.cache.store import Store

_LARGEST = 16 * 1024 * 1024
"""Bytes of the largest report that is kept."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """An answer that `job` is still working out.

    `digest` is what its `looks` saw before, and `stamps` tell when the files had been written to.
    """

    question: str
    store: Store
    job: Job
    looks: Looks
    digest: str
    stamps: list[tuple[int, ...] | None]

    def keep(
        self, outcome: Outcome, printed: bytes, said: str, code: int, prepare_again: Callable[[], Job]
    ) -> None:
        """Keep what was printed, unless something has changed meanwhile or went wrong.

        `prepare_again` makes a job of what is there now.
        """
        if not outcome.repeatable or len(printed) > _LARGEST:
            return
        answer = Answer(self.looks, self.digest, printed, as_printed(said, sys.stderr), code)
        # The settings were read and the files found before they were looked at.
        now = prepare_again()
        same = now.settings == self.job.settings and now.discovery == self.job.discovery
        # A file that was another for a while, and is again what it was, may have been read in between.
        unwritten = stamps_of(self.looks.files) == self.stamps
        if same and unwritten and self.looks.digest() == self.digest:
            with contextlib.suppress(OSError):
                self.store.write(self.question, answer.packed())
                self.store.prune()


def awaited_answer(question: str | None, job: Job, options: Options) -> Awaited | None:
    """The answer to `question` that `job` will give; None if the next process could not take it over.

    It could not where something decides that is not looked at: a baseline, a change, unreadable files.
    """
    if question is None or not options.asks_only or job.refinements:
        return None
    from npu_migrate.engine.remembering.plans import PlanMemory

    memory, found = job.recall, job.discovery
    if not isinstance(memory, PlanMemory):
        return None
    if found.unread or found.unread_context or found.empty:
        return None
    if folder_of_answers() != str(memory.store.folder):
        return None
    above = _folders_above(job, options)
    looks = Looks(found.folders, _files(job, above), _places(job, options, above))
    digest = looks.digest()
    if digest is None:
        return None
    return Awaited(question, memory.store, job, looks, digest, stamps_of(looks.files))


def _folders_above(job: Job, options: Options) -> list[str]:
    """The root, what was named, and all folders around these, without a ``/`` at the end."""
    named = [Path(key_of(path)) for path in (str(job.discovery.tree.root), *options.paths)]
    found = {folder.as_posix().rstrip("/") for one in named for folder in (one, *one.parents)}
    return sorted(found)


def _files(job: Job, above: Sequence[str]) -> Iterator[str]:
    """The files that are read, and those that would be if they were there."""
    tree, folders = job.discovery.tree, job.discovery.folders
    yield f"{key_of(tree.root).rstrip('/')}/pyproject.toml"
    for folder in above:
        yield from (f"{folder}/.git/info/exclude", f"{folder}/.gitignore")
    # Where there is none, a new one changes what the folder holds.
    yield from filter(os.path.exists, (f"{folder.rstrip('/')}/.gitignore" for folder in folders))
    yield from tree.targets
    yield from tree.context


def _places(job: Job, options: Options, above: Sequence[str]) -> Iterator[str]:
    """What decides where the root is, whether a path can be used, and which files are one and the same."""
    root = job.discovery.tree.root
    # The system follows a link before a ".." behind it, and the folder before one must be there.
    yield from (str(Path(path).absolute()) for path in options.paths)
    yield from map(key_of, (str(root), *options.paths, *(str(root / folder) for folder in job.settings.src)))
    for folder in above:
        yield from (f"{folder}/{marker}" for marker in ROOT_MARKERS)
