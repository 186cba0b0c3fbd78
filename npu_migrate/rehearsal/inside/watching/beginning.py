"""How a process begins to be watched, the one that runs the script and those that it starts."""

from __future__ import annotations

import importlib
from typing import Any

from ..events import Events
from ..requests import Request
from ..script import deterministic
from . import current, gradients, hooks, wrapping
from .watcher import Watcher


def begin(request: Request, events: Events, tensorflow: Any) -> Watcher:
    """From now on this process is watched. The imitations must be found already."""
    if request.deterministic:
        deterministic.install(tensorflow)
    watcher = Watcher(request, events)
    current.begin(watcher)
    wrapping.install(watcher)
    hooks.install(watcher)
    gradients.install()
    if request.take_over:
        importlib.import_module("npu_bridge.npu_init")
    return watcher
