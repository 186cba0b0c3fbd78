"""npu-migrate: static migrator and analyzer for TensorFlow 1.15 scripts on Ascend NPUs."""

__version__ = "0.1.0"
