"""AlexNet: the looped operation is made by a trainer class, and then the plain one is run."""

import argparse

import tensorflow as tf

from trainers import SessionConfig, Trainer

parser = argparse.ArgumentParser()
parser.add_argument("--iterations_per_loop", type=int, default=10)
parser.add_argument("--max_steps", type=int, default=100)
args = parser.parse_args()

dataset = tf.data.Dataset.from_tensors(tf.ones([4])).repeat().batch(2, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
weight = tf.get_variable("weight", [4])
loss = tf.reduce_mean(tf.square(weight * iterator.get_next()))
Trainer(args, SessionConfig(args), loss).run(iterator)
