"""`init`, its checks, and what it was told."""

from __future__ import annotations

from typing import Any

from npu_rehearsal.support.rec_sdk import begin
from npu_rehearsal.watching import current

_ONLY: dict[str, ConfigInitializer] = {}


class TrainParamsConfig:
    """Holds the initializers that a modified graph has."""

    def __init__(self) -> None:
        self.initializers: dict[bool, Any] = {}

    def get_initializer(self, is_training: bool) -> Any:
        return self.initializers.get(is_training)


class ConfigInitializer:
    def __init__(self, **kwargs: Any) -> None:
        for name in ("max_steps", "train_steps", "eval_steps", "save_steps"):
            setattr(self, name, kwargs.get(name, -1))
        self.if_load = kwargs.get("if_load", False)
        self.use_dynamic = kwargs.get("use_dynamic", True)
        self.use_dynamic_expansion = kwargs.get("use_dynamic_expansion", False)
        self.train_params_config = TrainParamsConfig()

    @staticmethod
    def get_instance() -> ConfigInitializer:
        if "instance" not in _ONLY:
            raise OSError("init() has not been called")
        return _ONLY["instance"]


def init(**kwargs: Any) -> None:
    if "instance" in _ONLY:
        raise OSError("init() was called twice")
    begin(current.watcher(), kwargs)
    _ONLY["instance"] = ConfigInitializer(**kwargs)


def terminate_config_initializer() -> None:
    ConfigInitializer.get_instance()


def set_if_load(if_load: bool) -> None:
    ConfigInitializer.get_instance().if_load = if_load


def get_initializer(is_training: bool) -> Any:
    return ConfigInitializer.get_instance().train_params_config.get_initializer(is_training)
