"""Mutants before the judge, and those that it lets pass before TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from abstract_run.judged import verdict_of
from fidelity import Tree, write_tree
from runtime.worlds import Job, Outcome, World

from grid.mutants import Mutant, mutants


@dataclass(frozen=True)
class Judged:
    """What the judge says of a mutant, and what it changes: `fault` is empty for one that does the same.

    Only mutants that are borne out are run, as they run without an NPU, on which some are wrong before.
    """

    name: str
    mutant: Mutant
    verdict: str
    fault: str = ""


def judged_mutants(name: str, before: Tree, after: Tree, world: World) -> Iterator[Judged]:
    """The mutants of one right migration. None of them is asked for if that is not borne out itself."""
    if before.keys() != after.keys() or verdict_of(before, after).kind != "verified":
        return
    expected: Outcome | None = None
    for mutant in mutants(before, after):
        verdict = verdict_of(before, mutant.files).kind
        fault = ""
        if verdict == "verified":
            expected = expected or _run(before, world)
            fault = _fault(expected, _run(mutant.files, world))
        yield Judged(name, mutant, verdict, fault)


def _run(files: Tree, world: World) -> Outcome:
    with TemporaryDirectory() as folder:
        write_tree(Path(folder), files)
        return world.run(Job(folder, "train.py", mode="plain"))


def _fault(before: Outcome, after: Outcome) -> str:
    if before.code:
        return ""
    if after.code:
        return after.stderr.strip().splitlines()[-1] if after.stderr.strip() else f"exit code {after.code}"
    if after.stdout != before.stdout:
        return f"printed {after.stdout.split()} instead of {before.stdout.split()}"
    return ""
