"""``from npu_bridge.npu_init import *``: brings in the public names and moves every session to the NPU."""

from __future__ import annotations

# ruff: noqa: F401 (names are imported here to be exported)
import os
from typing import Any

import tensorflow as tf
from hccl.manage.api import (
    create_group,
    destroy_group,
    get_group_rank_from_world_rank,
    get_local_rank_id,
    get_local_rank_size,
    get_rank_id,
    get_rank_size,
    get_world_rank_from_group_rank,
)
from hccl.split.api import set_split_strategy_by_idx, set_split_strategy_by_size
from npu_rehearsal.watching import current
from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from tensorflow.python.client import session
from tensorflow.python.keras import backend
from tensorflow.python.training import session_run_hook

from npu_bridge import device as _device
from npu_bridge.estimator import npu_ops
from npu_bridge.estimator.npu import (
    keras_to_npu,
    npu_plugin,
    npu_rnn,
    npu_scope,
    npu_strategy,
    npu_unary_ops,
    util,
)
from npu_bridge.estimator.npu.npu_callbacks import NPUBroadcastGlobalVariablesCallback
from npu_bridge.estimator.npu.npu_config import (
    DumpConfig,
    DynamicInputConfig,
    MemoryConfig,
    NPURunConfig,
    ProfilingConfig,
)
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator, NPUEstimatorSpec
from npu_bridge.estimator.npu.npu_hook import (
    NPUBroadcastGlobalVariablesHook,
    NPUCheckpointSaverHook,
    NpuEmptyHook,
    NPUOutputTensorHook,
    SetIterationsVarHook,
    TellMeStepOrLossHook,
)
from npu_bridge.estimator.npu.npu_loss_scale_manager import (
    ExponentialUpdateLossScaleManager,
    FixedLossScaleManager,
)
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
from npu_bridge.estimator.npu.npu_optimizer import (
    KerasDistributeOptimizer,
    NPUDistributedOptimizer,
    NPUOptimizer,
    npu_allreduce,
    npu_distributed_optimizer_wrapper,
)
from npu_bridge.hccl import hccl_ops
from npu_bridge.npu_cpu import npu_cpu_ops
from npu_bridge.profiler import profiler
from npu_bridge.scoped_graph_manager import scoped_graph_manager

experimental_options = {
    "disable_model_pruning": False,
    "function_optimization": True,
    "constant_folding": True,
    "shape_optimization": True,
    "arithmetic_optimization": True,
    "loop_optimization": True,
    "dependency_optimization": True,
    "layout_optimizer": True,
}


def npu_config_proto(config_proto: Any = None) -> Any:
    return _device.with_npu(config_proto)


def npu_graph_options(graph_options: Any = None) -> Any:
    if not isinstance(graph_options, tf.compat.v1.GraphOptions):
        graph_options = tf.compat.v1.GraphOptions()
    graph_options.optimizer_options.global_jit_level = config_pb2.OptimizerOptions.OFF
    return graph_options


def npu_optimizer_options(optimizer_options: Any = None) -> Any:
    if not isinstance(optimizer_options, config_pb2.OptimizerOptions):
        optimizer_options = config_pb2.OptimizerOptions()
    optimizer_options.global_jit_level = config_pb2.OptimizerOptions.OFF
    return optimizer_options


def npu_run_config_init(run_config: Any = None) -> Any:
    if not isinstance(run_config, tf.compat.v1.estimator.RunConfig):
        run_config = tf.compat.v1.estimator.RunConfig()
    run_config._session_config = npu_config_proto(run_config.session_config)
    return run_config


def npu_hooks_append(hooks_list: Any = ()) -> Any:
    """Appends to a list; anything else is thrown away, as in the original."""
    hooks = hooks_list if isinstance(hooks_list, list) else []
    hooks.append(NPUBroadcastGlobalVariablesHook(0, get_npu_rank_id()))
    return hooks


def npu_callbacks_append(callbacks_list: Any = ()) -> Any:
    callbacks = callbacks_list if isinstance(callbacks_list, list) else []
    callbacks.append(NPUBroadcastGlobalVariablesCallback(0))
    return callbacks


def npu_tf_optimizer(opt: Any) -> Any:
    return NPUDistributedOptimizer(opt)


def npu_keras_optimizer(opt: Any) -> Any:
    return opt


def set_keras_session_npu_config(config: Any = None) -> Any:
    made = tf.compat.v1.Session(config=npu_config_proto(config))
    tf.compat.v1.keras.backend.set_session(made)
    return made


def init_resource(config: Any = None) -> Any:
    """A session that has initialized the communication, and the operation that ends it."""
    graph = tf.Graph()
    with graph.as_default():
        init, shutdown = npu_ops.initialize_system(), npu_ops.shutdown_system()
        made = tf.compat.v1.Session(config=npu_config_proto(config))
    made.run(init)
    current.watcher().communicates = True
    return made, shutdown


def shutdown_resource(sess: Any, npu_shutdown: Any) -> None:
    sess.run(npu_shutdown)


def close_session(sess: Any) -> None:
    sess.close()


def npu_clear_session(config: Any = None) -> Any:
    tf.compat.v1.keras.backend.clear_session()
    return set_keras_session_npu_config(config)


def get_npu_rank_id() -> int:
    return int(os.getenv("RANK_ID", "0"))


def get_npu_local_rank_id() -> int:
    return int(os.getenv("RANK_ID", "0"))


def get_npu_rank_size() -> int:
    return int(os.getenv("RANK_SIZE", "1"))


def get_npu_local_rank_size() -> int:
    return int(os.getenv("RANK_SIZE", "1"))


_device.take_over_sessions()
