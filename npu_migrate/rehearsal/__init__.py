"""The rehearsal: a script runs on a CPU, and each of its session runs is judged as the NPU's runtime would.

What runs inside the user's Python is in the folder ``inside/``, which is started by its path and imports
nothing of this package. The other modules start it and read what it saw.
"""
