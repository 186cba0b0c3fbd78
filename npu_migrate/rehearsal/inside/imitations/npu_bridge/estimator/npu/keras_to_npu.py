"""A Keras model becomes an Estimator."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from npu_bridge.estimator.npu.npu_estimator import NPUEstimator


def model_to_npu_estimator(
    keras_model: Any = None,
    keras_model_path: Any = None,
    custom_objects: Any = None,
    model_dir: Any = None,
    checkpoint_format: str = "saver",
    config: Any = None,
    job_start_file: str = "",
) -> Any:
    """Its model function is the one that TensorFlow makes of the Keras model."""
    made = tf.compat.v1.keras.estimator.model_to_estimator(
        keras_model=keras_model,
        keras_model_path=keras_model_path,
        custom_objects=custom_objects,
        model_dir=model_dir,
        checkpoint_format=checkpoint_format,
    )
    return NPUEstimator(made._model_fn, model_dir=made.model_dir, config=config)
