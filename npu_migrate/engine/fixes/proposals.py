"""Fixes to be tried where no safe one was planned.

Some are those of rules, which have less evidence for them than for their fixes. Others initialize iterators
in the sessions that a run of the program was seen to use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from npu_migrate.abstract_run.judging import Originals, paths_of
from npu_migrate.engine.analysis import outside_targets
from npu_migrate.engine.fixes.sightings import Seen, finding_owners, seen_owners
from npu_migrate.findings import Applicability, Finding
from npu_migrate.intents import Intent
from npu_migrate.project.project import Project
from npu_migrate.rules.rule import Proposed, Rule

_MOST_ATTEMPTS = 2
_SEEN = 1000
"""The number of all that a run suggests: no rule thinks of so many. None is made again in a later pass."""


@dataclass
class Proposals:
    """The proposals for the findings of the programs `originals`, each made when it is asked for."""

    originals: Originals
    rules: Sequence[Rule]
    _seen: dict[tuple[str, ...], Seen] = field(default_factory=dict)
    _planned: dict[tuple[Project, str, str], tuple[Proposed, ...]] = field(default_factory=dict)

    def can_be_verified(self, finding: Finding) -> bool:
        """Whether all programs of a finding can be followed to their ends."""
        entries = self.originals.project.programs_of(finding.place.path)
        return all(paths_of(self.originals, entry) is not None for entry in entries)

    def planned(self, finding: Finding) -> tuple[Finding, ...]:
        """The finding with other fixes that its rule thinks of."""
        return tuple(self._of(self.originals.project, finding))

    def later(self, project: Project, finding: Finding) -> Finding:
        """A finding of a later pass, with what its rule thinks of then."""
        found = (one.rewrite for one in self._of(project, finding))
        return replace(finding, proposals=tuple(one for one in found if one is not None))

    def _of(self, project: Project, finding: Finding) -> Iterator[Finding]:
        path, rule = finding.place.path, self._rule(finding.code)
        if rule is None or rule.propose is None:
            return
        question = (project, rule.code, path)
        if question not in self._planned:
            self._planned[question] = tuple(rule.propose(project, path))
        for one in self._planned[question]:
            for number, rewrite in enumerate(one.rewrites, 1):
                if one.place == finding.place and not outside_targets(project, rewrite.intents):
                    chosen = replace(rewrite, proposal=number)
                    yield replace(finding, message=one.message, related=one.related, rewrite=chosen)

    def seen(self, finding: Finding) -> tuple[Finding, ...]:
        """The finding with fixes for the sessions that a run of the program has seen."""
        rule = self._rule(finding.code)
        if rule is None or rule.check_file is None:
            return ()
        tried: list[tuple[Intent, ...]] = []
        found = []
        for proposed in self._with_seen_owners(rule, finding):
            rewrite = proposed.rewrite
            if rewrite is None or rewrite.applicability is not Applicability.SAFE:
                continue
            if outside_targets(self.originals.project, rewrite.intents):
                continue
            if rewrite.intents not in tried:
                tried.append(rewrite.intents)
                found.append(replace(proposed, rewrite=replace(rewrite, proposal=_SEEN)))
        return tuple(found)

    def _rule(self, code: str) -> Rule | None:
        return next((rule for rule in self.rules if rule.code == code), None)

    def _with_seen_owners(self, rule: Rule, finding: Finding) -> Iterator[Finding]:
        assert rule.check_file is not None
        project, path = self.originals.project, finding.place.path
        seen = self._sightings(tuple(sorted(project.programs_of(path))))
        if not any(built.key == path for built in seen):
            return
        for attempt in range(_MOST_ATTEMPTS):
            for other in rule.check_file(project, path, finding_owners(seen, attempt)):
                if other.place == finding.place:
                    yield other

    def _sightings(self, entries: tuple[str, ...]) -> Seen:
        known = self._seen.get(entries)
        if known is None:
            known = self._seen[entries] = seen_owners(self.originals, entries)
        return known
