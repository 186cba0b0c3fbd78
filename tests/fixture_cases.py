"""The cases below `fixtures/`, found by looking, never registered.

A case is a folder ``fixtures/<CODE>-<name>/<case>/`` that holds

- ``before/``: the files as a user has them;
- ``after/``: the same after the safe fixes; left out when they change nothing;
- ``after-unsafe/``: the same after the unsafe fixes too; left out when these change nothing more;
- ``findings.txt``: a line for each finding, in the report's order, that reads
  ``path:line:col CODE severity fix``, where fix is ``safe``, ``unsafe`` or ``manual``; in a notebook
  ``path:cell number:line:col``; empty = silence. Indented below it: the message, ``fix:`` with the title of
  the fix, each related place with its message, and ``programs:`` unless it is the file alone.
  `accept_findings.py` writes it as the tool reports, to be read before it is committed;
- ``run.toml``: makes the case runnable, see `RunSettings`;
- ``expected.txt``: what the migrated script prints, where ``before`` cannot run.

A runnable script prints the same at every run: random ops have seeds of their own, and no step fetches a
variable together with the op that updates it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fidelity import Tree, read_tree

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FIXTURES = Path(__file__).with_name("fixtures")
WORLDS = ("1.15", "2.15")


@dataclass(frozen=True)
class RunSettings:
    """What `run.toml` says.

    `entries` are the scripts to start, one after the other; `worlds` are the TensorFlow versions they can
    run in; `eager` leaves TensorFlow 2.15 in its own eager mode; `fails` is a part of what the last script
    writes to standard error when it dies before the migration (the case then has an `expected.txt`).
    `verdicts` are the codes that its rehearsal must show, of what goes wrong on the NPU without an error.
    """

    entries: tuple[str, ...]
    worlds: tuple[str, ...] = WORLDS
    eager: bool = False
    fails: str | None = None
    verdicts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One folder of fixtures."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.relative_to(FIXTURES).as_posix()

    @cached_property
    def before(self) -> Tree:
        return read_tree(self.folder / "before")

    @cached_property
    def after(self) -> Tree:
        """The tree that the safe fixes must give."""
        folder = self.folder / "after"
        return read_tree(folder) if folder.is_dir() else self.before

    @cached_property
    def after_unsafe(self) -> Tree:
        """The tree that all fixes together must give."""
        folder = self.folder / "after-unsafe"
        return read_tree(folder) if folder.is_dir() else self.after

    @cached_property
    def report(self) -> tuple[str, ...]:
        """All lines of `findings.txt`."""
        return tuple((self.folder / "findings.txt").read_text(encoding="utf-8").splitlines())

    @property
    def findings(self) -> tuple[str, ...]:
        """The line ``path:line:col CODE severity fix`` of each finding."""
        return tuple(line for line in self.report if not line.startswith(" "))

    @property
    def runnable(self) -> bool:
        return (self.folder / "run.toml").exists()

    @cached_property
    def run(self) -> RunSettings:
        """How to run a runnable case."""
        said = tomllib.loads((self.folder / "run.toml").read_text(encoding="utf-8"))
        return RunSettings(
            entries=tuple(said.pop("entries")),
            worlds=tuple(said.pop("worlds", WORLDS)),
            verdicts=tuple(said.pop("verdicts", ())),
            **said,
        )

    @property
    def stages(self) -> tuple[str, ...]:
        """The folders of this case that hold something other than what is in `before`."""
        return tuple(name for name in ("after", "after-unsafe") if (self.folder / name).is_dir())


def all_cases() -> tuple[Case, ...]:
    """Every case, in the order of its path."""
    return tuple(Case(path.parent) for path in sorted(FIXTURES.glob("*/*/before")))


def runnable_cases() -> tuple[Case, ...]:
    return tuple(case for case in all_cases() if case.runnable)
