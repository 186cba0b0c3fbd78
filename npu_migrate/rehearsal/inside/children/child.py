"""A process that a script has started: it is watched once it asks for TensorFlow or the NPU's packages."""

from __future__ import annotations

import atexit
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
from typing import Any

from ..events import Events
from ..requests import Request, request_of
from ..script import imports
from ..script.graph_mode import tensorflow_for
from ..watching.beginning import begin

_TENSORFLOW = "tensorflow"
_NEED_IT = ("npu_bridge", "hccl", "mx_rec")


def wait(path: str) -> None:
    """Watch this process from its first import of TensorFlow on; the request lies in the file `path`."""
    with open(path, encoding="utf-8") as file:
        request = request_of(json.load(file))
    imports.install()
    sys.meta_path.insert(0, _Starter(request))


class _Starter(importlib.abc.MetaPathFinder):
    """Is asked for TensorFlow once, and starts to watch before it gives it."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def find_spec(
        self, fullname: str, path: Any, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of the module that a script expects as TensorFlow; None for modules that need it not."""
        if fullname in _NEED_IT:
            importlib.import_module(_TENSORFLOW)
            return importlib.util.find_spec(fullname)
        if fullname != _TENSORFLOW:
            return None
        sys.meta_path.remove(self)
        if importlib.util.find_spec(_TENSORFLOW) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, _Ready(_watched(self._request)))


class _Ready(importlib.abc.Loader):
    """Gives a module that is loaded already."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: Any) -> Any:
        """The module itself."""
        return self._module

    def exec_module(self, module: Any) -> None:
        """Nothing is left to do, but to name where the module comes from."""
        module.__spec__ = self._spec


def _watched(request: Request) -> Any:
    main = getattr(sys.modules.get("__main__"), "__file__", None) or request.script
    tensorflow = tensorflow_for(main if os.path.exists(main) else request.script)
    events = Events(request.events, "child")
    watcher = begin(request, events, tensorflow)
    atexit.register(lambda: events.end("finished", 0, watcher.runs, watcher.npu))
    return tensorflow
