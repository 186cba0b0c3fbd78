"""YOLOv4: a trainer class whose session comes from a method; all is as it should be."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


class YoloTrain(object):
    def __init__(self):
        self.images = tf.placeholder(tf.float32, [4, 8, 8, 3])
        self.step = tf.train.get_or_create_global_step()
        net = tf.layers.conv2d(self.images, 4, 3)
        self.loss = tf.reduce_mean(tf.square(net))
        manager = ExponentialUpdateLossScaleManager(
            init_loss_scale=2**10, incr_every_n_steps=100, decr_every_n_nan_or_inf=2, decr_ratio=0.5
        )
        optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(1e-3), manager)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            self.train_op = optimizer.minimize(self.loss, global_step=self.step)
        self.sess = tf.Session(config=self.session_config())

    @staticmethod
    def session_config():
        config = tf.ConfigProto(allow_soft_placement=True)
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
        custom_op.parameter_map["modify_mixlist"].s = tf.compat.as_bytes("ops_info.json")
        config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
        config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
        return config

    def train(self):
        self.sess.run(tf.global_variables_initializer())
        for _ in range(4):
            self.sess.run(self.train_op, feed_dict={self.images: np.ones([4, 8, 8, 3])})
        self.sess.close()


if __name__ == "__main__":
    YoloTrain().train()
