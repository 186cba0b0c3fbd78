"""Optimizers of tables, computed by those of TensorFlow."""
