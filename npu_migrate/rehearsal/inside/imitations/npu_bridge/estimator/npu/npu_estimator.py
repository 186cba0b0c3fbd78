"""`NPUEstimator`: the Estimator whose train op loops on the device."""

import inspect

import tensorflow as tf

from npu_bridge import acceleration, device, offload


class NPUEstimatorSpec(tf.estimator.EstimatorSpec):
    pass


class NPUEstimator(tf.estimator.Estimator):
    def __init__(self, model_fn=None, model_dir=None, config=None, params=None, job_start_file=""):
        if model_dir and config.model_dir and model_dir != config.model_dir:
            raise ValueError("model_dir differs between NPURunConfig and NPUEstimator")
        super().__init__(
            model_fn=looped(model_fn, config.iterations_per_loop),
            model_dir=model_dir,
            config=config,
            params=params,
        )
        convert = self._convert_train_steps_to_hooks
        self._convert_train_steps_to_hooks = checked(convert, config.session_config)


def checked(steps_to_hooks, session_config):
    """A part of `train`, which subclasses of Estimator must not override, with the checks of the steps."""

    def checked_steps_to_hooks(steps, max_steps):
        offload.check_steps(session_config, steps, max_steps)
        entry = device.npu_entry(session_config)
        return [*steps_to_hooks(steps, max_steps), acceleration.TotalCheck(entry, max_steps)]

    return checked_steps_to_hooks


def looped(model_fn, iterations):
    """The same model function, with its train op grouped as the loop on the device expects it."""
    wanted = inspect.signature(model_fn).parameters

    def npu_model_fn(features, labels, mode, params, config):
        given = {"labels": labels, "mode": mode, "params": params, "config": config}
        spec = model_fn(features, **{key: value for key, value in given.items() if key in wanted})
        if mode == tf.estimator.ModeKeys.TRAIN and iterations > 1:
            return spec._replace(train_op=tf.group(spec.train_op, name=device.ITERATION_OP))
        return spec

    return npu_model_fn
