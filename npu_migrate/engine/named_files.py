"""Files that were named one by one: one that is not valid Python says so, whatever it mentions.

In a folder nobody expects each file to be Python 3, and a file that mentions nothing of ours is not parsed at
all. Whoever names a file expects it to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from npu_migrate.engine.diagnosing import Label, PlannedFinding
from npu_migrate.engine.job import Job, Plan
from npu_migrate.engine.selection import selection_of
from npu_migrate.findings import Finding
from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.rules.failures import failure_finding
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import SourceError, is_notebook


def with_named_files(job: Job, plan: Plan) -> Plan:
    """`plan`, with a finding for each named file that cannot be parsed and that it says nothing of."""
    selection = selection_of(job.settings, key_of(job.discovery.tree.root))
    told = {one.finding.place.path for one in plan.findings}
    failed = list(_failures(job, told))
    if not failed:
        return plan
    files = replace(
        plan.files,
        failed=plan.files.failed + len(failed),
        skipped_by_gate=plan.files.skipped_by_gate - len(failed),
    )
    wanted = [one for one in failed if selection.wants(one.code, one.place.path)]
    codes = {one.code for one in wanted}
    labels = {rule.code: Label(rule.name, rule.sources) for rule in job.rules if rule.code in codes}
    findings = (*plan.findings, *map(PlannedFinding, wanted))
    return replace(plan, findings=findings, labels={**plan.labels, **labels}, files=files)


def _failures(job: Job, told: set[str]) -> Iterator[Finding]:
    tree = job.discovery.tree
    for key in job.discovery.named:
        if key in told or is_notebook(key):
            continue
        try:
            parse(tree.source(key).text)
        except (*UNPARSABLE, SourceError) as error:
            yield failure_finding(tree, key, error)
