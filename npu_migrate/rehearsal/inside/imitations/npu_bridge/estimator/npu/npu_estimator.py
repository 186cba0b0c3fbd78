"""`NPUEstimator`: the Estimator whose train op loops on the device."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import tensorflow as tf
from npu_rehearsal.judging import loops
from npu_rehearsal.support.looping import ITERATION_OP
from npu_rehearsal.watching import current

from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_hook import SetIterationsVarHook


class NPUEstimatorSpec(tf.compat.v1.estimator.EstimatorSpec):
    """The real one takes `host_call` as well, for logging from the device."""

    def __new__(cls, *args: Any, host_call: Any = None, **kwargs: Any) -> Any:
        return super().__new__(cls, *args, **kwargs)


class NPUEstimator(tf.compat.v1.estimator.Estimator):
    def __init__(
        self,
        model_fn: Any = None,
        model_dir: Any = None,
        config: Any = None,
        params: Any = None,
        job_start_file: str = "",
        warm_start_from: Any = None,
    ) -> None:
        if not isinstance(config, NPURunConfig):
            raise ValueError("`config` must be provided with type NPURunConfig")
        if model_dir and config.model_dir and model_dir != config.model_dir:
            raise ValueError("model_dir differs between NPURunConfig and NPUEstimator")
        super().__init__(
            model_fn=_looped(model_fn, config.iterations_per_loop),
            model_dir=model_dir,
            config=config,
            params=params,
            warm_start_from=warm_start_from,
        )
        steps_to_hooks = super()._convert_train_steps_to_hooks
        self._convert_train_steps_to_hooks = _with_loop(steps_to_hooks, config)
        self.train = _with_end(super().train)


def _with_end(train: Any) -> Any:
    """`train`, which subclasses of Estimator must not override. What is set for it ends with it."""

    @functools.wraps(train)
    def with_end(*args: Any, **kwargs: Any) -> Any:
        try:
            return train(*args, **kwargs)
        finally:
            watcher = current.watcher()
            watcher.settings_place = watcher.seconds_place = None

    return with_end


def _with_loop(steps_to_hooks: Any, config: Any) -> Any:
    """A part of `train`, which subclasses of Estimator must not override."""

    def with_loop(steps: Any, max_steps: Any) -> Any:
        watcher = current.watcher()
        watcher.settings_place = config._npu_place
        watcher.seconds_place = config._npu_place if config.npu_options.get("save_checkpoints_secs") else None
        watcher.tell_all(loops.judge_settings(config.npu_options, config._npu_place))
        # It initializes the communication itself, before any code of the model runs.
        watcher.communicates = True
        hooks = [*steps_to_hooks(steps, max_steps)]
        if config.iterations_per_loop > 1:
            hooks.append(SetIterationsVarHook(config.iterations_per_loop))
        return hooks

    return with_loop


def _looped(model_fn: Any, iterations: int) -> Any:
    """The same model function, with its train op grouped as the loop on the device expects it."""
    wanted = inspect.signature(model_fn).parameters
    takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in wanted.values())

    def npu_model_fn(features: Any, labels: Any, mode: Any, params: Any, config: Any) -> Any:
        given = {"labels": labels, "mode": mode, "params": params, "config": config}
        kept = {key: value for key, value in given.items() if takes_all or key in wanted}
        if "labels" not in kept and labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        spec = model_fn(features, **kept)
        if mode == tf.estimator.ModeKeys.TRAIN and iterations > 1:
            return spec._replace(train_op=tf.group(spec.train_op, name=ITERATION_OP))
        return spec

    return npu_model_fn
