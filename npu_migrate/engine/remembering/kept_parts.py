"""Of which parts a plan was made, by the names under which their plans are kept.

A review compares two states of a tree that have most parts in common. What these come to need neither be read
nor told: that they are the same in both is enough.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple
from typing import NamedTuple

from npu_migrate.engine.job import Plan
from npu_migrate.findings import FileCounts


class PartSummary(NamedTuple):
    """What is known of the plan of a part without reading it; `counting` findings are not suppressed."""

    counting: int
    context: int
    analysed: int
    failed: int

    @staticmethod
    def of(plan: Plan) -> PartSummary:
        """The summary of a plan that has all its findings."""
        counting = sum(not one.suppressed for one in plan.findings)
        return PartSummary(counting, plan.files.context, plan.files.analysed, plan.files.failed)

    def without_findings(self) -> Plan:
        """The plan, whose findings are only counted."""
        counts = FileCounts(context=self.context, analysed=self.analysed, failed=self.failed)
        return Plan((), {}, counts, left_out=self.counting)


class KeptParts(NamedTuple):
    """The parts of a plan, by name, and the files of all of them together."""

    parts: Mapping[str, PartSummary]
    files: FileCounts

    def to_text(self) -> bytes:
        """The same as text, to be kept."""
        rows = [(name, *summary) for name, summary in self.parts.items()]
        return json.dumps([rows, astuple(self.files)], separators=(",", ":")).encode()

    @staticmethod
    def from_text(text: bytes) -> KeptParts:
        """What `to_text` has made `text` of."""
        rows, files = json.loads(text)
        return KeptParts({name: PartSummary(*summary) for name, *summary in rows}, FileCounts(*files))
