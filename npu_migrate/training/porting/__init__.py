"""Moving a program from a GPU to the NPU: what of it trains, where that runs, and what puts it on the NPU.

`programs` says which programs are to be moved, `staying` what is meant to stay where it is. `runners` finds
the calls that open a session or make an Estimator, and `trains` those of them that train. `entries` writes
the NpuOptimizer entry, `config_edits` finds the place for it. `hindrances` knows what else a program needs
before it runs on the NPU as a whole; each of those has a module of its own.
"""
