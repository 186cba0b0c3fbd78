"""LibCST's commands around the fixes: what they are told, and what they give back."""

from __future__ import annotations

import argparse
from dataclasses import replace

import libcst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from npu_migrate.api import fix_text
from npu_migrate.findings import Applicability
from npu_migrate.index.gate import mentions_ours, plays_role
from npu_migrate.rules.rule import Rule
from npu_migrate.settings import Settings, SettingsError
from npu_migrate.sources.discovery import PathError


class Migrate(CodemodCommand):
    """Applies the fixes of all rules to one file.

    The settings of the file's project count, and the files around it explain it. `unsafe_fixes` applies the
    unsafe fixes too. A file that LibCST itself would change is skipped, with a message: so nothing but the
    fixes is ever written.
    """

    DESCRIPTION = "Migrate a TensorFlow 1.15 training script for Ascend NPUs: the safe fixes of all rules."
    SELECTED: tuple[str, ...] = ()
    """The codes whose fixes are applied; none stands for those that the settings select."""

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The options of the command."""
        arg_parser.add_argument("--unsafe-fixes", action="store_true", help="Apply unsafe fixes too.")

    def __init__(self, context: CodemodContext, unsafe_fixes: bool = False) -> None:
        super().__init__(context)
        self._applicability = Applicability.UNSAFE if unsafe_fixes else None

    def transform_module_impl(self, tree: libcst.Module) -> libcst.Module:
        """The module with the fixes applied. Raises `SkipFile` for one that cannot be treated."""
        data = tree.bytes
        if not (mentions_ours(data) or plays_role(data)):
            return tree
        try:
            fixed = fix_text(tree.code, self.context.filename, None, self._applicability, self._only_selected)
        except (PathError, SettingsError) as error:
            raise SkipFile(str(error)) from None
        if fixed == tree.code:
            return tree
        migrated = libcst.parse_module(fixed, config=tree.config_for_parsing)
        if migrated.code != fixed:
            raise SkipFile("LibCST does not give this file back as it is; use npu-migrate --write")
        return migrated.with_changes(encoding=tree.encoding)

    def _only_selected(self, settings: Settings) -> Settings:
        return replace(settings, select=self.SELECTED, ignore=()) if self.SELECTED else settings


def command_of(rule: Rule) -> type[CodemodCommand]:
    """The command that applies the fixes of one rule."""
    members = {
        "__doc__": rule.summary,
        "DESCRIPTION": f"{rule.summary} (fix: {rule.fix})",
        "SELECTED": (rule.code,),
    }
    return type(rule.code, (Migrate,), members)
