"""A3C: a network to train and one to act, each in a graph and a session of its own; silent."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *


def npu_session(graph, inference=False):
    config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    if inference:
        custom_op.parameter_map["graph_run_mode"].i = 0
        custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("force_fp16")
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return tf.Session(graph=graph, config=config)


def build():
    states = tf.placeholder(tf.float32, [1, 3], name="states")
    value = tf.reduce_sum(tf.layers.dense(states, 1), name="value")
    return states, value


learner, actor = tf.Graph(), tf.Graph()
with learner.as_default():
    states, value = build()
    update = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(value))
    start = tf.global_variables_initializer()
with actor.as_default():
    actor_states, actor_value = build()
    actor_start = tf.global_variables_initializer()

with npu_session(learner) as train_sess, npu_session(actor, inference=True) as act_sess:
    train_sess.run(start)
    act_sess.run(actor_start)
    for _ in range(3):
        act_sess.run(actor_value, {actor_states: np.ones([1, 3])})
        train_sess.run(update, {states: np.ones([1, 3])})
