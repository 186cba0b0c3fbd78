"""npu_bridge names: what its star import binds and which classes and functions the rules ask for.

Sources: CODE:npu_init.py, CODE:npu_config.py, DOC-PORT.
"""

from __future__ import annotations

from npu_migrate.knowledge import distributed

NPU_INIT = "npu_bridge.npu_init"
"""The module that ported scripts import by star."""

_PACKAGES = frozenset({"npu_bridge", "npu_device"})

STAR_MODULES = frozenset({"npu_bridge.npu_init", "npu_device.compat.v1.npu_init"})

_HOMES = {
    "NPURunConfig": "npu_bridge.estimator.npu.npu_config",
    "ProfilingConfig": "npu_bridge.estimator.npu.npu_config",
    "DumpConfig": "npu_bridge.estimator.npu.npu_config",
    "MemoryConfig": "npu_bridge.estimator.npu.npu_config",
    "DynamicInputConfig": "npu_bridge.estimator.npu.npu_config",
    "ExperimentalConfig": "npu_bridge.estimator.npu.npu_config",
    "NPUEstimator": "npu_bridge.estimator.npu.npu_estimator",
    "NPUEstimatorSpec": "npu_bridge.estimator.npu.npu_estimator",
    "NPUOptimizer": "npu_bridge.estimator.npu.npu_optimizer",
    "NPUDistributedOptimizer": "npu_bridge.estimator.npu.npu_optimizer",
    "KerasDistributeOptimizer": "npu_bridge.estimator.npu.npu_optimizer",
    "npu_distributed_optimizer_wrapper": "npu_bridge.estimator.npu.npu_optimizer",
    "npu_allreduce": "npu_bridge.estimator.npu.npu_optimizer",
    "NPULossScaleOptimizer": "npu_bridge.estimator.npu.npu_loss_scale_optimizer",
    "FixedLossScaleManager": "npu_bridge.estimator.npu.npu_loss_scale_manager",
    "ExponentialUpdateLossScaleManager": "npu_bridge.estimator.npu.npu_loss_scale_manager",
    "TellMeStepOrLossHook": "npu_bridge.estimator.npu.npu_hook",
    "NPUBroadcastGlobalVariablesHook": "npu_bridge.estimator.npu.npu_hook",
    "SetIterationsVarHook": "npu_bridge.estimator.npu.npu_hook",
    "NPUOutputTensorHook": "npu_bridge.estimator.npu.npu_hook",
    "NPUCheckpointSaverHook": "npu_bridge.estimator.npu.npu_hook",
    "npu_config_proto": "npu_bridge.npu_init",
    "npu_run_config_init": "npu_bridge.npu_init",
    "npu_hooks_append": "npu_bridge.npu_init",
    "npu_callbacks_append": "npu_bridge.npu_init",
    "npu_graph_options": "npu_bridge.npu_init",
    "npu_optimizer_options": "npu_bridge.npu_init",
    "set_keras_session_npu_config": "npu_bridge.npu_init",
    "init_resource": "npu_bridge.npu_init",
    "shutdown_resource": "npu_bridge.npu_init",
    "get_npu_rank_id": "npu_bridge.npu_init",
    "get_npu_local_rank_id": "npu_bridge.npu_init",
    "get_npu_rank_size": "npu_bridge.npu_init",
    "get_npu_local_rank_size": "npu_bridge.npu_init",
    "npu_tf_optimizer": "npu_bridge.npu_init",
    "npu_keras_optimizer": "npu_bridge.npu_init",
    "close_session": "npu_bridge.npu_init",
    "npu_clear_session": "npu_bridge.npu_init",
    "model_to_npu_estimator": "npu_bridge.estimator.npu.keras_to_npu",
    "keras_to_npu": "npu_bridge.estimator.npu.keras_to_npu",
    "npu_ops": "npu_bridge.estimator.npu_ops",
    "npu_plugin": "npu_bridge.estimator.npu.npu_plugin",
    "npu_unary_ops": "npu_bridge.estimator.npu_unary_ops",
    "npu_scope": "npu_bridge.estimator.npu.npu_scope",
    "util": "npu_bridge.estimator.npu.util",
}

_NOT_EXPORTED = frozenset({"ExperimentalConfig"})

STAR_EXPORTS = (frozenset(_HOMES) - _NOT_EXPORTED) | frozenset(distributed.HCCL_NAMES)
"""What ``from npu_bridge.npu_init import *`` binds; `ExperimentalConfig` is not among it (facts 4.2)."""


def is_adapter(module: str) -> bool:
    """Whether a module is one of the packages that move TensorFlow to the NPU."""
    return module.partition(".")[0] in _PACKAGES


def exports(module: str, name: str) -> bool:
    """Whether a star import from npu_bridge binds `name`: of ``npu_init``, or of the module that makes it."""
    return name in STAR_EXPORTS if module in STAR_MODULES else _HOMES.get(name) == module


_AS_DOCUMENTED = frozenset(
    f"tensorflow.estimator.{name}" for name in ("NPURunConfig", "NPUEstimator", "NPUEstimatorSpec")
)
"""How several vendor samples write npu_bridge's classes: TensorFlow has no such names (DOC-PORT)."""


def canonical(name: str) -> str:
    """One spelling for each npu_bridge symbol: ``npu_bridge.NPURunConfig`` wherever it was imported from."""
    if name in _AS_DOCUMENTED:
        return f"npu_bridge.{name.rpartition('.')[2]}"
    if not name.startswith(("npu_bridge.", "npu_device.compat.v1.")):
        return name
    parts = name.split(".")
    if ".".join(parts[:-1]) in STAR_MODULES and parts[-1] in distributed.HCCL_NAMES:
        return f"{distributed.HCCL}.{parts[-1]}"
    for index, part in enumerate(parts):
        if part in _HOMES and index > 0:
            rest = parts[index:]
            return ".".join(("npu_bridge", *rest))
    return name


RUN_CONFIG = "npu_bridge.NPURunConfig"
CONFIG_PROTO_HELPER = "npu_bridge.npu_config_proto"
RUN_CONFIG_HELPER = "npu_bridge.npu_run_config_init"
NPU_ESTIMATOR = "npu_bridge.NPUEstimator"
KERAS_SESSIONS = frozenset({"npu_bridge.set_keras_session_npu_config", "npu_bridge.npu_clear_session"})
"""What opens a session with a config and makes it Keras's (CODE:npu_init.py)."""
OPTIMIZER_NAME = "NpuOptimizer"
"""The name of the custom optimizer entry that the NPU reads its options from (CODE:npu_attrs.cc)."""

ITERATIONS_PER_LOOP = "iterations_per_loop"
DATA_PRE_PROC = "enable_data_pre_proc"
MIX_COMPILE_MODE = "mix_compile_mode"

SET_ITERATIONS = "npu_bridge.util.set_iteration_per_loop"
CREATE_ITERATIONS = "npu_bridge.util.IterationPerLoop.create_iteration_per_loop_var"
LOAD_ITERATIONS = "npu_bridge.util.IterationPerLoop.load_iteration_per_loop_var"
ITERATIONS_HOOK = "npu_bridge.SetIterationsVarHook"
ITERATION_OP = "IterationOp"
"""The name of the operation that the device repeats (CODE:util.py)."""
KERAS_ESTIMATORS = frozenset(
    {"npu_bridge.model_to_npu_estimator", "npu_bridge.keras_to_npu.model_to_npu_estimator"}
)
