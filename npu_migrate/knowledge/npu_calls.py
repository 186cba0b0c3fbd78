"""The parameters of npu_bridge's functions and Estimators.

Sources: CODE:npu_estimator.py, CODE:npu_init.py, CODE:npu_ops.py.
"""

from __future__ import annotations

ESTIMATOR_PARAMETERS = ("model_fn", "model_dir", "config", "params", "job_start_file", "warm_start_from")
"""Those of ``NPUEstimator``, in order."""

TPU_ARGUMENTS = frozenset(
    {
        "use_tpu",
        "train_batch_size",
        "eval_batch_size",
        "predict_batch_size",
        "batch_axis",
        "eval_on_tpu",
        "export_to_tpu",
        "export_to_cpu",
        "embedding_config_spec",
        "export_saved_model_api_version",
    }
)
"""Arguments of TensorFlow's ``TPUEstimator`` that no other Estimator takes [TF]."""

DROPOUT = "npu_bridge.npu_ops.dropout"
DROPOUT_PARAMETERS = ("x", "keep_prob", "noise_shape", "seed", "name")

APPENDERS = {
    "npu_bridge.npu_hooks_append": "hooks_list",
    "npu_bridge.npu_callbacks_append": "callbacks_list",
}
"""The functions that append to the list they get, with their parameter; what is no list is thrown away."""

ONCE = {
    "npu_bridge.npu_config_proto": "config_proto",
    "npu_bridge.npu_run_config_init": "run_config",
    "npu_bridge.npu_distributed_optimizer_wrapper": "optimizer",
    "npu_bridge.npu_keras_optimizer": "optimizer",
    **APPENDERS,
}
"""The functions that take what they change as their first parameter, and need to do it once."""

SESSIONS_WITHOUT_CONFIG = frozenset(
    {"requests.Session", "requests.sessions.Session", "boto3.Session", "boto3.session.Session"}
)
"""Classes of other libraries that the vendor's converter takes for TensorFlow's ``Session`` (TOOL)."""

NOT_THERE = ("NPURunConfig", "NPUEstimator", "NPUEstimatorSpec")
"""Names that documents write as TensorFlow's, in ``tf.estimator``; TensorFlow has no such names."""

INIT_RESOURCE = "npu_bridge.init_resource"
INITIALIZE_SYSTEM = "npu_bridge.npu_ops.initialize_system"

INIT_OPTIONS: dict[str, object] = {
    "profiling_mode": False,
    "profiling_options": "",
    "enable_dump": False,
    "dump_path": "",
    "dump_step": "",
    "dump_mode": "output",
    "enable_dump_debug": False,
    "dump_debug_mode": "all",
    "precision_mode": "",
    "graph_run_mode": 1,
    "op_debug_level": 0,
    "enable_exception_dump": 2,
    "op_select_implmode": "",
    "optypelist_for_implmode": "",
}
"""The session keys that have to be given where the NPU is started, with their defaults.

Source: API:npu_ops/initialize_system.
"""
