"""Imports of the NPU's packages lead to their imitations, also where the real ones are installed."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from typing import Any

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "imitations")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the packages in the folder ``imitations``, and all that lies in them."""

    def __init__(self) -> None:
        self._packages = frozenset(os.listdir(_FOLDER)) - {"__pycache__"}

    def find_spec(
        self, fullname: str, path: Any, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of an imitated package; None for all other modules."""
        if fullname not in self._packages:
            return None
        return importlib.machinery.PathFinder.find_spec(fullname, [_FOLDER], target)


def install() -> None:
    """From now on the imitations are found first; a submodule is looked for where its package lies."""
    sys.meta_path.insert(0, _Finder())
