"""The Python processes that a script starts."""
