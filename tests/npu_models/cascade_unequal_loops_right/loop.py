from npu_bridge.estimator.npu.util import set_iteration_per_loop

ITERATIONS = 10


def looped(sess, train_op):
    return set_iteration_per_loop(sess, train_op, ITERATIONS)
