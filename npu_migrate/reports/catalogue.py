"""The rules for people: the list of all of them, and the page of one."""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.rules.rule import Rule


def catalogue(rules: Iterable[Rule]) -> str:
    """All rules in order of their codes, one a line: code, name, summary, severity and kind of fix."""
    ordered = sorted(rules, key=lambda rule: rule.code)
    width = max(len(rule.name) for rule in ordered)
    return "".join(
        f"{rule.code}  {rule.name:<{width}}  {rule.summary} [{rule.severity}; fix: {rule.fix}]\n"
        for rule in ordered
    )


def rule_page(rule: Rule) -> str:
    """The documentation of one rule, as Markdown."""
    facts = [f"Severity: {rule.severity}", f"Fix: {rule.fix}"]
    if rule.sources:
        facts.append(f"Sources: {', '.join(rule.sources)}")
    listed = "\n".join(f"- {fact}" for fact in facts)
    return f"# {rule.code} {rule.name}\n\n{listed}\n\n{rule.documentation.strip()}\n"
