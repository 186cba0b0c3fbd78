"""Smaller than -1."""

import tensorflow as tf
from mx_rec.util.initialize import init, terminate_config_initializer
from npu_bridge.npu_init import *

try:
    init(max_steps=-2)  # << NPU503
except ValueError:
    print("refused")
