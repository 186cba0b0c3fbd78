"""``import tensorflow`` means TensorFlow 1 in graph mode, in both versions."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

_EAGER = re.compile(rb"^[^#\n]*\benable_(?:eager_execution|v2_behavior)\s*\(", re.MULTILINE)
_CHOOSES = re.compile(rb"^[^#\n]*\bcompat\b", re.MULTILINE)


def tensorflow_for(script: str) -> Any:
    """The module that a script expects, which ``import tensorflow`` finds from now on.

    That is TensorFlow 1 in graph mode. A script that asks for eager execution gets it; one that asks for it
    and chooses a version itself (``tensorflow.compat``) gets TensorFlow as it is installed.
    """
    tensorflow = importlib.import_module("tensorflow")
    if tensorflow.__version__.startswith("1."):
        return tensorflow
    text = Path(script).read_bytes()
    if _EAGER.search(text) is None:
        return _graph_mode(tensorflow)
    return tensorflow if _CHOOSES.search(text) is not None else _version_1(tensorflow)


def _graph_mode(tensorflow: Any) -> Any:
    v1 = importlib.import_module("tensorflow.compat.v1")
    logger = tensorflow.get_logger()
    level = logger.level
    # It warns of what it is asked for.
    logger.setLevel("ERROR")
    v1.disable_v2_behavior()
    logger.setLevel(level)
    return _version_1(tensorflow)


def _version_1(tensorflow: Any) -> Any:
    v1 = importlib.import_module("tensorflow.compat.v1")
    v1.__path__ = [*v1.__path__, *tensorflow.__path__]
    sys.modules["tensorflow"] = v1
    return v1
