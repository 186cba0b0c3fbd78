"""The ranks of a training."""
