"""Reports and rules in another language: what people read of them, and nothing else.

Codes, names, paths, places and fingerprints stay as they are: they are the same in every language.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from npu_migrate.findings import ApiUse, Diagnostic, Report
from npu_migrate.languages.language import Language
from npu_migrate.languages.saying import Say
from npu_migrate.rules.rule import Rule


def translated_report(report: Report, language: Language) -> Report:
    """`report` with what its diagnostics say in `language`."""
    if language.is_english:
        return report
    say = language.say
    return replace(report, diagnostics=tuple(_diagnostic(one, say) for one in report.diagnostics))


def _diagnostic(diagnostic: Diagnostic, say: Say) -> Diagnostic:
    fix = diagnostic.fix
    return replace(
        diagnostic,
        message=say(diagnostic.message),
        related=tuple(replace(one, message=say(one.message)) for one in diagnostic.related),
        fix=None if fix is None else replace(fix, title=say(fix.title)),
    )


def translated_rules(rules: Iterable[Rule], language: Language) -> tuple[Rule, ...]:
    """`rules` with their pages and summaries in `language`, where it has them."""
    return tuple(rules) if language.is_english else tuple(translated_rule(one, language) for one in rules)


def translated_rule(rule: Rule, language: Language) -> Rule:
    """`rule` with its page and its summary in `language`; what is not translated stays English."""
    if language.is_english:
        return rule
    # Whoever is told things in English need not wait for this.
    from npu_migrate.languages.pages import filled, term

    page = language.page(rule.code)
    said = partial(term, language=language)
    return replace(
        rule,
        summary=language.summaries.get(rule.code) or language.say(rule.summary),
        severity=said(rule.severity),
        fix=said(rule.fix),
        documentation=language.say(rule.documentation)
        if page is None
        else filled(page, rule.documentation, said),
    )


def translated_uses(uses: Iterable[ApiUse], language: Language) -> tuple[ApiUse, ...]:
    """`uses` with their advice in `language`; the verdicts are words of a format."""
    if language.is_english:
        return tuple(uses)
    return tuple(replace(one, advice=language.say(one.advice)) for one in uses)
