"""DIN with Rec SDK: the graph is modified, and the iterator that it had is initialized."""

import tensorflow as tf
from mx_rec.graph.modifier import modify_graph_and_start_emb_cache
from mx_rec.util.initialize import init, terminate_config_initializer
from npu_bridge.npu_init import *
from sklearn.metrics import roc_auc_score  # << NPU514


def make_config():
    config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["mix_compile_mode"].b = False
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    return config


def main():
    init(max_steps=20, train_steps=20, eval_steps=-1, use_dynamic=True, use_dynamic_expansion=False)
    dataset = tf.data.Dataset.from_tensors(tf.ones([8])).repeat().batch(4, drop_remainder=True)
    iterator = dataset.make_initializable_iterator()
    loss = tf.reduce_mean(tf.square(tf.layers.dense(iterator.get_next(), 1)))
    train_op = tf.train.AdamOptimizer().minimize(loss)
    modify_graph_and_start_emb_cache(dump_graph=True)
    with tf.Session(config=make_config()) as sess:
        sess.run(iterator.initializer)  # << NPU513
        sess.run(tf.global_variables_initializer())
        for _ in range(20):
            sess.run(train_op)
    terminate_config_initializer()
    print(roc_auc_score([0, 1], [0.1, 0.9]))


if __name__ == "__main__":
    main()
