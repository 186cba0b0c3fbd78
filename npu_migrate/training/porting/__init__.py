"""Moving a program from a GPU to the NPU: what of it trains, where that runs, and what puts it on the NPU.

`to_move` says which programs are to be moved, `staying` what is meant to stay where it is. `session_openings`
finds the calls that open a session, `trains` those of them that train, `movable` those of these that have no
entry yet; `estimators` and `keras` do the same for what makes its session itself. `ways` tells what a
program may get to. `programs` says which programs run on the NPU in the end.
`entry_code` writes the NpuOptimizer entry, `config_edits` finds the place for it. `hindrances` knows what
else a program needs before it runs on the NPU as a whole; each of those has a module of its own in
`features`. A program that trains although none of these finds anything is the business of `unrecognized`.
"""
