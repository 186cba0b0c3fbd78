import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


class Agent(object):
    def __init__(self, actions):
        self.state = tf.placeholder(tf.float32, [None, 4])
        self.target = tf.placeholder(tf.float32, [None, actions])
        self.q = tf.layers.dense(self.state, actions)
        self.loss = tf.losses.mean_squared_error(self.target, self.q)
        self.update = tf.train.RMSPropOptimizer(1e-3).minimize(self.loss)
        config = tf.ConfigProto()
        entry = config.graph_options.rewrite_options.custom_optimizers.add()
        entry.name = "NpuOptimizer"
        entry.parameter_map["jit_compile"].s = tf.compat.as_bytes("true")
        config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
        self.session = tf.Session(config=config)
        self.session.run(tf.global_variables_initializer())

    def act(self, state):
        return int(np.argmax(self.session.run(self.q, {self.state: [state]})))

    def learn(self, states, targets):
        return self.session.run([self.loss, self.update], {self.state: states, self.target: targets})[0]

    def close(self):
        self.session.close()
