"""How a program chooses among GPUs, or says that it uses none.

Sources: the fields of ``ConfigProto`` in TensorFlow 1.15 [TF]; DOC-PORT.
"""

from __future__ import annotations

VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"
"""The environment variable."""
HIDING_ALL = frozenset({"", "-1"})
"""The values with which a script hides all GPUs from itself: it means to run on the CPU."""
SET_VISIBLE = frozenset(
    {
        "tensorflow.config.set_visible_devices",
        "tensorflow.config.experimental.set_visible_devices",
        "tensorflow.python.framework.config.set_visible_devices",
    }
)
"""The functions that choose among the devices of a kind; none, if they get an empty list [TF]."""

DEVICE_COUNT = "device_count"
"""The field of a config that says how many devices of a kind there are."""
GPU = "GPU"
"""This kind of devices in it."""
