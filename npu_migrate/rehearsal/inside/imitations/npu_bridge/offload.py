"""Iteration offload: what the constructors and the runtime refuse. Stricter than they are about steps."""

from npu_bridge import device

PARAMETERS = frozenset(
    {
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
    }
)
"""The parameters of `NPURunConfig`."""


def check_parameters(names):
    for name in names:
        if name not in PARAMETERS:
            raise TypeError(f"__init__() got an unexpected keyword argument '{name}'")


def check_steps(config, *counts):
    """The runtime trains on to the next multiple without a word; here that is an error."""
    iterations = device.iterations_per_loop(config)
    for count in counts:
        if count is not None and count % iterations:
            raise ValueError(f"{count} steps are not a multiple of iterations_per_loop = {iterations}")
