"""Incremental checkpoints without their times."""

import tensorflow as tf
from mx_rec.util.initialize import init, terminate_config_initializer
from npu_bridge.npu_init import *

try:
    init(max_steps=3, is_incremental_checkpoint=True)  # << NPU505
except ValueError:
    print("refused")
