"""Loss scaling: npu_bridge's classes and those of TensorFlow that they stand for.

Sources: SEED-LS, DOC-MIXP, DOC-FIX, DOC-LSO, CODE:npu_loss_scale_manager.py, TF.
"""

from __future__ import annotations

EXPONENTIAL = "npu_bridge.ExponentialUpdateLossScaleManager"
FIXED = "npu_bridge.FixedLossScaleManager"
OPTIMIZER = "npu_bridge.NPULossScaleOptimizer"
COMBINED_OPTIMIZER = "npu_bridge.NPUOptimizer"

CONTRIB_EXPONENTIAL = "tensorflow.contrib.mixed_precision.ExponentialUpdateLossScaleManager"
CONTRIB_FIXED = "tensorflow.contrib.mixed_precision.FixedLossScaleManager"
CONTRIB_OPTIMIZER = "tensorflow.contrib.mixed_precision.LossScaleOptimizer"
DYNAMIC_SCALE = "tensorflow.train.experimental.DynamicLossScale"
FIXED_SCALE = "tensorflow.train.experimental.FixedLossScale"
SCALE_OPTIMIZER = "tensorflow.train.experimental.MixedPrecisionLossScaleOptimizer"
GRAPH_REWRITE = "tensorflow.train.experimental.enable_mixed_precision_graph_rewrite"

TENSORFLOW_NAMES = (
    CONTRIB_EXPONENTIAL,
    CONTRIB_FIXED,
    CONTRIB_OPTIMIZER,
    DYNAMIC_SCALE,
    FIXED_SCALE,
    SCALE_OPTIMIZER,
    GRAPH_REWRITE,
)
"""What TensorFlow 1.15 has for loss scaling, beside Keras."""

EXPONENTIAL_PARAMETERS = (
    "init_loss_scale",
    "incr_every_n_steps",
    "decr_every_n_nan_or_inf",
    "incr_ratio",
    "decr_ratio",
)
FIXED_PARAMETERS = ("loss_scale", "enable_overflow_check")
OPTIMIZER_PARAMETERS = ("opt", "loss_scale_manager", "is_distributed")
COMBINED_OPTIMIZER_PARAMETERS = (
    "opt",
    "loss_scale_manager",
    "is_distributed",
    "is_loss_scale",
    "is_tailing_optimization",
    "name",
)
"""The parameters of the constructors, in order."""

EXPONENTIAL_REQUIRED = ("init_loss_scale", "incr_every_n_steps")
FIXED_REQUIRED = ("loss_scale",)
OPTIMIZER_REQUIRED = ("opt", "loss_scale_manager")

OVERFLOW_TESTS = frozenset(
    f"tensorflow.{module}{name}"
    for module in ("", "math.", "debugging.")
    for name in ("is_finite", "is_inf", "is_nan")
)
"""TensorFlow's own tests, which see no overflow that the NPU saturates (OPS:tf_finite_manual_port)."""

SET_SATURATION = "npu_bridge.npu_plugin.set_device_sat_mode"
SATURATION_MODE = 0
"""The argument of `SET_SATURATION` that means saturation; 1 means Inf/NaN (CODE:npu_plugin.py)."""

PRODUCTS_WITH_INF_NAN = {"a2": "Atlas A2", "a3": "Atlas A3"}
"""The product families, as the settings name them, whose default is the Inf/NaN mode (SEED-LS)."""

SATURATING_PRODUCT = "training"
"""The product family that only has the saturation mode (SEED-LS)."""
