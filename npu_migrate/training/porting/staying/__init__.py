"""What is meant to stay where it is.

`test_code` knows tests, `hidden_gpus` the programs that hide all GPUs from themselves, `cpu_configs` the
configs that say there are none. `sessions` asks them about a session.
"""
