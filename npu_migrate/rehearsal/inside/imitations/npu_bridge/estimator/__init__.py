"""Estimators of the adapter, and its operators."""
