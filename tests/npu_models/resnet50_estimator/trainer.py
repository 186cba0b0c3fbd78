import tensorflow as tf
from npu_bridge.npu_init import *


def input_fn():
    images = tf.random.uniform([64, 8, 8, 3], seed=1)
    labels = tf.zeros([64], tf.int32)
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    return dataset.shuffle(64, seed=2).repeat().batch(16, drop_remainder=True)


def model_fn(features, labels, mode, params):
    net = tf.layers.conv2d(features, 4, 3, activation=tf.nn.relu)
    logits = tf.layers.dense(tf.reduce_mean(net, axis=[1, 2]), params["num_classes"])
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.train.MomentumOptimizer(params["learning_rate"], 0.9)
    optimizer = NPULossScaleOptimizer(optimizer, FixedLossScaleManager(loss_scale=512))
    train_op = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    return NPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)


def build(flags):
    run_config = NPURunConfig(
        model_dir=flags.model_dir,
        keep_checkpoint_max=5,
        save_summary_steps=0,
        save_checkpoints_steps=20,
        enable_data_pre_proc=True,
        iterations_per_loop=10,
        precision_mode="allow_mix_precision",
        hcom_parallel=True,
    )
    params = {"num_classes": 10, "learning_rate": flags.learning_rate}
    return NPUEstimator(model_fn=model_fn, config=run_config, params=params)
