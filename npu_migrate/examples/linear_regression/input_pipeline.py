"""The training data: noisy points on a line."""

import numpy as np
import tensorflow as tf


def training_batches(batch_size):
    """Tensors with the next batch of points: x and y."""
    random = np.random.RandomState(1)
    x = random.uniform(-1.0, 1.0, 512).astype(np.float32)
    noise = random.normal(0.0, 0.05, 512).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((x, 3.0 * x + 0.5 + noise))
    dataset = dataset.shuffle(512, seed=2).repeat().batch(batch_size)
    iterator = dataset.make_one_shot_iterator()
    return iterator.get_next()
