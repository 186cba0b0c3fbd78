"""An imitation of the Ascend adapter `npu_bridge`: scripts for the NPU run without one.

It keeps the names, signatures and defaults of release r1.15 as far as scripts use them, and the checks that
the real constructors make. What the runtime makes of it all is judged by `npu_rehearsal`.
"""
