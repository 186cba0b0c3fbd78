"""DenseNet: the estimator is a base class's, with sub-configurations as objects."""

import tensorflow as tf
from npu_bridge.npu_init import *


class BaseTrainer(object):
    precision = "must_keep_origin_dtype"

    def run_config(self):
        dump = DumpConfig(enable_dump_debug=True, dump_path="/tmp/dump", dump_debug_mode="all")
        memory = MemoryConfig(atomic_clean_policy=1)
        return NPURunConfig(
            model_dir=self.model_dir,
            dump_config=dump,
            memory_config=memory,
            precision_mode=self.precision,
            save_checkpoints_steps=10,
            session_config=tf.ConfigProto(allow_soft_placement=True),
        )

    def estimator(self):
        return NPUEstimator(model_fn=self.model_fn, config=self.run_config())


class DenseNetTrainer(BaseTrainer):
    model_dir = "densenet"
    precision = "allow_mix_precision"

    @staticmethod
    def model_fn(features, labels, mode):
        loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 4)))
        train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
        return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)

    @staticmethod
    def input_fn():
        return tf.data.Dataset.from_tensors(tf.ones([4])).repeat().batch(2, drop_remainder=True)


trainer = DenseNetTrainer()
trainer.estimator().train(trainer.input_fn, max_steps=10)
