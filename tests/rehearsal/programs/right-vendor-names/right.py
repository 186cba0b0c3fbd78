"""Names of the adapter and of Rec SDK that ported scripts use."""

import tensorflow as tf
from npu_bridge.estimator import npu_aicore_ops
from npu_bridge.estimator.npu.npu_common import NPUBasics
from npu_bridge.estimator.npu.npu_dynamic_rnn import DynamicGRUV2, DynamicRNN
from npu_bridge.estimator.npu.npu_saver import NPUSaver
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops
from npu_bridge.npu_init import *

import npu_bridge.estimator.npu.npu_convert_dropout  # isort: skip
from mx_rec.constants.constants import ASCEND_TIMESTAMP
from mx_rec.core.feature_process import EvictHook
from mx_rec.graph import LookupSubgraphSlicerHook, OrphanLookupKeySlicerHook, do_merge_lookup
from mx_rec.util.communication.hccl_ops import get_rank_size as rec_rank_size
from mx_rec.util.variable import get_dense_and_sparse_variable

assert util.get_ranksize() == "1" and rec_rank_size() == 1 and NPUBasics("job.json").size() == 1
util.check_bool_type(True, "flag")
rec_hooks = [EvictHook(evict_enable=True, evict_time_interval=120), OrphanLookupKeySlicerHook()]
rec_hooks.append(LookupSubgraphSlicerHook(op_types=["StringToNumber"]))
do_merge_lookup(is_train=True)
assert ASCEND_TIMESTAMP and all(isinstance(hook, tf.train.SessionRunHook) for hook in rec_hooks)
util.create_or_get_var("loop_cond")

data = tf.data.Dataset.from_tensor_slices(tf.ones([3, 2, 4])).batch(3, drop_remainder=True).repeat()
iterator = tf.compat.v1.data.make_initializable_iterator(data)
x = iterator.get_next()
outputs = DynamicRNN(hidden_size=8, dtype=tf.float32, forget_bias=1.0)(x, seq_length=None)
both = DynamicRNN(hidden_size=8, dtype=tf.float32, direction="BIDIRECTIONAL")(x)
gated = DynamicGRUV2(hidden_size=8, dtype=tf.float32)(x)
assert (len(outputs), len(both), len(gated)) == (8, 8, 6)
assert both[0].shape.as_list() == [2, 3, 2, 8]
hidden = npu_unary_ops.gelu(outputs[0]) + npu_aicore_ops.fast_gelu(gated[0]) + tf.reduce_sum(both[0], 0)
normed = npu_aicore_ops.layer_norm(hidden, tf.ones([8]), tf.zeros([8]), -1, -1)[0]
loss = tf.reduce_mean(tf.square(npu_ops.dropout(normed, 0.5) - 1.0))
optimizer = tf.train.GradientDescentOptimizer(0.1)
pairs = optimizer.compute_gradients(loss)
scaled = [(npu_ops.LARSV2(variable, gradient, 1e-4, 0.1), variable) for gradient, variable in pairs]
train_op = optimizer.apply_gradients(scaled)
with tf.control_dependencies([train_op]):
    logged = npu_ops.outfeed_enqueue_op(channel_name="log", inputs=[loss])
taken = npu_ops.outfeed_dequeue_op(channel_name="log", output_types=[tf.float32], output_shapes=[()])
stop = npu_ops.stop_outfeed_dequeue_op("log")
sums = [
    hccl_ops.reduce(loss, "sum", 0),
    hccl_ops.allgather(tf.reshape(loss, [1]), 1, fusion=2, fusion_id=1),
    hccl_ops.reduce_scatter(tf.ones([2]), "sum", 1, fusion=2, fusion_id=2),
    hccl_ops.all_to_all_v(tf.ones([2]), [2], [0], [2], [0]),
    hccl_ops.receive([2], tf.float32, 0, 0),
]
sent = hccl_ops.send(loss, 0, 0)
saver = NPUSaver()
dense, sparse = get_dense_and_sparse_variable()
assert len(dense) == len(pairs) and not sparse

with tf.Session() as sess:
    sess.run(npu_ops.NPUInit())
    sess.run(util.variable_initializer_in_host(tf.global_variables()))
    sess.run(tf.local_variables_initializer())
    sess.run(iterator.initializer)
    with profiler.Profiler(level="L1"), scoped_graph_manager.ScopedGraphManager():
        for _ in range(2):
            sess.run(logged)
    sess.run(taken)
    sess.run([*sums, sent])
    sess.run(stop)
    sess.run(npu_ops.NPUShutdown())
