"""Operators of the collective communication."""
