"""`NPURunConfig` and its companions, with the checks their constructors make."""

import tensorflow as tf

from npu_bridge import acceleration, device, offload
from npu_bridge.estimator.npu.util import check_bool, check_positive_integer


class ProfilingConfig:
    def __init__(self, enable_profiling=False, profiling_options=None):
        self.enable_profiling = enable_profiling
        self.profiling_options = profiling_options


class DumpConfig:
    def __init__(self, enable_dump=False, dump_path=None, dump_step=None, dump_mode="output"):
        if enable_dump and dump_path is None:
            raise ValueError("dump_path is required when enable_dump is True")
        self.enable_dump = enable_dump
        self.dump_path = dump_path
        self.dump_step = dump_step
        self.dump_mode = dump_mode


class MemoryConfig:
    def __init__(self, atomic_clean_policy=0, static_memory_policy=0, memory_optimization_policy=None):
        self.atomic_clean_policy = atomic_clean_policy
        self.static_memory_policy = static_memory_policy
        self.memory_optimization_policy = memory_optimization_policy


class ExperimentalConfig:
    def __init__(self, logical_device_cluster_deploy_mode="LB", accelerate_train_mode=None):
        self.logical_device_cluster_deploy_mode = logical_device_cluster_deploy_mode
        self.accelerate_train_mode = accelerate_train_mode


class NPURunConfig(tf.estimator.RunConfig):
    """Keyword arguments that change nothing here are taken and kept in `npu_options`."""

    def __init__(
        self,
        iterations_per_loop=1,
        profiling_config=None,
        model_dir=None,
        tf_random_seed=None,
        save_summary_steps=0,
        save_checkpoints_steps=None,
        save_checkpoints_secs=None,
        session_config=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        distribute=None,
        enable_data_pre_proc=True,
        precision_mode=None,
        mix_compile_mode=False,
        experimental_config=None,
        precision_mode_v2=None,
        **npu_options,
    ):
        offload.check_parameters(npu_options)
        check_positive_integer(iterations_per_loop, "iterations_per_loop")
        check_bool(mix_compile_mode, "mix_compile_mode")
        if mix_compile_mode and iterations_per_loop != 1:
            raise ValueError('"iterations_per_loop" only support 1 with mix_compile_mode is True')
        if experimental_config is not None and not isinstance(experimental_config, ExperimentalConfig):
            raise ValueError('"experimental_config" must be an ExperimentalConfig')
        if save_checkpoints_steps is None and save_checkpoints_secs is None:
            save_checkpoints_steps = 100
        session_config = device.with_npu(session_config)
        options = device.npu_entry(session_config).parameter_map
        options["use_off_line"].b = True
        options["enable_data_pre_proc"].b = enable_data_pre_proc
        options["mix_compile_mode"].b = mix_compile_mode
        options["iterations_per_loop"].i = iterations_per_loop
        if experimental_config is not None and experimental_config.accelerate_train_mode is not None:
            options[acceleration.KEY].s = tf.compat.as_bytes(experimental_config.accelerate_train_mode)
        for key, value in (("precision_mode", precision_mode), ("precision_mode_v2", precision_mode_v2)):
            if value is not None:
                options[key].s = tf.compat.as_bytes(value)
        self.iterations_per_loop = iterations_per_loop
        self.npu_options = npu_options
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
        )
