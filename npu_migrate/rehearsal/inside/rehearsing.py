"""A rehearsal from its request to its exit code."""

from __future__ import annotations

import platform
import sys
from typing import Any

from .children.parent import hand_on
from .events import Events
from .requests import request_of
from .script import imports
from .script.graph_mode import tensorflow_for
from .script.running import find_modules_of, is_refusal, run_script
from .watching.beginning import begin
from .watching.watcher import Stopped


def rehearse(document: dict[str, Any]) -> int:
    """Run the script that `document` asks for, and write what is seen; returns the exit code."""
    request = request_of(document)
    events = Events(request.events)
    # Before TensorFlow, which finds what it imports where the script would.
    find_modules_of(request.script)
    tensorflow = tensorflow_for(request.script)
    events.start(str(tensorflow.__version__), platform.python_version())
    imports.install()
    watcher = begin(request, events, tensorflow)
    hand_on(document)
    ended = run_script(request)
    if isinstance(ended.stop, Stopped) or (watcher.stopped and not ended.code):
        status = "stopped"
    elif is_refusal(ended.error):
        status = "aborted"
    else:
        status = "failed" if ended.code else "finished"
    if status == "finished":
        watcher.ended()
    sys.stdout.flush()
    sys.stderr.flush()
    events.end(status, ended.code, watcher.runs, watcher.npu)
    return ended.code
