"""TensorFlow 1.15 names: one canonical spelling for each, and the sets the rules ask for [TF].

The canonical spelling of a symbol is its public 1.x path (``tensorflow.train.Supervisor``), whatever
module a script imports it from.
"""

from __future__ import annotations

_PREFIXES = (
    ("tensorflow.compat.v1.", "tensorflow."),
    ("tensorflow._api.v1.", "tensorflow."),
    ("tensorflow_core.", "tensorflow."),
    ("tensorflow.python.data.ops.dataset_ops.", "tensorflow.data."),
    ("tensorflow.python.data.ops.iterator_ops.", "tensorflow.data."),
    ("tensorflow.python.framework.ops.", "tensorflow."),
    ("tensorflow.python.client.session.", "tensorflow."),
    ("tensorflow.python.ops.variables.", "tensorflow."),
    ("tensorflow.python.ops.lookup_ops.", "tensorflow."),
    ("tensorflow.python.ops.control_flow_ops.", "tensorflow."),
    ("tensorflow.python.training.monitored_session.", "tensorflow.train."),
    ("tensorflow.python.training.supervisor.", "tensorflow.train."),
    ("tensorflow.python.training.experimental.loss_scale.", "tensorflow.train.experimental."),
    ("tensorflow.python.training.experimental.loss_scale_optimizer.", "tensorflow.train.experimental."),
    ("tensorflow.python.training.experimental.mixed_precision.", "tensorflow.train.experimental."),
    ("tensorflow.contrib.mixed_precision.python.loss_scale_manager.", "tensorflow.contrib.mixed_precision."),
    (
        "tensorflow.contrib.mixed_precision.python.loss_scale_optimizer.",
        "tensorflow.contrib.mixed_precision.",
    ),
    ("tensorflow.python.training.training.", "tensorflow.train."),
    ("tensorflow.python.training.session_manager.", "tensorflow.train."),
    ("tensorflow.python.training.basic_session_run_hooks.", "tensorflow.train."),
    ("tensorflow.python.estimator.estimator.", "tensorflow.estimator."),
    ("tensorflow.python.estimator.run_config.", "tensorflow.estimator."),
    ("tensorflow.python.estimator.training.", "tensorflow.estimator."),
    ("tensorflow.contrib.estimator.", "tensorflow.estimator."),
    ("tensorflow_estimator.python.estimator.estimator.", "tensorflow.estimator."),
    ("tensorflow_estimator.python.estimator.estimator_lib.", "tensorflow.estimator."),
    ("tensorflow.python.ops.gen_dataset_ops.", "tensorflow.raw_ops."),
    ("tensorflow.python.framework.test_util.", "tensorflow.test."),
    ("tensorflow.python.platform.test.", "tensorflow.test."),
    ("tensorflow.contrib.slim.python.slim.", "tensorflow.contrib.slim."),
    ("tensorflow.contrib.training.python.training.evaluation.", "tensorflow.contrib.training."),
    ("tensorflow.contrib.training.python.training.training.", "tensorflow.contrib.training."),
    ("tf_slim.", "tensorflow.contrib.slim."),
)

_WHOLE = {
    "tensorflow.compat.v1": "tensorflow",
    "tensorflow_core": "tensorflow",
    "tf_slim": "tensorflow.contrib.slim",
    "tensorflow.contrib.slim.python.slim": "tensorflow.contrib.slim",
    "tensorflow.python.data.ops.dataset_ops": "tensorflow.data",
    "tensorflow.python.framework.ops": "tensorflow",
    "tensorflow.raw_ops.one_shot_iterator": "tensorflow.raw_ops.OneShotIterator",
    "tensorflow.initialize_all_tables": "tensorflow.tables_initializer",
    "tensorflow.initialize_all_variables": "tensorflow.global_variables_initializer",
    "tensorflow.initialize_local_variables": "tensorflow.local_variables_initializer",
    "tensorflow.initializers.global_variables": "tensorflow.global_variables_initializer",
    "tensorflow.initializers.local_variables": "tensorflow.local_variables_initializer",
    "tensorflow.initializers.tables_initializer": "tensorflow.tables_initializer",
    "tensorflow.initializers.variables": "tensorflow.variables_initializer",
    "tensorflow.graph_util.Graph": "tensorflow.Graph",
    "tensorflow.test.TensorFlowTestCase": "tensorflow.test.TestCase",
}


