"""Operators of the device's own CPU."""
