"""How gradients are divided."""
