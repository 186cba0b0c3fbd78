"""Training on the NPU: session configs and `NPURunConfig`, iteration offload, training acceleration, hooks.

`configs` finds what is configured and the values that reach it, `config_reach` the sessions and
Estimators that a config reaches, `trainings` who trains what. `device_loop` is the loop in the graph that
repeats the train op N times, `host_loop` the Python loop around a call, with the question whether its
count was divided by N. `options` has everything else that a config may ask for.
"""
