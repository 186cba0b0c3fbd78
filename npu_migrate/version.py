"""The version of npu-migrate, which reports, caches and the language server name."""

__version__ = "0.1.0"
