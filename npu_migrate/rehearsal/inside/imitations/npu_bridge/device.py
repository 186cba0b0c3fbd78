"""What the device does: reads a session's NpuOptimizer entry, checks the graph, repeats IterationOp."""

import os
import sys

import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from tensorflow.python.client import session as client

from npu_bridge import acceleration

OPTIMIZER = "NpuOptimizer"
ITERATION_OP = "IterationOp"


def npu_entry(config):
    """The custom optimizer of that name, or None."""
    if config is not None:
        for entry in config.graph_options.rewrite_options.custom_optimizers:
            if entry.name == OPTIMIZER:
                return entry
    return None


def with_npu(config):
    """Prepares a session config as `npu_config_proto` does; changes and returns the config it is given."""
    if not isinstance(config, tf.ConfigProto):
        config = tf.ConfigProto()
    rewrite = config.graph_options.rewrite_options
    if npu_entry(config) is None:
        rewrite.custom_optimizers.add().name = OPTIMIZER
        rewrite.memory_optimization = RewriterConfig.OFF
    rewrite.remapping = RewriterConfig.OFF
    config.allow_soft_placement = True
    config.log_device_placement = False
    config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.OFF
    return config


def iterations_per_loop(config):
    """The session's N; an entry without the key means 1."""
    entry = npu_entry(config)
    if entry is None or "iterations_per_loop" not in entry.parameter_map:
        return 1
    return entry.parameter_map["iterations_per_loop"].i


def check_graph(graph, config):
    """The checks of the graph-partition pass."""
    iterations = iterations_per_loop(config)
    if iterations < 1:
        abort(f"iterations_per_loop must be a positive integer, it is {iterations}")
    if iterations == 1:
        return
    options = npu_entry(config).parameter_map
    if options["mix_compile_mode"].b:
        abort("iterations_per_loop only support 1 in mixed computing")
    for operation in graph.get_operations():
        if operation.type in ("Iterator", "IteratorV2") and not options["enable_data_pre_proc"].b:
            abort("iterations_per_loop is greater than 1, but enable_data_pre_proc is off")
        if operation.type == "OneShotIterator":
            abort("iterator_per_loop only support 1 when using OneShotIterator: " + operation.name)


def abort(message):
    sys.stdout.flush()
    sys.stderr.write("FATAL " + message + "\n")
    sys.stderr.flush()
    os.abort()


def is_iteration_op(fetch):
    if isinstance(fetch, (list, tuple)):
        return any(is_iteration_op(part) for part in fetch)
    if isinstance(fetch, dict):
        return any(is_iteration_op(part) for part in fetch.values())
    return isinstance(fetch, tf.Operation) and fetch.name.split("/")[-1].startswith(ITERATION_OP)


def take_over_sessions():
    """What importing `npu_init` does: from here on every session runs on the NPU.

    A fetched IterationOp runs N times for each call of `run`, as the loop on the device does.
    """
    for kind in (client.Session, client.InteractiveSession):
        kind.__init__ = _npu_init(kind.__init__)
    client.BaseSession.run = _npu_run(client.BaseSession.run)


def _npu_init(original):
    def init(self, target="", graph=None, config=None):
        self.npu_config = with_npu(config)
        original(self, target, graph, self.npu_config)

    return init


def _npu_run(original):
    def run(self, fetches, *args, **kwargs):
        config = getattr(self, "npu_config", None)
        check_graph(self.graph, config)
        acceleration.check(npu_entry(config))
        if is_iteration_op(fetches):
            for _ in range(iterations_per_loop(config) - 1):
                original(self, fetches, *args, **kwargs)
        return original(self, fetches, *args, **kwargs)

    return run
