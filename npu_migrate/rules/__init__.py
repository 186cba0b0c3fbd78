"""The rule catalogue: one module per rule, named after its code."""

from __future__ import annotations

from npu_migrate.rules import (
    npu101,
    npu102,
    npu103,
    npu104,
    npu105,
    npu106,
    npu501,
    npu502,
    npu503,
    npu504,
    npu505,
    npu506,
    npu507,
    npu511,
    npu512,
    npu901,
    npu902,
    npu903,
    npu904,
    npu905,
)
from npu_migrate.rules.rule import Rule

ALL_RULES: tuple[Rule, ...] = (
    npu101.RULE,
    npu102.RULE,
    npu103.RULE,
    npu104.RULE,
    npu105.RULE,
    npu106.RULE,
    npu501.RULE,
    npu502.RULE,
    npu503.RULE,
    npu504.RULE,
    npu505.RULE,
    npu506.RULE,
    npu507.RULE,
    npu511.RULE,
    npu512.RULE,
    npu901.RULE,
    npu902.RULE,
    npu903.RULE,
    npu904.RULE,
    npu905.RULE,
)
