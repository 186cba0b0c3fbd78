"""A trainer class that makes the configuration of its Estimator from options without effect."""

import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig


class Trainer(object):
    def __init__(self, use_amp, save_steps):
        self.use_amp = use_amp
        config = NPURunConfig(
            model_dir="worker",
            save_checkpoints_steps=save_steps,
            session_config=self._init_npu_session_config(),
            enable_data_pre_proc=True,
            iterations_per_loop=1,
            graph_memory_max_size="26843545600",  # << NPU609
        )
        self.estimator = NPUEstimator(model_fn=self.model_fn, config=config)

    def _init_npu_session_config(self):
        sess_config = tf.ConfigProto()
        sess_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
        custom_op = sess_config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        if self.use_amp:
            custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
        custom_op.parameter_map["use_off_line"].b = True
        custom_op.parameter_map["min_group_size"].b = 20  # << NPU609
        return sess_config

    def model_fn(self, features, labels, mode):
        loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 2)))
        train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    def input_fn(self):
        return tf.data.Dataset.from_tensors(tf.ones([4])).repeat().batch(2, drop_remainder=True)

    def train(self):
        self.estimator.train(input_fn=self.input_fn, max_steps=4)


Trainer(use_amp=True, save_steps=10).train()
