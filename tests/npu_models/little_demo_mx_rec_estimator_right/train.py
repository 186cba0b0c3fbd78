"""Rec SDK's Estimator: a hook modifies the graph, another one is read from the beginning of the list."""

import tensorflow as tf
from mx_rec.graph.modifier import GraphModifierHook
from mx_rec.util.initialize import init
from npu_bridge.npu_init import *


class CalcQpsHook(tf.train.SessionRunHook):
    def __init__(self, batch_size):
        self.batch_size = batch_size
        self.runs = 0

    def after_run(self, run_context, run_values):
        self.runs += 1


def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([6])).repeat().batch(4, drop_remainder=True)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 1)))
    train_op = tf.train.AdamOptimizer().minimize(loss, global_step=tf.train.get_global_step())
    return NPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)


init(train_steps=20, save_steps=10, max_steps=20, eval_steps=5)
run_config = NPURunConfig(model_dir="demo", save_checkpoints_steps=10, op_compiler_cache_mode="enable")
est = NPUEstimator(model_fn=model_fn, model_dir="demo", config=run_config)
hooks_list = [GraphModifierHook(modify_graph=True)]
hooks_list.append(CalcQpsHook(4))
est.train(input_fn=input_fn, max_steps=20, hooks=npu_hooks_append(hooks_list))
print(hooks_list[1].runs)
