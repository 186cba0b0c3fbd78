"""Imports of the NPU's packages lead to their imitations, also where the real ones are installed."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
from typing import Any

from ..watching import current

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "imitations")

_LACKS = (
    re.compile(r"No module named '(?P<module>[\w.]+)\.(?P<name>\w+)'"),
    re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'"),
    re.compile(r"module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'"),
)
"""What Python says of a name that a package does not have."""


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the packages in the folder ``imitations``, and all that lies in them."""

    def __init__(self) -> None:
        self._packages = imitated()

    def find_spec(
        self, fullname: str, path: Any, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of an imitated package; None for all other modules.

        Whoever imports sklearn after Rec SDK is told so (`REC-DOC`).
        """
        if fullname == "sklearn" and "mx_rec" in sys.modules:
            current.watcher().imported_late(fullname)
        if fullname not in self._packages:
            return None
        return importlib.machinery.PathFinder.find_spec(fullname, [_FOLDER], target)


def imitated() -> frozenset[str]:
    """The packages that are imitated."""
    return frozenset(os.listdir(_FOLDER)) - {"__pycache__"}


def lacking(error: BaseException) -> str | None:
    """One line on an error that comes from what an imitation does not have; None for all others."""
    if not isinstance(error, (ImportError, AttributeError)):
        return None
    for pattern in _LACKS:
        match = pattern.search(str(error))
        if match is not None and match["module"].split(".")[0] in imitated():
            return (
                f"npu-rehearse: the rehearsal's imitation of {match['module']} has no `{match['name']}`; "
                "if the real one has it, please report it"
            )
    return None


def install() -> None:
    """From now on the imitations are found first; a submodule is looked for where its package lies."""
    sys.meta_path.insert(0, _Finder())
