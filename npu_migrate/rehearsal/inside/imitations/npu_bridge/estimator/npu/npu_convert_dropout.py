"""Importing the real module gives Keras the device's dropout, which computes the same."""
