"""The progress of a long run, shown on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

PATIENCE = 1.0
"""Seconds after which a run is long."""


class Bar:
    """A bar on standard error, from `PATIENCE` seconds after the first step on; nothing in a short run.

    It is for one analysis, the first: the later ones, of files with fixes, are short. It ends with the last
    step, before a report is printed, or with the block that it is made for. `label` is asked for once, when
    there is a bar.
    """

    def __init__(self, label: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._label = label
        self._clock = clock
        self._started = clock()
        self._bar: ProgressBar[int] | None = None
        self._over = False

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finish()

    def __call__(self, done: int, steps: int) -> None:
        """Show that `done` of `steps` are done."""
        if self._over:
            return
        if self._bar is None and done < steps and self._clock() - self._started >= PATIENCE:
            self._bar = click.progressbar(length=steps, label=self._label(), show_eta=False, file=sys.stderr)
            self._bar.__enter__()
        if self._bar is not None:
            self._bar.update(done - self._bar.pos)
        if done == steps:
            self._finish()

    def _finish(self) -> None:
        self._over = True
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None
