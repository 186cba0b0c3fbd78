"""The rule catalogue: one module per rule, named after its code."""

from __future__ import annotations

from npu_migrate.rules import npu101
from npu_migrate.rules.rule import Rule

ALL_RULES: tuple[Rule, ...] = (npu101.RULE,)
