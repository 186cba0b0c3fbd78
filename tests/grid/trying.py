"""Migrates a program of the grid and runs it before and after: what came of each program, in one word."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from command import case_folder, tool
from fidelity import Tree, read_tree, write_tree
from runtime.worlds import Job, Outcome, World

from grid.programs import Program, files_of
from npu_migrate.findings import Severity

FIRST_USE = ("--unsafe-fixes", "--initialize", "first-use")

ITERATORS = ("NPU101", "NPU102")


STAGES = ("before", "safe", "first_use")


@dataclass(frozen=True)
class Migration:
    """A program before and after its fixes.

    `treated` is how the worst of its iterators is: ``safe``, ``unsafe`` or ``manual``; `reasons` are the
    messages of those that are not safe. `verified` tells whether an abstract run saw all safe fixes
    through. `refused` are the messages that are left with initialization on first use.
    """

    before: Tree
    safe: Tree
    first_use: Tree
    treated: str
    reasons: tuple[str, ...]
    verified: bool
    refused: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """A migrated program, and what is wrong with a stage of it in a world; nothing if nothing is."""

    program: Program
    world: str
    migration: Migration
    faults: dict[str, str]


def migration(files: Tree) -> Migration:
    """What the tool makes of these files."""
    found, safe = _migrated(files)
    left, first_use = _migrated(files, *FIRST_USE)
    open_ones = [one for one in found if not _is_safe(one)]
    manual = any(one["fix"] is None for one in open_ones)
    return Migration(
        files,
        safe,
        first_use,
        "manual" if manual else "unsafe" if open_ones else "safe",
        tuple(one["message"] for one in open_ones),
        all(one["fix"]["verified"] for one in found if _is_safe(one)),
        tuple(one["message"] for one in left if one["fix"] is None),
    )


def migrated(programs: Iterable[Program]) -> Iterator[Trial]:
    """Each program migrated, and not run."""
    for program in programs:
        yield Trial(program, "", migration(files_of(program)), {})


def _migrated(files: Tree, *options: str) -> tuple[list[dict[str, Any]], Tree]:
    """What is found of iterators, and the files as the fixes leave them."""
    with case_folder(files) as folder:
        found = json.loads(tool(".", "--format", "json", *options))["findings"]
        tool(".", "--write", *options)
        return [one for one in found if one["code"] in ITERATORS], read_tree(folder)


def _is_safe(finding: dict[str, Any]) -> bool:
    fix = finding["fix"]
    return fix is not None and fix["applicability"] == "safe"


def tried(programs: Iterable[tuple[Program, World]], ahead: int = 20) -> Iterator[Trial]:
    """Each program tried in its world, in this order; `ahead` of them are handed to the worlds beforehand."""
    with TemporaryDirectory() as name:
        waiting: list[tuple[Program, World, Migration, list[Job]]] = []
        for number, (program, world) in enumerate(programs):
            made = migration(files_of(program))
            jobs = []
            for stage in STAGES:
                folder = Path(name, f"{number}-{stage}")
                write_tree(folder, getattr(made, stage))
                jobs.append(Job(str(folder), "train.py"))
                world.submit(jobs[-1])
            waiting.append((program, world, made, jobs))
            if len(waiting) > ahead:
                yield _trial(*waiting.pop(0))
        for one in waiting:
            yield _trial(*one)


def _trial(program: Program, world: World, made: Migration, jobs: list[Job]) -> Trial:
    before, *others = (world.run(job) for job in jobs)
    faults = {"before": before.stderr[-2000:]} if before.code or not before.stdout.strip() else {}
    for stage, after in zip(STAGES[1:], others, strict=True):
        fault = _fault(before, after)
        if not faults.get("before") and fault:
            faults[stage] = fault
    return Trial(program, world.version, made, faults)


def _fault(before: Outcome, after: Outcome) -> str:
    """What went wrong with a migrated program; empty if nothing did."""
    if after.code:
        return after.stderr.strip()[-1500:] or f"exit code {after.code}"
    if after.stdout != before.stdout:
        return f"printed {after.stdout.split()} instead of {before.stdout.split()}"
    known = {one.code for one in before.verdicts}
    new = {one.code for one in after.verdicts if one.severity > Severity.INFO} - known
    return f"the rehearsal says {', '.join(sorted(new))}" if new else ""
