"""SSD-ResNet34: the configuration asks for what newer and older releases have."""

import argparse

import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import DumpConfig, NPURunConfig, ProfilingConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", default="ssd_model")
parser.add_argument("--dump", action="store_true")
args = parser.parse_args()


def input_fn():
    images = tf.data.Dataset.from_tensors({"image": tf.ones([8, 8, 3]), "boxes": tf.ones([4])})
    return images.repeat().batch(2, drop_remainder=True)


def model_fn(features, labels, mode):
    boxes = tf.layers.dense(tf.layers.flatten(features["image"]), 4)
    loss = tf.losses.huber_loss(features["boxes"], boxes)
    optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


profiling = ProfilingConfig(enable_profiling=True, enable_options=["task_trace"])  # << NPU611
dump = DumpConfig(enable_dump=args.dump, dump_path="/tmp/dump", dump_step="0|5|10", dump_mode="all")
run_config = NPURunConfig(
    model_dir=args.model_dir,
    dump_config=dump,
    profiling_config=profiling,
    auto_tune_mode="RL,GA",  # << NPU611
    kernel_fusion_level=2,  # << NPU611
    save_checkpoints_steps=10,
)
estimator = NPUEstimator(model_fn=model_fn, config=run_config, model_dir=args.model_dir)
estimator.train(input_fn=input_fn, max_steps=10)
