"""Three toy rules over plain text, to test what happens to findings and fixes whatever the rules are.

``OLD`` is an error with a safe fix (``NEW``), ``RISK`` an info with an unsafe fix (``RISKED``), and each
``PAIR`` a warning whose safe fix turns every ``PAIR`` of every target into ``DONE``, or none. ``HARD`` has
a fix that is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from npu_migrate.engine.diagnosing import CompiledFix
from npu_migrate.engine.fixes.fixing import FixPlan
from npu_migrate.engine.job import Analysis, Machinery
from npu_migrate.findings import Applicability, Finding, Severity
from npu_migrate.places import Place, Span
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.rules.rule import Rule
from npu_migrate.sources.source import Source, SourceError
from npu_migrate.sources.tree import SourceTree

WORDS = {
    "OLD": ("NPU101", Severity.ERROR),
    "PAIR": ("NPU102", Severity.WARNING),
    "HARD": ("NPU103", Severity.WARNING),
    "RISK": ("NPU206", Severity.INFO),
}

RULES = tuple(
    Rule(code, name, f"What {name} is.", "error", "safe", ("TOY",), f"Page of {name}.\n")
    for code, name in (
        ("NPU101", "old-word"),
        ("NPU102", "paired-word"),
        ("NPU103", "hard-word"),
        ("NPU206", "risky-word"),
        ("NPU901", "syntax-error"),
        ("NPU902", "undecodable-file"),
        ("NPU904", "unused-suppression"),
        ("NPU905", "fix-not-applied"),
    )
)


def analyse(tree: SourceTree) -> Analysis:
    findings: list[Finding] = []
    failed: set[str] = set()
    for key in tree.targets:
        try:
            findings += findings_in(tree.source(key))
        except SourceError as error:
            findings.append(Finding("NPU902", Severity.ERROR, error.reason, Place(key, (1, 0, 1, 0))))
            failed.add(key)
    analysed = frozenset(tree.targets) - failed
    return Analysis(tuple(findings), analysed, frozenset(failed), len(tree.context))


def findings_in(source: Source) -> list[Finding]:
    found = []
    for match in re.finditer(r"\b(OLD|PAIR|HARD|RISK)\b", source.text):
        code, severity = WORDS[match[0]]
        span: Span = (
            *source.lines.ast_position(match.start()),
            *source.lines.ast_position(match.end()),
        )
        found.append(Finding(code, severity, f"{match[0]} is here", Place(source.key, span)))
    return found


def plan_fixes(tree: SourceTree, analysis: Analysis, analyse: Callable[[SourceTree], Analysis]) -> FixPlan:
    fixes: list[CompiledFix | None] = []
    refusals: dict[int, str] = {}
    pair = tuple(edit_of(tree, one.place, "DONE") for one in analysis.findings if one.code == "NPU102")
    for index, finding in enumerate(analysis.findings):
        if finding.code == "NPU101":
            edit = edit_of(tree, finding.place, "NEW")
            fixes.append(CompiledFix(Applicability.SAFE, "Write NEW", (edit,)))
        elif finding.code == "NPU102":
            fixes.append(CompiledFix(Applicability.SAFE, "Write DONE everywhere", pair))
        elif finding.code == "NPU206":
            edit = edit_of(tree, finding.place, "RISKED")
            fixes.append(CompiledFix(Applicability.UNSAFE, "Write RISKED", (edit,)))
        else:
            fixes.append(None)
            if finding.code == "NPU103":
                refusals[index] = "too hard"
    return FixPlan(tuple(fixes), refusals)


def edit_of(tree: SourceTree, place: Place, text: str) -> OffsetEdit:
    return OffsetEdit(place.path, *tree.source(place.path).lines.offsets(place.span), text)


class WholeTree(NamedTuple):
    """The only part of a tree, which `analyse` analyses."""

    analyse: Callable[[SourceTree], Analysis]

    def analyser(self) -> Callable[[SourceTree], Analysis]:
        return self.analyse


PART = WholeTree(analyse)
TOY = Machinery(RULES, lambda src, options, progress, index: lambda *_: (PART,), plan_fixes, plan_fixes)
