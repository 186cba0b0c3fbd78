"""The process-wide overflow mode (0 saturation, 1 Inf/NaN), and the life of the device."""

from __future__ import annotations

from typing import Any

_MODE = {"mode": 0}


def set_device_sat_mode(mode: int) -> None:
    if mode not in (0, 1, 2):
        raise ValueError("mode must be 0, 1 or 2")
    _MODE["mode"] = mode


def get_device_sat_mode() -> int:
    return _MODE["mode"]


def is_inf_nan_enabled() -> bool:
    return _MODE["mode"] == 1


def npu_resource_init(*args: Any, **kwargs: Any) -> None:
    pass


def npu_resource_shutdown() -> None:
    pass


def npu_close() -> None:
    pass
