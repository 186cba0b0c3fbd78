"""The keys of a session's ``NpuOptimizer`` entry: field, default, legal values, release, product.

``custom_op.parameter_map[key]`` is a protobuf value of which the runtime reads one field. A key that it does
not know is ignored without a message, and a known key in another field reads as 0 or empty.

What is legal, and since when, `option_values` tells; which of them go together, `option_partners`.
Sources: CODE:npu_attrs.cc, CODE:npu_config.py, API:session_config.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

Field = Literal["b", "i", "s"]
"""The field of the protobuf value: a bool, an integer, or bytes."""

State = Literal["current", "deprecated", "without effect"]

NEWER: tuple[str, ...] = ("a2", "a3", "950")
"""The product families, as the settings name them, that have what the training products do not have."""

TRAINING: tuple[str, ...] = ("training",)

AFTER = "after r1.15"
"""The release of what came with a CANN behind 7.0: its documents have it, the code of r1.15 has not."""

CODE = "CODE:npu_attrs.cc"
DOCUMENT = "API:session_config"


class SessionKey(NamedTuple):
    """One key.

    `values` are the legal ones; numbers lie between `smallest` and `largest`, texts match `pattern`, of which
    `form` is an example. `refused` tells that the runtime stops at any other value, instead of taking its
    default; with `checked_with` it looks only while that switch is on. `only_on` has the values, or under ""
    the key itself, that only some products know, `limits` the narrower ranges of some products. `since` is
    the release that brought it, as far as known, `replacement` the key that stands in its place today.
    """

    field: Field
    default: bool | int | str | None = None
    values: tuple[str, ...] | tuple[int, ...] = ()
    smallest: int | None = None
    largest: int | None = None
    pattern: str | None = None
    form: str | None = None
    refused: bool = False
    since: str | None = None
    state: State = "current"
    only_on: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    limits: Mapping[str, tuple[int, int]] = MappingProxyType({})
    checked_with: str | None = None
    replacement: str | None = None
    source: str = CODE


def _switch(default: bool | None = False, since: str | None = None, state: State = "current") -> SessionKey:
    return SessionKey("b", default, since=since, state=state)


def _text(since: str | None = None, state: State = "current") -> SessionKey:
    return SessionKey("s", since=since, state=state)


def _later(key: SessionKey) -> SessionKey:
    """A key that the documents have, and the code of r1.15 has not."""
    return key._replace(since=AFTER, source=DOCUMENT)


def _deprecated(key: SessionKey, replacement: str | None = None) -> SessionKey:
    return key._replace(state="deprecated", replacement=replacement)


_ON_NEWER = MappingProxyType({"": NEWER})
_TIMEOUT = MappingProxyType({"training": (1, 17340)})
_LARGEST = 2147483647
_PRECISION = (
    "force_fp32",
    "force_fp16",
    "cube_fp16in_fp32out",
    "allow_fp32_to_fp16",
    "must_keep_origin_dtype",
    "allow_mix_precision",
    "allow_mix_precision_fp16",
    "allow_mix_precision_bf16",
    "allow_fp32_to_bf16",
)
_PRECISION_V2 = (
    "fp16",
    "origin",
    "cube_fp16in_fp32out",
    "mixed_float16",
    "mixed_bfloat16",
    "mixed_hif8",
    "cube_hif8",
)
_IMPLEMENTATIONS = (
    "high_precision",
    "high_performance",
    "high_precision_for_all",
    "high_performance_for_all",
)

_GRAPH = {
    "use_off_line": _switch(True),
    "enable_data_pre_proc": _deprecated(_switch()),
    "mix_compile_mode": _switch(),
    "iterations_per_loop": SessionKey("i", 1, smallest=1, refused=True),
    "graph_run_mode": SessionKey("i", 1, values=(0, 1), refused=True),
    "lower_functional_ops": _switch(),
    "variable_format_optimize": _deprecated(_switch(None)),
    "variable_placement": SessionKey("s", "Device", values=("Device", "Host"), since="r1.12"),
    "frozen_variable": _switch(since="r1.12"),
    "external_weight": _switch(since="r1.11"),
    "enable_graph_parallel": _switch(),
    "graph_parallel_option_path": _text(),
    "graph_slice": SessionKey("s", values=("auto", "manual"), refused=True),
    "stream_max_parallel_num": SessionKey(
        "s", pattern=r"\w+:\d+(,\w+:\d+)*", form="DNN_VM_AICPU:10,AIcoreEngine:1"
    ),
    "ac_parallel_enable": SessionKey("s", values=("0", "1"), since="r1.15"),
    "topo_sorting_mode": SessionKey("i", 0, values=(0, 1), since="r1.10"),
    "jit_compile": SessionKey("s", "auto", values=("auto", "true", "false"), refused=True, since="r1.13"),
    "oo_constant_folding": _later(_switch(True)),
    "oo_level": _later(SessionKey("s", "O3")),
    "optimization_switch": _later(_text()),
    "quant_dumpable": _later(SessionKey("s", "0", values=("0", "1"))),
    "all_tensor_not_empty": _later(_switch()),
    "input_batch_cpy": _later(_switch()._replace(only_on=_ON_NEWER)),
    "input_fusion_size": _later(SessionKey("i", 131072, smallest=0, largest=33554432)),
    "graph_max_parallel_model_num": _later(SessionKey("i", 1, smallest=1, largest=_LARGEST, refused=True)),
    "export_compile_stat": _later(SessionKey("i", 1, values=(0, 1, 2), refused=True)),
    "aicore_num": _later(
        SessionKey("s", pattern=r"\d*\|\d*", form="2|4", only_on=MappingProxyType({"": ("a2", "a3")}))
    ),
    "auto_multistream_parallel_mode": _later(
        SessionKey(
            "s",
            pattern=r"cv|LoadBalance(:([1-9]|[1-5]\d|6[0-4]))?|MainStream:([1-9]|[1-5]\d|6[0-4])",
            form="cv, LoadBalance, LoadBalance:8 or MainStream:8",
        )
    ),
    "min_group_size": _switch(None, state="without effect"),
}
_PRECISION_KEYS = {
    "precision_mode": SessionKey(
        "s",
        values=_PRECISION,
        refused=True,
        only_on=MappingProxyType({"allow_mix_precision_bf16": NEWER, "allow_fp32_to_bf16": NEWER}),
    ),
    "precision_mode_v2": SessionKey(
        "s",
        values=_PRECISION_V2,
        refused=True,
        since="r1.13",
        only_on=MappingProxyType({"mixed_bfloat16": NEWER, "mixed_hif8": ("950",), "cube_hif8": ("950",)}),
    ),
    "modify_mixlist": _text("r1.5"),
    "customize_dtypes": _text("r1.9"),
    "op_precision_mode": _text("r1.5"),
    "op_select_implmode": _deprecated(
        SessionKey("s", values=_IMPLEMENTATIONS, refused=True), "op_precision_mode"
    ),
    "optypelist_for_implmode": _deprecated(_text(), "op_precision_mode"),
    "enable_reduce_precision": _switch(),
    "deterministic": SessionKey("i", 0, values=(0, 1), since="r1.12"),
    "is_tailing_optimization": _switch(),
}
_DEVICES = {
    "session_device_id": SessionKey("i", -1, smallest=0, refused=True, since="r1.3"),
    "local_rank_id": SessionKey("i", -1, smallest=0, largest=7, refused=True, since="r1.3"),
    "local_device_list": SessionKey("s", pattern=r"\d+(,\d+)*", form="1,2,3", refused=True, since="r1.3"),
    "task_index": SessionKey("i", 0, smallest=0, refused=True),
    "job": SessionKey("s", "localhost"),
    "distribute_config": _text("r1.3"),
    "device_type": _text("r1.7"),
    "soc_config": _text("r1.8"),
    "resource_config_path": _text(),
    "es_cluster_config": _text("r1.13"),
    "hcom_parallel": _switch(True),
    "hcom_multi_mode": _switch(since="r1.3"),
    "HCCL_algorithm": _text("r1.8"),
    "hccl_timeout": SessionKey("i", 1836, smallest=0, largest=_LARGEST, since="r1.7", limits=_TIMEOUT),
    "op_wait_timeout": SessionKey("i", since="r1.7"),
    "op_execute_timeout": SessionKey("i", since="r1.7"),
    "graph_exec_timeout": SessionKey("i", 600000),
    "stream_sync_timeout": SessionKey("i", -1, since="r1.12"),
    "event_sync_timeout": SessionKey("i", -1, since="r1.12"),
}
_MEMORY = {
    "atomic_clean_policy": SessionKey("i", 0, values=(0, 1), since="r1.9"),
    "static_memory_policy": SessionKey("i", 0, values=(0, 1, 2, 3, 4), since="r1.9"),
    "memory_optimization_policy": _text("r1.9"),
    "variable_use_1g_huge_page": _later(
        SessionKey("i", 0, values=(0, 1, 2), refused=True, only_on=_ON_NEWER)
    ),
    "graph_memory_max_size": _text(state="without effect"),
    "variable_memory_max_size": _text(state="without effect"),
}
_DYNAMIC_SHAPES = {
    "input_shape": SessionKey(
        "s",
        pattern=r"[^;]+:-?\d+(,-?\d+)*(;[^;]+:-?\d+(,-?\d+)*)*;?",
        form="data:1,-1;mask:-1,-1",
        refused=True,
    ),
    "dynamic_dims": SessionKey("s", pattern=r"\d+(,\d+)*(;\d+(,\d+)*)*;?", form="20,20;40,40", refused=True),
    "dynamic_node_type": SessionKey("i", -1, values=(0, 1), refused=True),
    "dynamic_input": _deprecated(_switch(since="r1.3"), "jit_compile"),
    "dynamic_graph_execute_mode": _deprecated(
        SessionKey(
            "s",
            "dynamic_execute",
            values=("dynamic_execute", "lazy_recompile"),
            refused=True,
            since="r1.3",
            checked_with="dynamic_input",
        ),
        "jit_compile",
    ),
    "dynamic_inputs_shape_range": _deprecated(_text("r1.3"), "jit_compile"),
    "compile_dynamic_mode": _later(_switch()),
    "compile_hybrid_mode": _later(SessionKey("i", 0, values=(0, 1), refused=True)),
    "shape_generalization_mode": _later(
        SessionKey("s", "STRICT", values=("STRICT", "FULL", "ADAPTIVE"), refused=True)
    ),
}
_COMPILER = {
    "buffer_optimize": SessionKey(
        "s", "l2_optimize", values=("l2_optimize", "off_optimize"), refused=True, since="r1.2"
    ),
    "enable_small_channel": SessionKey("i", 0, values=(0, 1), since="r1.2"),
    "enable_scope_fusion_passes": _text(),
    "fusion_switch_file": _text("r1.2"),
    "insert_op_file": _text("r1.11"),
    "op_compiler_cache_mode": SessionKey("s", "enable", values=("enable", "force", "disable"), since="r1.2"),
    "op_compiler_cache_dir": SessionKey(
        "s", pattern=r"[A-Za-z0-9_./-]*", form="/home/test/kernel_cache", since="r1.2"
    ),
    "graph_compiler_cache_dir": _text("r1.13"),
    "enable_compress_weight": _switch(since="r1.2"),
    "compress_weight_conf": _text("r1.2"),
    "aoe_mode": SessionKey(
        "s",
        values=("1", "2", "4", "mdat"),
        refused=True,
        since="r1.5",
        only_on=MappingProxyType({"": ("training", "a2", "a3"), "1": TRAINING}),
    ),
    "work_path": SessionKey("s", "./"),
    "aoe_config_file": _text("r1.11"),
    "auto_tune_mode": _deprecated(_text(), "aoe_mode"),
}
_DEBUGGING = {
    "op_debug_level": _deprecated(SessionKey("i", values=(0, 1, 2, 3, 4)), "op_debug_config"),
    "op_debug_config": SessionKey(
        "s",
        pattern=r"(?!.*ccec_O0.*oom)(?!.*oom.*ccec_O0).*",
        form="ccec_g,oom (oom not with ccec_O0)",
        refused=True,
        since="r1.9",
    ),
    "debug_dir": _text("r1.2"),
    "enable_exception_dump": SessionKey("i", 2, values=(0, 1, 2)),
    "enable_dump": _switch(),
    "enable_dump_debug": _switch(),
    "dump_path": _text(),
    "dump_step": SessionKey(
        "s",
        pattern=r"\d+(-\d+)?(\|\d+(-\d+)?)*",
        form="0|3-5|10",
        refused=True,
        checked_with="enable_dump",
    ),
    "dump_mode": SessionKey(
        "s", "output", values=("input", "output", "all"), refused=True, checked_with="enable_dump"
    ),
    "dump_debug_mode": SessionKey(
        "s",
        "all",
        values=("aicore_overflow", "atomic_overflow", "all"),
        refused=True,
        checked_with="enable_dump_debug",
        only_on=MappingProxyType({"aicore_overflow": TRAINING, "atomic_overflow": TRAINING}),
    ),
    "dump_data": SessionKey("s", "tensor", values=("tensor", "stats"), refused=True, since="r1.10"),
    "dump_layer": _text("r1.10"),
    "profiling_mode": _switch(),
    "profiling_options": _text(),
}
_INFERENCE = {
    "in_out_pair_flag": _switch(True),
    "in_out_pair": _text(),
    "const_input": _text(),
}
_EXPERIMENTS = {
    "experimental_accelerate_train_mode": _text("r1.15"),
    "experimental_logical_device_cluster_deploy_mode": SessionKey("s", "LB", values=("LB", "SINGLE")),
    "experimental_logical_device_id": _text(),
    "experimental_model_deploy_mode": _text(),
    "experimental_model_deploy_devicelist": _text(),
}

SESSION_KEYS: Mapping[str, SessionKey] = MappingProxyType(
    {
        **_GRAPH,
        **_PRECISION_KEYS,
        **_DEVICES,
        **_MEMORY,
        **_DYNAMIC_SHAPES,
        **_COMPILER,
        **_DEBUGGING,
        **_INFERENCE,
        **_EXPERIMENTS,
    }
)
"""Every key that the runtime reads, or that the vendor's documents name."""


class FormerKey(NamedTuple):
    """A key that the runtime no longer reads: what stands in its place, and the releases that had it."""

    replacement: str | None
    since: str | None = None
    until: str | None = None


FORMER_KEYS: Mapping[str, FormerKey] = MappingProxyType(
    {
        "enable_auto_mix_precision": FormerKey("precision_mode"),
        "mstune_mode": FormerKey("aoe_mode", "r1.2", "r1.5"),
        "op_tune_mode": FormerKey("aoe_mode", "r1.3", "r1.5"),
        "master_slave_mode": FormerKey(None),
    }
)
"""Keys of former releases; they are not misspelt."""
