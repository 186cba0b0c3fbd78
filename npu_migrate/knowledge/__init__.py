"""What TensorFlow, npu_bridge and Rec SDK say: tables of names, with their sources.

Start with `npu.py`: what npu_bridge is called and what its star import binds. `tensorflow.py` has the one
spelling by which every other module names a symbol of TensorFlow; `rec.py` is the same for Rec SDK. The rest
are single matters, each read only beside its rules: `session_keys.py` and `run_config.py` (NPU1xx, NPU2xx and
the rehearsal), `acceleration.py` (NPU3xx), `loss_scale.py` (NPU4xx), `resources.py` (NPU108 and NPU109),
`randomness.py` (NPU101), `session_configs.py` and `gpu_choice.py` (NPU7xx).

A fact stands here once, as a row with the label of its source (docs/sources.md). Nothing here looks at a
program: which name a program means is asked in `semantics/`.
"""
