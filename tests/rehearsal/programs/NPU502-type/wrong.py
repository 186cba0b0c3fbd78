"""A text for a number."""

import tensorflow as tf
from mx_rec.util.initialize import init, terminate_config_initializer
from npu_bridge.npu_init import *

try:
    init(max_steps="3")  # << NPU502
except ValueError:
    print("refused")
