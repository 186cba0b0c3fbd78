"""Scopes that say where and how the device computes; here they change nothing."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator


@contextlib.contextmanager
def _nothing(*args: Any, **kwargs: Any) -> Iterator[None]:
    yield


without_npu_compile_scope = _nothing
keep_dtype_scope = _nothing
npu_variable_scope = _nothing
npu_stage_scope = _nothing
npu_weight_prefetch_scope = _nothing
npu_mem_type_scope = _nothing
subgraph_multi_dims_scope = _nothing
disable_autofuse = _nothing
limit_core_num_scope = _nothing
npu_graph_slice_scope = _nothing
npu_optimizer_scope = _nothing
npu_qos_label_scope = _nothing
npu_recompute_scope = _nothing
op_specified_engine_scope = _nothing
