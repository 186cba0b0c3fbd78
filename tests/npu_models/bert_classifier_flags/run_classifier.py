"""BERT's classifier: everything is a flag; all combinations of the defaults are right."""

import tensorflow as tf
from npu_bridge.npu_init import *

import optimization

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("output_dir", "bert_out", "where to write checkpoints")
flags.DEFINE_bool("do_train", True, "whether to train")
flags.DEFINE_bool("use_fp16", True, "mixed precision with loss scaling")
flags.DEFINE_float("learning_rate", 5e-5, "initial learning rate")
flags.DEFINE_integer("save_checkpoints_steps", 100, "how often to save")
flags.DEFINE_integer("iterations_per_loop", 10, "steps in one session run")
flags.DEFINE_integer("num_train_steps", 200, "all steps")


def model_fn(features, labels, mode):
    table = tf.get_variable("embeddings", [32, 8])
    output = tf.reduce_mean(tf.nn.embedding_lookup(table, features), axis=1)
    logits = tf.layers.dense(output, 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = optimization.create_optimizer(loss, FLAGS.learning_rate, FLAGS.use_fp16, False)
    return NPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)


def input_fn():
    dataset = tf.data.Dataset.from_tensors((tf.zeros([16], tf.int32), 1))
    return dataset.repeat().shuffle(100).batch(8, drop_remainder=True)


def main(_):
    run_config = NPURunConfig(  # << NPU104
        model_dir=FLAGS.output_dir,
        save_summary_steps=0,
        session_config=tf.ConfigProto(allow_soft_placement=True),
        save_checkpoints_steps=FLAGS.save_checkpoints_steps,
        iterations_per_loop=FLAGS.iterations_per_loop,
        precision_mode="allow_mix_precision" if FLAGS.use_fp16 else "must_keep_origin_dtype",
    )
    estimator = NPUEstimator(model_fn=model_fn, config=run_config)
    if FLAGS.do_train:
        estimator.train(input_fn=input_fn, max_steps=FLAGS.num_train_steps)


if __name__ == "__main__":
    tf.app.run()
