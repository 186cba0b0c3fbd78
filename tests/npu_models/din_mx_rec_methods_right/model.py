import tensorflow as tf
from mx_rec.graph.modifier import modify_graph_and_start_emb_cache
from mx_rec.util.initialize import ConfigInitializer


class RunMode(object):
    def __init__(self, iterator, loss, is_modified):
        self.iterator = iterator
        self.loss = loss
        self.is_modified = is_modified
        self.train_op = tf.train.AdamOptimizer().minimize(loss)

    def prepare(self):
        modify_graph_and_start_emb_cache(dump_graph=False)

    def train(self, config, steps):
        self.prepare()
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            session.run(ConfigInitializer.get_instance().train_params_config.get_initializer(True))
            for _ in range(steps):
                session.run(self.train_op)
