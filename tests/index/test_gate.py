import pytest

from npu_migrate.index.gate import ROLES_BESIDE, mentions_ours, plays_role, reads_graphs

OPENS = """
NPU101 it = ds.make_one_shot_iterator()
NPU101 it = gen_dataset_ops.one_shot_iterator(dataset_factory=f)
NPU101 it = tf.raw_ops.OneShotIterator(dataset_factory=f)
NPU101 it = getattr(ds, "make_one_shot_iterator")()
NPU102 it = tf.compat.v1.data.make_initializable_iterator(ds)
NPU103 tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, op)
NPU103 tf.add_to_collection('table_initializer', op)
NPU104 custom_op.name = "NpuOptimizer"
NPU104 config = npu_config_proto()
NPU105 custom_op.parameter_map["enable_data_pre_proc"].b = False
NPU201 config = NPURunConfig(iterations_per_loop=0)
NPU201 config = Config(iteration_per_loop=10)
NPU202 estimator = NPUEstimator(model_fn)
NPU203 config = NPURunConfig(save_checkpoints_steps=7)
NPU206 train_op = util.set_iteration_per_loop(sess, train_op, 10)
NPU207 loop = util.IterationPerLoop()
NPU301 custom_op.parameter_map["experimental_accelerate_train_mode"].s = b"fast|step"
NPU305 hooks = [TellMeStepOrLossHook(step="global_step:0", total_step=10)]
NPU307 e = ExperimentalConfig()
NPU309 e = npu_config.ExperimentalConfig()
NPU404 npu_plugin.set_device_sat_mode(0)
NPU501 from mx_rec.util.initialize import init
NPU507 from mx_rec.optimizers import lazy_adam
NPU510 import mx_rec.util as mxrec_util
NPUxxx from npu_bridge.npu_init import *
NPUxxx from npu_device.compat.v1.npu_init import *
NPUxxx optimizer = NPUDistributedOptimizer(optimizer)
"""

STAYS_SHUT = (
    b"",
    b"with tf.control_dependencies([op]):\n    ds = ds.batch(4)\n",
    b"INPUT = input_unit\n",
    b"op = tf.tables_initializer()\n",
    b"iterator = iter(dataset)\n",
    b"optimizer = tf.train.experimental.MixedPrecisionLossScaleOptimizer(optimizer, 'dynamic')\n",
)

ROLES = (
    b"trainer = importlib.import_module(name)",
    b"trainer = __import__(name)",
    b"with tf.Session() as sess: pass",
    b"sv = tf.train.Supervisor()",
    b"slim.learning.train(op)",
    b"scaffold = tf.train.Scaffold()",
    b"sess.run(op)",
    b"tf.global_variables_initializer()",
    b"def input_fn(): pass",
    b"x = iterator.get_next()",
    b"sess.run(it.initializer)",
    b"tf.compat.v1.enable_eager_execution()",
    b"dataset = dataset.padded_batch(4)",
)

NO_ROLES = (
    b"",
    b"import numpy as np\nx = np.zeros(3)\n",
    b"x = tf.layers.dense(x, 3, kernel_initializer=init)\n",
    b"x, y = mnist.next_batch(32)\n",
)


@pytest.mark.parametrize("line", OPENS.strip().splitlines())
def test_a_name_of_the_rule_opens_the_gate(line: str) -> None:
    assert mentions_ours(line[7:].encode())


@pytest.mark.parametrize("data", STAYS_SHUT)
def test_common_names_do_not_open_the_gate(data: bytes) -> None:
    assert not mentions_ours(data)


@pytest.mark.parametrize("data", ROLES)
def test_roles_are_seen(data: bytes) -> None:
    assert plays_role(data)


@pytest.mark.parametrize("data", NO_ROLES)
def test_files_without_a_role(data: bytes) -> None:
    assert not plays_role(data)


