"""xDeepFM with Rec SDK: the modified graph is initialized by what Rec SDK has made."""

import sklearn
import tensorflow as tf
from mx_rec.graph.modifier import modify_graph_and_start_emb_cache
from mx_rec.util.initialize import ConfigInitializer, init, terminate_config_initializer
from npu_bridge.npu_init import *


def initializer(training):
    return ConfigInitializer.get_instance().train_params_config.get_initializer(training)


init(max_steps=10, train_steps=10, eval_steps=-1, use_dynamic=True)
dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
iterator = dataset.make_initializable_iterator()
loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 1)))
train_op = tf.train.AdamOptimizer().minimize(loss)
modify_graph_and_start_emb_cache(dump_graph=True)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
with tf.Session(config=config) as sess:
    sess.run(initializer(True))
    sess.run(tf.global_variables_initializer())
    for _ in range(10):
        sess.run(train_op)
terminate_config_initializer()
print(sklearn.__version__)
