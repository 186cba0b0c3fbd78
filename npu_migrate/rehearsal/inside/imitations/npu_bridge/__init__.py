"""A stand-in for the Ascend adapter `npu_bridge`, so that scripts ported to the NPU run without one.

It keeps the names, signatures and defaults of release r1.15 as far as the fixtures use them, and enforces
what the real adapter checks at run time. A fatal check ends the process as it does there: a line on standard
error, then SIGABRT.
"""
