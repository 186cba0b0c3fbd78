"""The script: as what it runs, in which TensorFlow, and what its imports find."""
