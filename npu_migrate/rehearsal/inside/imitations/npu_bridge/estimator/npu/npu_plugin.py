"""The process-wide overflow mode: 0 saturation, 1 Inf/NaN."""

_MODE = {"mode": 0}


def set_device_sat_mode(mode):
    if mode not in (0, 1, 2):
        raise ValueError("mode must be 0, 1 or 2")
    _MODE["mode"] = mode


def is_inf_nan_enabled():
    return _MODE["mode"] == 1
