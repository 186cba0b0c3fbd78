"""Moves programs to the NPU, runs them before and after, and tells what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from command import folder_with, tool
from fidelity import Tree, read_tree, write_tree
from rehearsed import in_words
from runtime.worlds import Job, Outcome, World

from npu_migrate.findings import Severity
from npu_migrate.rehearsal.protocol import Mode
from ported.programs import OPTIMIZERS, Program, files_of, plain_files_of


class Trial(NamedTuple):
    """A program, and what is wrong with it after the move, by a word."""

    program: Program
    faults: dict[str, str]


def ported(program: Program) -> Tree:
    """The files after one run, with the unsafe fixes too if the program needs them."""
    with folder_with(files_of(program)) as folder:
        tool(".", *_options(program))
        return read_tree(folder)


def _options(program: Program) -> list[str]:
    return ["--port", "--write", *["--unsafe-fixes"] * OPTIMIZERS[program.optimizer].unsafe]


def tried(pairs: Iterable[tuple[Program, World]]) -> Iterator[Trial]:
    """Tries each program in the world beside it. What was run before the move is run once."""
    plain: dict[tuple[str, str], Outcome] = {}
    for program, world in pairs:
        files = ported(program)
        key = (world.version, str(sorted(plain_files_of(program).items())))
        if key not in plain:
            plain[key] = _run(plain_files_of(program), world, "plain")
        yield Trial(program, {**_left(program, files), **_wrong(files, world, plain[key])})


def _left(program: Program, files: Tree) -> dict[str, str]:
    """What one run has left, or would do again."""
    text = b"".join(files.values()).decode()
    wanted = ["make_one_shot_iterator", *OPTIMIZERS[program.optimizer].leaves]
    found = {f"{word} is left": text for word in wanted if word in text}
    entries = text.count("custom_optimizers.add()")
    if not entries or text.count('["enable_data_pre_proc"].b = True') != entries:
        found["an entry is incomplete"] = text
    with folder_with(files) as folder:
        tool(".", *_options(program))
        if read_tree(folder) != files:
            found["a second run changes something"] = text
    return found


def _run(files: Tree, world: World, mode: Mode) -> Outcome:
    with TemporaryDirectory() as folder:
        write_tree(Path(folder), files)
        return world.run(Job(folder, "train.py", mode, take_over=False))


def _wrong(files: Tree, world: World, expected: Outcome) -> dict[str, str]:
    """What runs otherwise than before, or not on the NPU."""
    outcome = _run(files, world, "imitate")
    assert expected.code == 0, expected.stderr[-2000:]
    verdicts = [one for one in outcome.verdicts if one.severity > Severity.INFO]
    found = {}
    if outcome.code:
        found["it fails"] = outcome.stderr[-2000:]
    elif outcome.stdout != expected.stdout:
        found["it prints something else"] = outcome.stdout
    if verdicts:
        found["a verdict"] = str(in_words(verdicts))
    return found
