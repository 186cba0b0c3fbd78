"""Assembled scripts as they were written for GPUs: moved to the NPU by one run of `--port`."""
