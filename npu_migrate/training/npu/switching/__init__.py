"""Putting the entry of the NpuOptimizer into a config that one of npu_bridge's helpers gets.

``npu_config_proto`` and ``npu_run_config_init`` keep an entry that is there already (CODE:npu_init.py), so a
script may set what they leave open. Read `config_sources` first: what the config is made of. `plan` turns
that into edits.
"""