_BEGINNINGS = tuple(prefix for prefix, _ in _PREFIXES)


def canonical(name: str) -> str:
    """The canonical spelling of a dotted TensorFlow name; any other name comes back as it is."""
    if not name.startswith(("tensorflow", "tf_slim")):
        return name
    whole = _WHOLE.get(name)
    if whole is not None:
        return whole
    if not name.startswith(_BEGINNINGS):
        return name
    for prefix, public in _PREFIXES:
        if name.startswith(prefix):
            return canonical(public + name[len(prefix) :])
    return name


ONE_SHOT_FUNCTION = "tensorflow.data.make_one_shot_iterator"
INITIALIZABLE_FUNCTION = "tensorflow.data.make_initializable_iterator"
ONE_SHOT_RAW_OP = "tensorflow.raw_ops.OneShotIterator"
ONE_SHOT_METHOD = "make_one_shot_iterator"
INITIALIZABLE_METHOD = "make_initializable_iterator"

DATASET_MODULES = ("tensorflow.data.", "tensorflow.contrib.data.", "tensorflow_datasets.")
"""Where datasets and iterators come from."""

CONFIG_PROTO = "tensorflow.ConfigProto"
RAW_SESSIONS = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession"})
SESSION_GETTERS = frozenset(
    {"tensorflow.keras.backend.get_session", "tensorflow.train.SessionManager.prepare_session"}
)
"""Calls that return a raw session made elsewhere."""

MONITORED_SESSIONS = frozenset(
    {
        "tensorflow.train.MonitoredTrainingSession",
        "tensorflow.train.MonitoredSession",
        "tensorflow.train.SingularMonitoredSession",
    }
)
SUPERVISOR = "tensorflow.train.Supervisor"
SCAFFOLD = "tensorflow.train.Scaffold"
MANAGED_LOOPS = frozenset(
    {
        "tensorflow.contrib.slim.learning.train",
        "tensorflow.contrib.slim.evaluation.evaluate_once",
        "tensorflow.contrib.slim.evaluation.evaluation_loop",
        "tensorflow.contrib.training.train",
        "tensorflow.contrib.training.evaluate_once",
        "tensorflow.contrib.training.evaluate_repeatedly",
    }
)
APP_RUNS = frozenset({"tensorflow.app.run", "absl.app.run"})
"""What calls the script's ``main`` by its name [TF]."""
TEST_SESSION_METHODS = frozenset({"session", "test_session", "cached_session"})
TEST_CASE = "tensorflow.test.TestCase"

VARIABLE_INITIALIZERS = frozenset(
    {
        "tensorflow.global_variables_initializer",
        "tensorflow.local_variables_initializer",
        "tensorflow.variables_initializer",
        "tensorflow.tables_initializer",
    }
)
TABLES_INITIALIZER = "tensorflow.tables_initializer"
NO_OP = "tensorflow.no_op"
INITIALIZING_ATTRIBUTES = frozenset({"initializer", "init_op", "local_init_op"})
"""Attributes of variables, iterators, Scaffolds and Supervisors that are initializers."""
TABLES_COLLECTION = "tensorflow.GraphKeys.TABLE_INITIALIZERS"
TABLES_COLLECTION_KEY = "table_initializer"
"""The value of that constant."""
PLACEHOLDERS = frozenset({"tensorflow.placeholder", "tensorflow.sparse_placeholder"})
RUNNING_OPTIMIZERS = (
    "tensorflow.contrib.opt.ScipyOptimizerInterface",
    "tensorflow.contrib.opt.ExternalOptimizerInterface",
    "tensorflow.contrib.opt.python.training.external_optimizer.",
)
"""Optimizers that make no op: their ``minimize(session)`` runs the loss and its gradients by itself.

Source: tensorflow 1.15, contrib/opt/python/training/external_optimizer.py.
"""