BESIDE = (
    (b"from npu_bridge.npu_init import *", b"flags.DEFINE_integer('steps', 10, '')"),
    (b"from npu_bridge.npu_init import *", b"print(FLAGS.steps)"),
    (b"from npu_bridge.npu_init import *", b"parser.add_argument('--steps')"),
    (b"from npu_bridge.npu_init import *", b"config = tf.ConfigProto()"),
    (b"from npu_bridge.npu_init import *", b"start(eval_steps=10)"),
    (b"from npu_bridge.npu_init import *", b"options['save_steps'] = 100"),
    (b"from npu_bridge.npu_init import *", b"start(use_dynamic=False)"),
    (b"from npu_bridge.npu_init import *", b"optimizer = make.create_hash_optimizer(0.1)"),
    (b"from npu_bridge.npu_init import *", b"table = make.create_table(dim=8)"),
    (b"from npu_bridge.npu_init import *", b"run_config = tf.estimator.RunConfig()"),
    (b"from npu_bridge.npu_init import *", b"hook = tf.train.LoggingTensorHook({})"),
    (b"from npu_bridge.npu_init import *", b"manager = FixedLossScaleManager(1.0)"),
    (b"from npu_bridge.npu_init import *", b"manager = ExponentialUpdateLossScaleManager(1024, 100)"),
    (b"optimizer = NPULossScaleOptimizer(adam, manager)", b"with tf.control_dependencies([op]):\n    pass\n"),
    (b'custom_op.name = "NpuOptimizer"', b"names = tf.train.string_input_producer(files)\n"),
    (b"op = util.set_iteration_per_loop(sess, op, 10)", b"op = optimizer.minimize(loss)\n"),
    (b"iterator = dataset.make_one_shot_iterator()", b"state.SESSION.run(op)\n"),
    (b"from npu_bridge.npu_init import *", b"step = state.current.run\n"),
)


@pytest.mark.parametrize(("reason", "role"), BESIDE)
def test_some_roles_are_played_beside_a_reason_only(reason: bytes, role: bytes) -> None:
    assert mentions_ours(reason) and not plays_role(role)
    assert any(beside.is_reason(reason) and beside.plays_role(role) for beside in ROLES_BESIDE)
    assert not any(beside.is_reason(role) for beside in ROLES_BESIDE)


def test_names_are_seen_in_any_ascii_based_encoding() -> None:
    text = "# café\nit = ds.make_one_shot_iterator()\n"
    assert all(mentions_ours(text.encode(encoding)) for encoding in ("utf-8", "utf-8-sig", "latin-1"))


def test_the_end_of_input_is_no_name_of_the_npu() -> None:
    data = b"INPUT_SHAPE = (4, 4)\niterator = dataset.make_one_shot_iterator()\n"
    assert mentions_ours(data)
    of_the_npu = [beside for beside in ROLES_BESIDE if b"one_shot_iterator" not in beside.reasons]
    assert not any(beside.is_reason(data) for beside in of_the_npu)


@pytest.mark.parametrize(
    "line",
    [
        b"saver = tf.train.import_meta_graph('model.meta')",
        b"meta_graph.import_scoped_meta_graph(path)",
        b"definition = meta_graph.read_meta_graph_file(path)",
        b"tf.import_graph_def(definition, name='')",
        b"freeze_graph.freeze_graph(input_graph=path)",
        b"tf.saved_model.loader.load(sess, ['serve'], folder)",
        b"tf.saved_model.load(sess, ['serve'], folder)",
        b"from tensorflow.python.saved_model.loader_impl import SavedModelLoader",
        b"predict = predictor.from_saved_model(folder)",
    ],
)
def test_what_reads_graphs(line: bytes) -> None:
    assert reads_graphs(line)


@pytest.mark.parametrize(
    "line",
    [
        b"tf.train.export_meta_graph('model.meta')",
        b"definition = graph.as_graph_def()",
        b"builder.add_meta_graph_and_variables(sess, ['serve'])",
        b"tf.saved_model.simple_save(sess, folder, {}, {})",
        b"loader = data_loader.load(folder)",
    ],
)
def test_what_only_writes_them(line: bytes) -> None:
    assert not reads_graphs(line)
