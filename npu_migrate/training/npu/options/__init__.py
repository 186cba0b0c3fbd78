"""What a program asks of the NPU, option by option, however it is written.

`written_pairs` says which key and value a write into a parameter map stands for, `configurations` which
options a session config, an ``NPURunConfig`` or one of its companions sets, and `paths` which of them are
set on one path. `conflicts` judges options together, `misuse` finds what protobuf refuses. The other modules
know what belongs to a config without being an option of it: `rewriter`, `soft_placement`, `initialization`,
`closing`, and `tailing`, which NPUOptimizer has to agree with.
"""
