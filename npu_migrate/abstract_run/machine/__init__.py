"""Python, executed abstractly on facts: values, frames, statements, calls, and forks where nothing decides.

Knows no library. Read `values` and `run` first; `expressions`, `statements` and `calling` need each other and
meet at the doors of a `Run`.
"""
