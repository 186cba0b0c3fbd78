"""``from npu_bridge.npu_init import *``: brings in the public names and moves every session to the NPU."""

# ruff: noqa: F401 (names are imported here to be exported)
import os

import tensorflow as tf
from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from tensorflow.python.client import session
from tensorflow.python.training import session_run_hook

from npu_bridge import device as _device
from npu_bridge.estimator import npu_ops
from npu_bridge.estimator.npu import npu_plugin, util
from npu_bridge.estimator.npu.npu_config import DumpConfig, MemoryConfig, NPURunConfig, ProfilingConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator, NPUEstimatorSpec
from npu_bridge.estimator.npu.npu_hook import (
    NPUBroadcastGlobalVariablesHook,
    SetIterationsVarHook,
    TellMeStepOrLossHook,
)
from npu_bridge.estimator.npu.npu_loss_scale_manager import (
    ExponentialUpdateLossScaleManager,
    FixedLossScaleManager,
)
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer


def npu_config_proto(config_proto=None):
    return _device.with_npu(config_proto)


def npu_run_config_init(run_config=None):
    if not isinstance(run_config, tf.estimator.RunConfig):
        run_config = tf.estimator.RunConfig()
    run_config._session_config = npu_config_proto(run_config.session_config)
    return run_config


def npu_hooks_append(hooks_list=()):
    """Appends to a list; anything else is thrown away, as in the original."""
    hooks = hooks_list if isinstance(hooks_list, list) else []
    hooks.append(NPUBroadcastGlobalVariablesHook(0, get_npu_rank_id()))
    return hooks


def npu_tf_optimizer(opt):
    return opt


def get_npu_rank_id():
    return int(os.getenv("RANK_ID", "0"))


def get_npu_rank_size():
    return int(os.getenv("RANK_SIZE", "1"))


_device.take_over_sessions()
