"""`init`, its checks, and the steps it has to agree about with an Estimator."""

import inspect

import tensorflow as tf

LARGEST = 2147483647
SMALLEST = {
    "max_steps": -1,
    "train_steps": -1,
    "eval_steps": -1,
    "save_steps": -1,
    "save_checkpoint_due_time": 1,
    "save_delta_checkpoints_secs": 1,
    "restore_model_version": 0,
    "recent_key_count_threshold": 0,
}
SWITCHES = ("if_load", "use_dynamic", "use_dynamic_expansion", "bind_cpu", "is_incremental_checkpoint")
STEPS = ("max_steps", "train_steps", "eval_steps")


class ConfigInitializer:
    _single_instance = None

    def __init__(self, **kwargs):
        check(kwargs)
        for name in ("max_steps", "train_steps", "eval_steps", "save_steps"):
            setattr(self, name, kwargs.get(name, -1))
        self.if_load = kwargs.get("if_load", False)
        self.use_dynamic_expansion = kwargs.get("use_dynamic_expansion", False)

    @staticmethod
    def get_instance():
        if ConfigInitializer._single_instance is None:
            raise OSError("init() has not been called")
        return ConfigInitializer._single_instance


def check(kwargs):
    """The checks of the real one: of what is passed only, and of no other names."""
    for name, smallest in SMALLEST.items():
        value = kwargs.get(name, smallest)
        if not isinstance(value, int):
            raise ValueError(f"{name} must be an int")
        if not smallest <= value <= LARGEST:
            raise ValueError(f"{name} must be in [{smallest}, {LARGEST}]")
    for name in SWITCHES:
        if not isinstance(kwargs.get(name, True), bool):
            raise ValueError(f"{name} must be a bool")
    passed = [kwargs[name] for name in STEPS if name in kwargs]
    if passed and not any(passed):
        raise ValueError("at least one of max_steps, train_steps and eval_steps must differ from 0")


def init(**kwargs):
    if ConfigInitializer._single_instance is not None:
        raise OSError("init() was called twice")
    ConfigInitializer._single_instance = ConfigInitializer(**kwargs)
    watch_estimators()


def terminate_config_initializer():
    ConfigInitializer.get_instance()


def watch_estimators():
    """From here on, an Estimator that takes other steps than `init` was told is refused."""
    estimator = tf.estimator.Estimator
    estimator.train = _agreeing(estimator.train, "max_steps", "max_steps")
    estimator.evaluate = _agreeing(estimator.evaluate, "steps", "eval_steps")


def _agreeing(original, keyword, name):
    signature = inspect.signature(original)

    def method(self, *args, **kwargs):
        told = ConfigInitializer.get_instance()
        taken = signature.bind(self, *args, **kwargs).arguments
        expect(name, getattr(told, name), taken.get(keyword))
        expect("save_steps", told.save_steps, self.config.save_checkpoints_steps)
        if name == "eval_steps":
            expect("train_steps", told.train_steps, told.save_steps)
        return original(self, *args, **kwargs)

    return method


def expect(name, told, taken):
    if told != taken:
        raise RuntimeError(f"{name}: init was told {told}, the training takes {taken}")
