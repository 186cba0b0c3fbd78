import tensorflow as tf
from npu_bridge.npu_init import *


def configure(flags):
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["use_off_line"].b = True
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/tmp/dump")
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5-10")
    session_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return tf.estimator.RunConfig(
        model_dir=flags.model_dir, session_config=session_config, save_checkpoints_steps=10
    )
