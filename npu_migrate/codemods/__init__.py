"""The fixes as LibCST codemods, for teams who run LibCST codemods already.

``python -m libcst.tool codemod -x --no-format npu_migrate.codemods.Migrate PATH`` makes of each file what
``npu-migrate --write`` makes of it alone. For each rule that has a fix there is a command that is called by
its code, such as ``npu_migrate.codemods.NPU101``.
"""

from __future__ import annotations

from npu_migrate.codemods.commands import Migrate, command_of
from npu_migrate.rules import ALL_RULES

BY_CODE = {rule.code: command_of(rule) for rule in ALL_RULES if rule.fix != "manual"}
"""The command of each rule that has a fix. They are names of this module too, since LibCST looks there."""

__all__ = ["BY_CODE", "Migrate", *BY_CODE]

globals().update(BY_CODE)
