"""What one run of a session holds together: variables that are assigned, iterators that are initialized.

The NPU's runtime leaves a run that initializes an iterator to the host as a whole. Variables that are
assigned in it are 0 on the device, without a message
(CODE:`tf_adapter/optimizers/om_partition_subgraphs_pass.cc`,
FAQ:variable_preprocess_init_subgraph_error_fix).

`initial_zeros` tells which variables are 0 anyway, `op_parts` what an op or a list of ops holds,
`executions` where a program has ops run together, and `joined` which of those mix the two. Where the parts
go is planned in the room `placement`.
"""
