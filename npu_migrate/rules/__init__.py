"""The rule catalogue: one module per rule."""