RUNNING_IN_THREADS = (
    "tensorflow.train.LooperThread",
    "tensorflow.python.training.coordinator.LooperThread",
    "tensorflow.train.Supervisor.loop",
    "tensorflow.train.Supervisor.Loop",
)
"""What calls a function again and again in a thread, with the arguments that it is given.

Source: tensorflow 1.15, python/training/coordinator.py and supervisor.py.
"""

OPTIMIZING = frozenset({"minimize", "apply_gradients", "create_train_op", "optimize_loss"})
"""Calls that make a train op."""

RESTORING = frozenset(
    {
        "tensorflow.train.Saver.restore",
        "tensorflow.train.import_meta_graph.restore",  # what it returns is a Saver
        "tensorflow.saved_model.load",
        "tensorflow.saved_model.loader.load",
    }
)
"""What fills the variables of the session that it gets with those of a checkpoint or a model."""
EXPORTING = frozenset({"convert_variables_to_constants", "SavedModelBuilder", "simple_save", "freeze_graph"})
"""What writes a model that is used elsewhere, by the last word of its name."""
GROUPS = frozenset({"tensorflow.group", "tensorflow.tuple"})
"""Functions that make one op of several, all of which it runs."""

EAGER_SWITCHES = frozenset(
    {
        "tensorflow.enable_eager_execution",
        "tensorflow.enable_v2_behavior",
        "tensorflow.contrib.eager.enable_eager_execution",
    }
)

CONTROL_DEPENDENCIES = "tensorflow.control_dependencies"
CONTROL_DEPENDENCIES_METHOD = "control_dependencies"
INIT_SCOPE = "tensorflow.init_scope"
NEW_GRAPH_DECORATORS = frozenset(
    {
        "tensorflow.function",
        "tensorflow.contrib.eager.defun",
        "tensorflow.contrib.eager.function",
        "tensorflow.python.framework.function.Defun",
    }
)
"""A function with one of these builds a graph of its own, without the control dependencies of its caller."""
CALLS_AT_ONCE = frozenset({"tensorflow.cond", "tensorflow.while_loop", "tensorflow.map_fn"})
"""Functions that call the functions they get, under the same control dependencies."""

ESTIMATOR_SPECS = frozenset({"tensorflow.estimator.TrainSpec", "tensorflow.estimator.EvalSpec"})
ESTIMATOR_METHODS = frozenset({"train", "evaluate", "predict", "fit"})

ARRAY_INPUT_FUNCTIONS = (".numpy_input_fn", ".pandas_input_fn")
"""How the functions end that make an input function of arrays, which feeds a queue."""

ONLY_IN_V1 = frozenset(
    {
        "Session",
        "InteractiveSession",
        "ConfigProto",
        "placeholder",
        "get_variable",
        "variable_scope",
        "global_variables_initializer",
        "local_variables_initializer",
        "tables_initializer",
        "get_collection",
        "add_to_collection",
        "app.run",
        "assign",
        "assign_add",
        "train.get_global_step",
        "train.get_or_create_global_step",
        "train.GradientDescentOptimizer",
        "train.AdamOptimizer",
        "train.MonitoredTrainingSession",
        "train.Scaffold",
        "train.Supervisor",
        "train.Saver",
        "losses.mean_squared_error",
        "logging.set_verbosity",
    }
)
"""Names directly below ``tensorflow`` that only the 1.x API has: who calls them runs under 1.x."""
