"""``import tensorflow`` means TensorFlow 1 in graph mode, in both versions."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

_EAGER = re.compile(rb"^[^#\n]*\benable_(?:eager_execution|v2_behavior)\s*\(", re.MULTILINE)


def asks_for_eager(script: str) -> bool:
    """Whether the script itself switches to eager execution."""
    return _EAGER.search(Path(script).read_bytes()) is not None


def become_graph_mode() -> Any:
    """The module that a script of TensorFlow 1 expects, which ``import tensorflow`` finds from now on."""
    tensorflow = importlib.import_module("tensorflow")
    if tensorflow.__version__.startswith("1."):
        return tensorflow
    v1 = importlib.import_module("tensorflow.compat.v1")
    logger = tensorflow.get_logger()
    level = logger.level
    # It warns of what it is asked for.
    logger.setLevel("ERROR")
    v1.disable_v2_behavior()
    logger.setLevel(level)
    v1.__path__ = [*v1.__path__, *tensorflow.__path__]
    sys.modules["tensorflow"] = v1
    return v1
