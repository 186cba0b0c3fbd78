"""`NPURunConfig` and its companions, with the checks their constructors make."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from npu_rehearsal.support.settings import defaults_of, write_options
from npu_rehearsal.watching import current

from npu_bridge import device
from npu_bridge.estimator.npu.util import check_bool, check_positive_integer


class ProfilingConfig:
    def __init__(self, enable_profiling: bool = False, profiling_options: Any = None) -> None:
        self.enable_profiling = enable_profiling
        self.profiling_options = profiling_options


class DumpConfig:
    def __init__(
        self,
        enable_dump: bool = False,
        dump_path: Any = None,
        dump_step: Any = None,
        dump_mode: str = "output",
        enable_dump_debug: bool = False,
        dump_debug_mode: str = "all",
        dump_data: str = "tensor",
        dump_layer: Any = None,
    ) -> None:
        if (enable_dump or enable_dump_debug) and dump_path is None:
            raise ValueError("dump_path is required when enable_dump is True")
        self.enable_dump = enable_dump
        self.dump_path = dump_path
        self.dump_step = dump_step
        self.dump_mode = dump_mode


class MemoryConfig:
    def __init__(
        self,
        atomic_clean_policy: int = 0,
        static_memory_policy: int = 0,
        memory_optimization_policy: Any = None,
        **others: Any,
    ) -> None:
        self.atomic_clean_policy = atomic_clean_policy
        self.static_memory_policy = static_memory_policy
        self.memory_optimization_policy = memory_optimization_policy


class DynamicInputConfig:
    def __init__(self, input_shape: Any, dynamic_dims: Any, dynamic_node_type: Any) -> None:
        self.input_shape = input_shape
        self.dynamic_dims = dynamic_dims
        self.dynamic_node_type = dynamic_node_type


class GraphMemoryOptimizeConfig:
    def __init__(self, recompute: Any = None, graph_slice: Any = None) -> None:
        for value in (recompute, graph_slice):
            if value not in (None, "auto", "manual"):
                raise ValueError("recompute and graph_slice must be auto or manual")


class ExperimentalConfig:
    def __init__(
        self,
        logical_device_cluster_deploy_mode: str = "LB",
        logical_device_id: Any = None,
        accelerate_train_mode: Any = None,
        **others: Any,
    ) -> None:
        self.logical_device_cluster_deploy_mode = logical_device_cluster_deploy_mode
        self.accelerate_train_mode = accelerate_train_mode


class NPURunConfig(tf.compat.v1.estimator.RunConfig):
    """Its parameters are the rehearsal's own table; what they say is written into the session's entry."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        watcher = current.watcher()
        given = defaults_of(watcher.request.tables["run_config"], args, kwargs)
        iterations = given.get("iterations_per_loop", 1)
        check_positive_integer(iterations, "iterations_per_loop")
        mixed = given.get("mix_compile_mode", False)
        check_bool(mixed, "mix_compile_mode")
        check_bool(given.get("horovod_mode", False), "horovod_mode")
        if mixed and iterations != 1:
            raise ValueError('"iterations_per_loop" only support 1 with mix_compile_mode is True')
        for name, kind in (
            ("experimental_config", ExperimentalConfig),
            ("dump_config", DumpConfig),
            ("dynamic_input_config", DynamicInputConfig),
        ):
            if given.get(name) is not None and not isinstance(given[name], kind):
                raise ValueError(f'"{name}" must be {kind.__name__}')
        steps, seconds = given.get("save_checkpoints_steps"), given.get("save_checkpoints_secs")
        if steps is None and seconds is None:
            steps = 100
        session_config = device.with_npu(given.get("session_config"))
        write_options(device.npu_entry(session_config), given, watcher.request.tables)
        self._npu_place = watcher.places.here()
        self.iterations_per_loop = iterations
        self.npu_options = given
        super().__init__(
            model_dir=given.get("model_dir"),
            tf_random_seed=given.get("tf_random_seed"),
            save_summary_steps=given.get("save_summary_steps", 0),
            save_checkpoints_steps=steps,
            save_checkpoints_secs=seconds,
            session_config=session_config,
            keep_checkpoint_max=given.get("keep_checkpoint_max", 5),
            keep_checkpoint_every_n_hours=given.get("keep_checkpoint_every_n_hours", 10000),
            log_step_count_steps=given.get("log_step_count_steps", 100),
        )
