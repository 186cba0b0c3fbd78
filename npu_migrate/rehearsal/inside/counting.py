"""How many session runs a process has done, kept where it outlives the process.

A process may end without a word (a signal, `os._exit`, `execv`), go on after its script has ended (`atexit`),
or fork. So each process has a file of its own, which always has its last number.
"""

from __future__ import annotations

import os

from .files import OwnFile

_PLACES = 20
"""Digits of a number, so that each count overwrites the one before."""


class Counter:
    """Counts in files that begin with the path `events`, one for each process."""

    def __init__(self, events: str) -> None:
        self._events = events
        self._process = -1
        self._runs = 0
        self._file: OwnFile | None = None

    def count(self, npu: bool) -> None:
        """A session run begins; `npu` tells whether a session of this process would have reached the NPU."""
        if os.getpid() != self._process:
            self._begin()
        self._runs += 1
        self._note(npu)

    def reached(self) -> None:
        """A session was made that would reach the NPU."""
        if os.getpid() != self._process:
            self._begin()
        self._note(True)

    def _begin(self) -> None:
        """The first count of a process, which may be a fork of one that has counted before."""
        self._process, self._runs = os.getpid(), 0
        number = 0
        path = f"{self._events}.runs.{self._process}"
        while os.path.exists(f"{path}.{number}"):
            # `execv` has made a new program of the same process.
            number += 1
        self._file = OwnFile(f"{path}.{number}")

    def _note(self, npu: bool) -> None:
        if self._file is not None:
            self._file.overwrite(b"%0*d %d\n" % (_PLACES, self._runs, npu))
