import tensorflow as tf
from npu_bridge.npu_init import *


def make_optimizer(loss, variables, name):
    """Adds an optimizer and its update, with the manager of the whole network."""
    optimizer = NPULossScaleOptimizer(tf.train.AdamOptimizer(2e-4, name=name), loss_scale_manager())
    return optimizer.minimize(loss, var_list=variables)


def loss_scale_manager():
    return FixedLossScaleManager(loss_scale=1024)
