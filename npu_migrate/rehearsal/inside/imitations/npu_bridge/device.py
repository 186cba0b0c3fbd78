"""Session configurations, as the adapter prepares them."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from tensorflow.python.client import session as client

OPTIMIZER = "NpuOptimizer"


def npu_entry(config: Any) -> Any:
    """The custom optimizer of that name, or None."""
    if config is not None:
        for entry in config.graph_options.rewrite_options.custom_optimizers:
            if entry.name == OPTIMIZER:
                return entry
    return None


def with_npu(config: Any) -> Any:
    """Prepares a session config as `npu_config_proto` does; changes and returns the config it is given."""
    if not isinstance(config, tf.compat.v1.ConfigProto):
        config = tf.compat.v1.ConfigProto()
    rewrite = config.graph_options.rewrite_options
    if npu_entry(config) is None:
        rewrite.custom_optimizers.add().name = OPTIMIZER
        rewrite.memory_optimization = RewriterConfig.OFF
    rewrite.remapping = RewriterConfig.OFF
    config.allow_soft_placement = True
    config.log_device_placement = False
    config.graph_options.optimizer_options.global_jit_level = config_pb2.OptimizerOptions.OFF
    return config


def take_over_sessions() -> None:
    """What importing `npu_init` does: from here on every session gets the entry."""
    for kind in (client.Session, client.InteractiveSession):
        kind.__init__ = _npu_init(kind.__init__)


def _npu_init(original: Any) -> Any:
    def init(self: Any, target: str = "", graph: Any = None, config: Any = None) -> None:
        original(self, target, graph, with_npu(config))

    return init
