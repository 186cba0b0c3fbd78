"""The parts of TensorFlow that are not public, under the names they have in both versions."""

from __future__ import annotations

import importlib
from typing import Any


def client() -> Any:
    """The module that sessions are defined in."""
    return importlib.import_module("tensorflow.python.client.session")


def errors() -> Any:
    """The module of TensorFlow's exceptions."""
    return importlib.import_module("tensorflow.python.framework.errors_impl")


def major_version() -> int:
    """1 or 2."""
    return int(importlib.import_module("tensorflow.python.framework.versions").__version__.split(".")[0])
