import tensorflow as tf
from npu_bridge.npu_init import *


def get_session(config=None):
    """Opens a session on the NPU; the caller closes it."""
    config = tf.ConfigProto(allow_soft_placement=True) if config is None else config
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return tf.Session(config=config)
