"""Runs training scripts under real TensorFlow: one prepared process per world, one fork per script."""
