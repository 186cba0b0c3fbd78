"""One file's Python, read once with ``ast`` and kept as small picklable facts."""
