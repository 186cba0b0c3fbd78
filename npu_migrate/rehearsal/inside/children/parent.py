"""What a process hands on, so that the Python processes that it starts are watched."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping

REQUEST = "NPU_REHEARSAL_REQUEST"
"""The environment variable that names the file with the request."""

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "started")


def hand_on(document: Mapping[str, Any]) -> None:
    """From now on the processes that this one starts find the request, and our `sitecustomize`."""
    path = str(document["events"]) + ".request"
    with open(path, "w", encoding="utf-8") as file:
        # Not `json.dump`, which takes ten times as long.
        file.write(json.dumps({**document, "record": False}))
    os.environ[REQUEST] = path
    found = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = _FOLDER + (os.pathsep + found if found else "")
