"""Review of a change: what it is, and which findings belong to it."""
