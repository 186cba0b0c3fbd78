"""Training acceleration: the checks of the mode, and of what the hook tells the runtime."""

import os

import tensorflow as tf

KEY = "experimental_accelerate_train_mode"
RATIOS = {"step": (0.2, 0.9), "loss": (1.01, 1.5)}
VARIABLES = {"step": ("STEP_NOW", "TOTAL_STEP"), "loss": ("LOSS_NOW", "TARGET_LOSS")}
PRECISIONS = {
    "precision_mode": ("", "allow_fp32_to_fp16", "must_keep_origin_dtype"),
    "precision_mode_v2": ("", "origin"),
}


def check(entry):
    """What the runtime checks before it runs a graph; `entry` is the session's NpuOptimizer entry or None."""
    mode = option(entry, KEY)
    if not mode:
        return
    trigger = check_mode(mode)
    for key, allowed in PRECISIONS.items():
        if option(entry, key) not in allowed:
            refuse(f"{key} = {option(entry, key)} cannot be used with {KEY}")
    for name in VARIABLES[trigger]:
        try:
            float(os.environ[name])
        except (KeyError, ValueError):
            refuse(f"environment variable {name} is not a number")


def check_mode(mode):
    fields = mode.split("|")
    if len(fields) not in (2, 3) or fields[0] not in ("fast", "fast1") or fields[1] not in RATIOS:
        refuse(f"{KEY} = {mode} is malformed")
    if len(fields) == 3 and fields[2]:
        low, high = RATIOS[fields[1]]
        try:
            ratio = float(fields[2])
        except ValueError:
            refuse(f"{KEY} = {mode} has no ratio")
        if fields[2].strip() != fields[2] or not low <= ratio <= high:
            refuse(f"{KEY} = {mode} is out of range")
    return fields[1]


class TotalCheck(tf.train.SessionRunHook):
    """Stricter than the runtime, which cannot know: the hook must have told the steps that are trained."""

    def __init__(self, entry, max_steps):
        self.mode = option(entry, KEY)
        self.max_steps = max_steps

    def before_run(self, run_context):
        told = os.environ.get("TOTAL_STEP")
        if self.mode and self.mode.split("|")[1] == "step" and self.max_steps not in (None, float(told)):
            refuse(f"TOTAL_STEP = {told} but {self.max_steps} steps were asked for")


def option(entry, key):
    if entry is None or key not in entry.parameter_map:
        return ""
    return tf.compat.as_str(entry.parameter_map[key].s)


def refuse(message):
    raise tf.errors.InvalidArgumentError(None, None, message)
