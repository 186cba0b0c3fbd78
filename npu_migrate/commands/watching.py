"""How far a run has come, for who interrupts it."""

from __future__ import annotations

from dataclasses import dataclass

from npu_migrate.engine.job import Progress


@dataclass(slots=True)
class Watched:
    """A `Progress` that shows what it is told with `show`, and remembers how far the first analysis has come.

    The later ones, of files with fixes, are short. `files` is how many files are to be analysed.
    """

    show: Progress
    files: int = 0
    done: int = 0
    steps: int = 0

    def __call__(self, done: int, steps: int) -> None:
        """Remember and show that `done` of `steps` are done."""
        if self.done < self.steps or not self.steps:
            self.done, self.steps = done, steps
        self.show(done, steps)

    def so_far(self) -> str:
        """How far it has come, as the beginning of a sentence; empty before the first step."""
        if not self.done:
            return ""
        files = f"{self.files} {'file' if self.files == 1 else 'files'}"
        share = "" if self.done == self.steps else f"{100 * self.done // self.steps} % of "
        return f"{share}{files} analysed, "
