"""What a report may show beside the diagnostics: the rules, and the files they speak of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from npu_migrate.findings import Applicability

if TYPE_CHECKING:
    from npu_migrate.findings import Report
    from npu_migrate.rules.rule import Rule
    from npu_migrate.sources.source import Source

Sources = Callable[[str], "Source | None"]
"""The file of a path as it stands in a report; None for a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`rules` are the catalogue; `source` gives the file of a path as it stands in the report.

    The file is the one that the diagnostics and their edits speak of. Formats ask for it as often as they
    like, one file after the other: whoever gives it remembers the last ones.
    `folder` is the absolute path that the paths of the report are relative to, with ``/``.
    `applicability` tells which fixes the run takes: the safe ones, or the unsafe ones too.
    `posted` are the fingerprints of findings that an earlier review has told already.
    """

    rules: Sequence[Rule]
    source: Sources
    folder: str
    applicability: Applicability = Applicability.SAFE
    posted: frozenset[str] = frozenset()

    def rules_of(self, report: Report) -> tuple[Rule, ...]:
        """The rules that found something, in order of their codes."""
        codes = {one.code for one in report.diagnostics}
        return tuple(sorted((one for one in self.rules if one.code in codes), key=lambda rule: rule.code))
