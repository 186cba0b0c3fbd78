"""What is read from ``tf.data``, and how: from what a session runs back to the dataset.

`session_fetches` tells what is run in which session and what is fed, `estimator_inputs` which input functions
an Estimator gets, `read_data` what all this is made from. `transformations` are the calls that make one
dataset of another, `resource_uses` the tables and variables that their functions use. `variable_changes`
asks whether a session that reads may train; `named_train_ops` are what a session runs of a graph that nobody
builds in sight.
"""
