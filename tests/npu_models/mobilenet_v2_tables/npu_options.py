import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig

SWITCHES = {"use_off_line": True, "enable_data_pre_proc": True, "mix_compile_mode": False}
NUMBERS = {"graph_run_mode": 1, "op_execute_timeout": 1800}
TEXTS = {"precision_mode": "allow_mix_precision", "op_compiler_cache_mode": "enable"}


def session_config():
    config = tf.ConfigProto(allow_soft_placement=True)
    entry = config.graph_options.rewrite_options.custom_optimizers.add()
    entry.name = "NpuOptimizer"
    for key, value in SWITCHES.items():
        entry.parameter_map[key].b = value
    for key, value in NUMBERS.items():
        entry.parameter_map[key].i = value
    for key, value in TEXTS.items():
        entry.parameter_map[key].s = tf.compat.as_bytes(value)
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return config
