"""The texts that an editor holds open: their names, their positions, their changes."""
