"""The documentation of a rule, asked for by its code or name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from npu_migrate.commands.options import CommandError
from npu_migrate.languages.language import Language
from npu_migrate.reports.catalogue import rule_page
from npu_migrate.reports.translating import translated_rule

if TYPE_CHECKING:
    from npu_migrate.rules.rule import Rule


def explain(name: str, rules: Iterable[Rule], language: Language) -> str:
    """The documentation of the rule with this code or name, in `language`. Raises `CommandError`."""
    by_name = {key: rule for rule in rules for key in (rule.code, rule.name)}
    rule = by_name.get(name.upper()) or by_name.get(name.lower())
    if rule is not None:
        return rule_page(translated_rule(rule, language), language.say)
    close = (
        [key for key in by_name if name and key.startswith(name.upper())]
        or difflib.get_close_matches(name.upper(), by_name)
        or difflib.get_close_matches(name, by_name)
    )
    hint = f"did you mean {' or '.join(close)}?" if close else "--list-rules shows all"
    raise CommandError(f"--explain: no rule is called {name}; {hint}")
