"""Optimizers of several devices, for a process that is alone."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from npu_rehearsal.graphs.marks import mark_collective
from npu_rehearsal.watching import current

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


def _shared(pairs: Any) -> Any:
    """Gradients with their variables, which are known as what all ranks make together."""
    return [(mark_collective(gradient), variable) for gradient, variable in pairs]


class NPUDistributedOptimizer(_Wrapped):
    def __init__(self, optimizer: Any, is_weight_update_sharding: bool = False, name: Any = None) -> None:
        super().__init__(optimizer, name)
        self._npu_distributed = True
        current.watcher().distributes()

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return _shared(super().compute_gradients(*args, **kwargs))


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
    current.watcher().distributes()
    if isinstance(optimizer, tf.compat.v1.train.Optimizer):
        computed = optimizer.compute_gradients

        def compute_gradients(*args: Any, **kwargs: Any) -> Any:
            return _shared(computed(*args, **kwargs))

        optimizer._npu_distributed = True
        optimizer.compute_gradients = compute_gradients
    return tf.keras.optimizers.get(optimizer) if isinstance(optimizer, str) else optimizer


def npu_allreduce(
    values: Any,
    reduction: str = "mean",
    fusion: int = 1,
    fusion_id: int = -1,
    group: str = "hccl_world_group",
) -> Any:
    if isinstance(values, (list, tuple)):
        return [mark_collective(tf.identity(value)) for value in values]
    return mark_collective(tf.identity(values))
