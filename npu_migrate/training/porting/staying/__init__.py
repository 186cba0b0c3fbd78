"""What is meant to stay where it is.

`test_code` knows tests, `hidden_gpus` the programs that hide all GPUs from themselves, `cpu_configs` the
configs that say there are none, `other_devices` the branches that a program takes without the NPU, and
`unread_sessions` the sessions that another one replaces before they are used. `sessions` asks about one.
"""
