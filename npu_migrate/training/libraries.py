"""TensorFlow, npu_bridge and Rec SDK as a project has to be told of them before names are resolved."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from npu_migrate.knowledge import npu, rec, tensorflow
from npu_migrate.project.libraries import Libraries


def _canonical(name: str) -> str:
    return npu.canonical(tensorflow.canonical(name))


def _may_export(module: str, name: str) -> bool:
    if npu.exports(module, name):
        return True
    if module in rec.STAR_MODULES:
        return name in rec.STAR_MODULES[module]
    return module.split(".")[0] in ("tensorflow", "tensorflow_core")


def _as_bytes(text: Any) -> bytes:
    return text if isinstance(text, bytes) else str.encode(text, "utf-8")


def _as_text(text: Any) -> str:
    return text if isinstance(text, str) else bytes.decode(text, "utf-8")


def _as_any_text(value: Any) -> str:
    return _as_text(value) if isinstance(value, bytes) else str(value)


LIBRARIES = Libraries(
    canonical=_canonical,
    may_export=_may_export,
    calls_at_once=tensorflow.CALLS_AT_ONCE,
    conversions=MappingProxyType(
        {
            "tensorflow.compat.as_bytes": _as_bytes,
            "tensorflow.compat.as_text": _as_text,
            "tensorflow.compat.as_str": _as_text,
            "tensorflow.compat.as_str_any": _as_any_text,
        }
    ),
)
"""The libraries of a training program [TF, CODE:npu_init.py, REC-DOC]."""
