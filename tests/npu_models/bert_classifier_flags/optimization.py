import tensorflow as tf
from npu_bridge.npu_init import *


def create_optimizer(loss, init_lr, use_fp16, distributed):
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(learning_rate=init_lr)
    if use_fp16:
        manager = ExponentialUpdateLossScaleManager(
            init_loss_scale=2**16, incr_every_n_steps=1000, decr_every_n_nan_or_inf=2, decr_ratio=0.5
        )
        optimizer = NPULossScaleOptimizer(optimizer, manager, is_distributed=distributed)
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), clip_norm=1.0)
    return optimizer.apply_gradients(zip(gradients, variables), global_step=step)
