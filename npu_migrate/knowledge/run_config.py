"""The constructors of ``NPURunConfig`` and its companions in release r1.15.0, and what other releases have.

Sources: CODE:npu_config.py, DOC-RC, API:npu_config.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

RUN_CONFIG_CLASS = "NPURunConfig"

PARAMETERS = (
    "iterations_per_loop",
    "profiling_config",
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "distribute",
    "enable_data_pre_proc",
    "precision_mode",
    "enable_reduce_precision",
    "variable_format_optimize",
    "mix_compile_mode",
    "hcom_parallel",
    "graph_memory_max_size",
    "variable_memory_max_size",
    "dump_config",
    "stream_max_parallel_num",
    "is_tailing_optimization",
    "horovod_mode",
    "graph_run_mode",
    "op_debug_level",
    "enable_scope_fusion_passes",
    "enable_exception_dump",
    "op_select_implmode",
    "optypelist_for_implmode",
    "dynamic_input_config",
    "aoe_mode",
    "work_path",
    "buffer_optimize",
    "enable_small_channel",
    "fusion_switch_file",
    "enable_compress_weight",
    "compress_weight_conf",
    "op_compiler_cache_mode",
    "op_compiler_cache_dir",
    "debug_dir",
    "hcom_multi_mode",
    "dynamic_input",
    "dynamic_graph_execute_mode",
    "dynamic_inputs_shape_range",
    "train_distribute",
    "eval_distribute",
    "local_rank_id",
    "local_device_list",
    "session_device_id",
    "distribute_config",
    "modify_mixlist",
    "op_precision_mode",
    "device_type",
    "soc_config",
    "hccl_timeout",
    "op_wait_timeout",
    "op_execute_timeout",
    "HCCL_algorithm",
    "customize_dtypes",
    "op_debug_config",
    "memory_config",
    "experimental_config",
    "topo_sorting_mode",
    "aoe_config_file",
    "insert_op_file",
    "stream_sync_timeout",
    "event_sync_timeout",
    "external_weight",
    "es_cluster_config",
    "deterministic",
    "frozen_variable",
    "variable_placement",
    "jit_compile",
    "precision_mode_v2",
    "ac_parallel_enable",
)
"""The names of the parameters, in order."""

POSITIONS = {name: position for position, name in enumerate(PARAMETERS)}
"""The 0-based position of each parameter."""

IMPLICIT_CHECKPOINT_STEPS = 100
"""A checkpoint is saved every so many steps when neither steps nor seconds are given (CODE, DOC-RC)."""

COMPANIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ProfilingConfig": ("enable_profiling", "profiling_options"),
        "DumpConfig": (
            "enable_dump",
            "dump_path",
            "dump_step",
            "dump_mode",
            "enable_dump_debug",
            "dump_debug_mode",
            "dump_data",
            "dump_layer",
        ),
        "MemoryConfig": ("atomic_clean_policy", "static_memory_policy", "memory_optimization_policy"),
        "DynamicInputConfig": ("input_shape", "dynamic_dims", "dynamic_node_type"),
        "ExperimentalConfig": (
            "logical_device_cluster_deploy_mode",
            "logical_device_id",
            "model_deploy_mode",
            "model_deploy_devicelist",
            "graph_memory_optimize_config",
            "enable_graph_parallel",
            "graph_parallel_option_path",
            "graph_compiler_cache_dir",
            "resource_config_path",
            "accelerate_train_mode",
        ),
    }
)
"""The objects that ``NPURunConfig`` gets, with their parameters in order."""

REQUIRED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"DynamicInputConfig": ("input_shape", "dynamic_dims", "dynamic_node_type")}
)
"""The parameters without a default."""

HOLDERS: Mapping[str, str] = MappingProxyType(
    {
        "profiling_config": "ProfilingConfig",
        "dump_config": "DumpConfig",
        "memory_config": "MemoryConfig",
        "dynamic_input_config": "DynamicInputConfig",
        "experimental_config": "ExperimentalConfig",
    }
)
"""The parameters of ``NPURunConfig`` that take an object, with its class."""

CHECKED_HOLDERS = ("dump_config", "dynamic_input_config", "experimental_config")
"""Those that raise ``ValueError`` for an object of another class."""

LATER: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        RUN_CONFIG_CLASS: frozenset(
            {
                "graph_max_parallel_model_num",
                "export_compile_stat",
                "aicore_num",
                "oo_constant_folding",
                "input_fusion_size",
                "input_batch_cpy",
                "compile_dynamic_mode",
                "compile_hybrid_mode",
                "shape_generalization_mode",
                "all_tensor_not_empty",
                "auto_multistream_parallel_mode",
                "graph_compiler_cache_dir",
                "quant_dumpable",
                "oo_level",
                "optimization_switch",
            }
        ),
        "DumpConfig": frozenset({"quant_dumpable"}),
        "MemoryConfig": frozenset({"variable_use_1g_huge_page"}),
    }
)
"""Parameters that only documents after r1.15 have, or that may have come since."""


class Former(NamedTuple):
    """A parameter of former releases: those that had it, and what stands in its place."""

    since: str
    until: str
    replacement: str | None = None


FORMER: Mapping[str, Mapping[str, Former]] = MappingProxyType(
    {
        RUN_CONFIG_CLASS: MappingProxyType(
            {
                "auto_tune_mode": Former("r1.1", "r1.11", "aoe_mode"),
                "mstune_mode": Former("r1.2", "r1.5", "aoe_mode"),
                "op_tune_mode": Former("r1.3", "r1.5", "aoe_mode"),
            }
        ),
        "ProfilingConfig": MappingProxyType(
            {
                "enable_options": Former("r1.1", "r1.2", "profiling_options"),
                "fp_point": Former("r1.1", "r1.2", "profiling_options"),
                "bp_point": Former("r1.1", "r1.2", "profiling_options"),
            }
        ),
        "ExperimentalConfig": MappingProxyType(
            {"graph_parallel_config": Former("r1.10", "r1.12", "graph_parallel_option_path")}
        ),
    }
)
"""Parameters that are gone: the call raises ``TypeError``."""

ONLY_RUN_CONFIG = frozenset(
    {"device_fn", "protocol", "experimental_distribute", "session_creation_timeout_secs"}
    | {"experimental_max_worker_delay_secs"}
)
"""Arguments of TensorFlow's ``RunConfig`` that ``NPURunConfig`` does not take: ``TypeError`` (DOC-RC)."""

UNSUPPORTED = frozenset({"train_distribute", "eval_distribute"})
"""Arguments that are taken and documented as unsupported (DOC-RC)."""
