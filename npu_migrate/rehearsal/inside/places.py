"""Lines of the user's project: where code runs, and where an operation was made."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any, Iterator, NamedTuple

from . import lines

_INSIDE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_IMPORTLIB = os.sep + "importlib" + os.sep
_IMPORTER = os.path.join("python", "framework", "importer.py")
_LIBRARIES = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)


class Place(NamedTuple):
    """A 1-based line of a file."""

    path: str
    line: int


class Places:
    """Finds the innermost line below `root`; what is installed there and this package are not the user's."""

    def __init__(self, root: str) -> None:
        self._root = os.path.join(os.path.realpath(root), "")
        self._standard_library = os.path.join(os.path.dirname(os.path.abspath(os.__file__)), "")
        self._known: dict[str, str | None] = {}
        self._beginnings: dict[str, dict[int, int]] = {}

    def here(self) -> Place | None:
        """The line of the user's code that is running."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            path = self.own(frame.f_code.co_filename)
            if path is not None:
                return self._place(path, frame.f_lineno)
            frame = frame.f_back
        return None

    def importing(self) -> Place | None:
        """The line of the import that is being done, if it stands in the user's code."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            path = self.own(name)
            if path is not None:
                return self._place(path, frame.f_lineno)
            if not (name.startswith((_INSIDE, "<frozen importlib")) or _IMPORTLIB in name):
                return None
            frame = frame.f_back
        return None

    def of_operation(self, operation: Any) -> Place | None:
        """The line of the user's code that made `operation`; None for one of a graph that was loaded."""
        for name, line, _ in reversed(list(frames_of(operation))):
            if name.endswith(_IMPORTER):
                return None
            path = self.own(name)
            if path is not None:
                return self._place(path, line)
        return None

    def own(self, name: str) -> str | None:
        """The absolute path of a file, if it is the user's."""
        if name not in self._known:
            self._known[name] = self._own(name)
        return self._known[name]

    def _place(self, path: str, line: int) -> Place:
        if not lines.IS_NEEDED:
            return Place(path, line)
        if path not in self._beginnings:
            try:
                with open(path, "rb") as file:
                    self._beginnings[path] = lines.beginnings(file.read())
            except OSError:
                self._beginnings[path] = {}
        return Place(path, self._beginnings[path].get(line, line))

    def _own(self, name: str) -> str | None:
        if name.startswith("<"):
            return None
        path = os.path.abspath(name)
        real = os.path.realpath(path)
        if not real.startswith(self._root) or real.startswith((_INSIDE, self._standard_library)):
            return None
        return None if any(part in real for part in _LIBRARIES) else path


def frames_of(operation: Any) -> Iterator[tuple[str, int, str]]:
    """File, line and function of the stack that made `operation`, outermost first."""
    try:
        stack = operation.traceback
    except Exception:
        return
    for frame in stack or ():
        if hasattr(frame, "filename"):
            yield frame.filename, frame.lineno, frame.name
        else:
            yield frame[0], frame[1], frame[2]
