"""The rules for people: the list of all of them, and the page of one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from npu_migrate.languages.saying import Say, english
from npu_migrate.rules.rule import Rule

_FENCE = "```"
_RULER = re.compile(r"\|(\s*:?-+:?\s*\|)+")
_BAR = re.compile(r"(?<!\\)\|")
_MARKED = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)]*\)")


def catalogue(rules: Iterable[Rule], say: Say = english) -> str:
    """All rules in order of their codes, one a line: code, name, summary, severity and kind of fix."""
    ordered = sorted(rules, key=lambda rule: rule.code)
    width = max(len(rule.name) for rule in ordered)

    def said(rule: Rule) -> str:
        return say(f"[{rule.severity}; fix: {rule.fix}]")

    return "".join(f"{rule.code}  {rule.name:<{width}}  {rule.summary} {said(rule)}\n" for rule in ordered)


def rule_page(rule: Rule, say: Say = english) -> str:
    """The documentation of one rule, as Markdown."""
    facts = [say(f"Severity: {rule.severity}"), say(f"Fix: {rule.fix}")]
    if rule.sources:
        facts.append(say(f"Sources: {', '.join(rule.sources)}"))
    listed = "\n".join(f"- {fact}" for fact in facts)
    return f"# {rule.code} {rule.name}\n\n{listed}\n\n{rule.documentation.strip()}\n"


def without_markup(text: str) -> str:
    """The Markdown of a rule's page as text to be read as it is.

    Code is indented, the cells of a table stand beside each other, and nothing is left of the marks.
    """
    return "\n".join(_plain_lines(text.split("\n")))


def _plain_lines(lines: Iterable[str]) -> Iterator[str]:
    in_code = False
    for line in lines:
        if line.startswith(_FENCE):
            in_code = not in_code
        elif in_code:
            yield f"    {line}".rstrip()
        elif not _RULER.fullmatch(line):
            yield _plain_line(line)


def _plain_line(line: str) -> str:
    if line.startswith("#"):
        line = line.lstrip("#").lstrip()
    if line.startswith("|"):
        line = "   ".join(cell.strip().replace("\\|", "|") for cell in _BAR.split(line.strip("|")))
    while (plain := _MARKED.sub(lambda match: match[match.lastindex or 0], line)) != line:
        line = plain
    return line
