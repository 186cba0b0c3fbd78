"""Of all that rules found: what is wanted, what a comment suppresses, and which comments are idle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from npu_migrate.engine.accepting.suppression import MARKER, SeenInRuns, Verdict, suppress
from npu_migrate.engine.selection import Selection
from npu_migrate.findings import Applicability, Finding
from npu_migrate.sources.source import SourceError
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.engine.job import Analysis, Job


class Judged(NamedTuple):
    """The findings that are `kept`, and those that a comment has `suppressed`."""

    kept: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]


def seen_in_runs(job: Job) -> SeenInRuns:
    """What a rehearsal may find that the rules of `job` do not."""
    ruled = frozenset(rule.code for rule in job.rules)
    codes = job.run_codes or {}
    return SeenInRuns(
        only=frozenset(codes) - ruled,
        also=frozenset(code for code, one in codes.items() if not one.text_suffices) & ruled,
    )


def judge(
    tree: SourceTree, analysis: Analysis, selection: Selection, in_runs: SeenInRuns, *, alone: bool
) -> Judged:
    """Drop the findings that are not wanted, set those apart that a comment suppresses, and look for comments
    that suppress nothing.

    `alone`: the files were looked at without those around them, which may hold the reason of a finding.
    """
    wanted = [one for one in analysis.findings if selection.wants(one.code, one.place.path)]
    wanted.sort(key=_path)
    findings = {key: tuple(group) for key, group in groupby(wanted, _path)}
    verdicts = {
        key: _verdict(tree, key, findings.get(key, ()), selection, in_runs)
        for key in sorted(findings.keys() | analysis.analysed)
    }
    unused = (
        one if analysis.complete and not alone else _with_doubt(one)
        for key, verdict in verdicts.items()
        if key in analysis.analysed
        for one in verdict.unused
        if selection.wants(one.code, key)
    )
    return Judged(
        (*(one for verdict in verdicts.values() for one in verdict.kept), *unused),
        tuple(one for verdict in verdicts.values() for one in verdict.suppressed),
    )


def _verdict(
    tree: SourceTree, key: str, findings: Sequence[Finding], selection: Selection, in_runs: SeenInRuns
) -> Verdict:
    try:
        if MARKER.encode() not in tree.python(key):
            return Verdict(tuple(findings), (), ())
        source = tree.source(key)
    except (OSError, SourceError):
        return Verdict(tuple(findings), (), ())
    return suppress(
        source,
        findings,
        lambda code: selection.unrestricted if code is None else selection.wants(code, key),
        in_runs,
    )


def _with_doubt(unused: Finding) -> Finding:
    """A finding about an idle comment, where a file that was not read may hold what the comment is for."""
    assert unused.rewrite is not None, "each idle comment can be removed"
    return replace(unused, rewrite=replace(unused.rewrite, applicability=Applicability.UNSAFE))


def _path(finding: Finding) -> str:
    return finding.place.path
