"""``from npu_bridge.estimator.npu_unary_ops import npu_unary_ops``: the object has the functions."""

from __future__ import annotations

# ruff: noqa: F401 (names are imported here to be exported)
from npu_bridge.estimator.npu import npu_unary_ops
