"""DIEN with Rec SDK: the graph is modified for certain, and only the other branch would run the old initializer."""

import tensorflow as tf
from mx_rec.core.asc.manager import start_asc_pipeline
from mx_rec.graph.modifier import modify_graph_and_start_emb_cache
from mx_rec.util.initialize import ConfigInitializer, init
from npu_bridge.npu_init import *

USE_MODIFY_GRAPH = True

init(max_steps=4, train_steps=4, eval_steps=-1, use_dynamic=True)
dataset = tf.data.Dataset.from_tensors(tf.ones([6])).repeat().batch(2, drop_remainder=True)
iterator = dataset.make_initializable_iterator()
loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 2)))
train_op = tf.train.AdamOptimizer().minimize(loss)
if USE_MODIFY_GRAPH:
    modify_graph_and_start_emb_cache(dump_graph=True)
else:
    start_asc_pipeline()

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    if USE_MODIFY_GRAPH:
        sess.run(ConfigInitializer.get_instance().train_params_config.get_initializer(True))
    else:
        sess.run(iterator.initializer)
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(train_op)
