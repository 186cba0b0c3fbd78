"""The pipeline of keys in front of the tables."""
