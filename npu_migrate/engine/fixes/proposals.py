"""Fixes to be tried where no safe one was planned.

They initialize iterators in the sessions that a run of the program was seen to use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from npu_migrate.abstract_run.judging import Originals, paths_of
from npu_migrate.engine.analysis import outside_targets
from npu_migrate.engine.fixes.sightings import Seen, finding_owners, seen_owners
from npu_migrate.findings import Applicability, Finding, without_proposals
from npu_migrate.intents import Intent
from npu_migrate.rules.rule import Rule

_MOST_ATTEMPTS = 2
_SEEN = 1000
"""The number that `Rewrite.attempt` has for all of them: no rule plans so many."""


@dataclass
class Proposals:
    """The proposals for the findings of the programs `originals`, each made when it is asked for."""

    originals: Originals
    rules: Sequence[Rule]
    _seen: dict[tuple[str, ...], Seen] = field(default_factory=dict)

    def can_be_verified(self, finding: Finding) -> bool:
        """Whether all programs of a finding can be followed to their ends."""
        entries = self.originals.project.programs_of(finding.place.path)
        return all(paths_of(self.originals, entry) is not None for entry in entries)

    def of(self, finding: Finding) -> tuple[Finding, ...]:
        """The finding with other fixes, all of which look safe and have yet to be verified."""
        if not any(rule.code == finding.code and rule.check_file is not None for rule in self.rules):
            return ()
        tried: list[tuple[Intent, ...]] = []
        found = []
        for proposed in self._proposed(finding):
            rewrite = proposed.rewrite
            if rewrite is None or rewrite.applicability is not Applicability.SAFE:
                continue
            if outside_targets(self.originals.project, rewrite.intents):
                continue
            if rewrite.intents not in tried:
                tried.append(rewrite.intents)
                found.append(replace(proposed, rewrite=replace(rewrite, proposal=True, attempt=_SEEN)))
        return tuple(found)

    def _proposed(self, finding: Finding) -> Iterator[Finding]:
        project, path = self.originals.project, finding.place.path
        seen = self._sightings(tuple(sorted(project.programs_of(path))))
        if not any(built.key == path for built in seen):
            return
        for attempt in range(_MOST_ATTEMPTS):
            for rule in self.rules:
                if rule.code == finding.code and rule.check_file is not None:
                    for other in rule.check_file(project, path, finding_owners(seen, attempt)):
                        if other.place == finding.place:
                            yield without_proposals(other)

    def _sightings(self, entries: tuple[str, ...]) -> Seen:
        known = self._seen.get(entries)
        if known is None:
            known = self._seen[entries] = seen_owners(self.originals, entries)
        return known
