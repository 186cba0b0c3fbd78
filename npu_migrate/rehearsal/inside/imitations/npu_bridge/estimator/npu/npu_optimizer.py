"""Optimizers of several devices, for a process that is alone."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer


class _Wrapped(tf.compat.v1.train.Optimizer):
    """Computes and applies gradients as the optimizer that it wraps."""

    def __init__(self, optimizer: Any, name: Any = None) -> None:
        super().__init__(use_locking=False, name=name or type(self).__name__)
        self._optimizer = optimizer

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.apply_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.variables(*args, **kwargs)


class NPUDistributedOptimizer(_Wrapped):
    def __init__(self, optimizer: Any, is_weight_update_sharding: bool = False, name: Any = None) -> None:
        super().__init__(optimizer, name)
        self._npu_distributed = True


class NPUOptimizer(_Wrapped):
    def __init__(
        self,
        opt: Any,
        loss_scale_manager: Any = None,
        is_distributed: bool = False,
        is_loss_scale: bool = False,
        is_tailing_optimization: bool = False,
        name: Any = None,
    ) -> None:
        if is_loss_scale and loss_scale_manager is None:
            raise ValueError("is_loss_scale is True, but loss_scale_manager is None")
        super().__init__(
            NPULossScaleOptimizer(opt, loss_scale_manager, is_distributed) if is_loss_scale else opt, name
        )


def KerasDistributeOptimizer(optimizer: Any, name: str = "NpuKerasOptimizer") -> Any:
    return optimizer


def npu_distributed_optimizer_wrapper(optimizer: Any) -> Any:
    """Changes nothing on one device, but what it is known as."""
    if isinstance(optimizer, tf.compat.v1.train.Optimizer):
        optimizer._npu_distributed = True
    return tf.keras.optimizers.get(optimizer) if isinstance(optimizer, str) else optimizer


def npu_allreduce(
    values: Any,
    reduction: str = "mean",
    fusion: int = 1,
    fusion_id: int = -1,
    group: str = "hccl_world_group",
) -> Any:
    if isinstance(values, (list, tuple)):
        return [tf.identity(value) for value in values]
    return tf.identity(values)
