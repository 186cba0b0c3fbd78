"""DeepFM: a dump, in mixed computing."""

import tensorflow as tf
from npu_bridge.npu_init import *

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_integer("field_size", 6, "number of fields")
tf.flags.DEFINE_string("model_dir", "deepfm", "checkpoints")


def input_fn():
    features = {"ids": tf.zeros([FLAGS.field_size], tf.int32), "values": tf.ones([FLAGS.field_size])}
    return tf.data.Dataset.from_tensors((features, 1.0)).repeat().batch(8, drop_remainder=True)


def model_fn(features, labels, mode):
    table = tf.get_variable("table", [20, 4])
    embedded = tf.nn.embedding_lookup(table, features["ids"]) * tf.expand_dims(features["values"], -1)
    logits = tf.layers.dense(tf.reduce_sum(embedded, axis=1), 1)
    loss = tf.losses.sigmoid_cross_entropy(tf.reshape(labels, [-1, 1]), logits)
    train_op = tf.train.AdamOptimizer(1e-3).minimize(loss, global_step=tf.train.get_global_step())
    return NPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)


def main(_):
    config = NPURunConfig(
        model_dir=FLAGS.model_dir,
        save_checkpoints_steps=20,
        dump_config=DumpConfig(enable_dump=True, dump_path="/tmp/dump"),
        mix_compile_mode=True,
    )
    NPUEstimator(model_fn=model_fn, config=config).train(input_fn, max_steps=20)


if __name__ == "__main__":
    tf.app.run()
