"""Which of the first findings a finding of a later pass is, when fixes have moved it or laid it open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import NamedTuple

from npu_migrate.findings import Finding
from npu_migrate.rewrite.layers import Layer, Origins, Owners
from npu_migrate.sources.tree import SourceTree

_Spot = tuple[str, str, int]
"""A code, a file and an offset."""


@dataclass(frozen=True, slots=True)
class State:
    """Where the passes have come to.

    `layer` are all edits so far, on the original texts; `shown` those of them that are applied in `tree`,
    and `findings` what was found there. `latest` are the fixes that the last pass has worked on or that are
    applied since. `refusals` say why a finding has no fix, and `blocked` for which fixes it waits.
    """

    tree: SourceTree
    findings: tuple[Finding, ...]
    layer: Layer = field(default_factory=Layer)
    shown: Layer = field(default_factory=Layer)
    latest: Owners = frozenset()
    titles: Mapping[int, str] = field(default_factory=dict)
    refusals: Mapping[int, str] = field(default_factory=dict)
    blocked: Mapping[int, Owners] = field(default_factory=dict)


class Attributed(NamedTuple):
    """A finding of now: the number of the first finding that it counts as, and the fixes that caused it."""

    finding: Finding
    owner: int
    causes: Owners


@dataclass(frozen=True)
class FirstFindings:
    """The `findings` of the first analysis, that of `tree`; their numbers own the fixes."""

    tree: SourceTree
    findings: tuple[Finding, ...]

    def attributed(self, state: State) -> Iterator[Attributed]:
        """The findings of `state`, without those that count as none of the first ones and have no cause."""
        places = {spot: list(found) for spot, found in self._spots.items()}
        lines = cache(lambda path: state.tree.source(path).lines)
        origins = cache(lambda path: Origins(state.shown, path))
        shown_in = cache(state.shown.owners_in)
        moving = cache(partial(self._waiting_for, state))
        for finding in state.findings:
            path = finding.place.path
            if finding.rewrite is None and path not in self._rewritten:
                continue
            start = lines(path).offset(*finding.place.span[:2])
            source = origins(path).of(start)
            if not isinstance(source, int):
                alike = [one for one in source if self.findings[one].code == finding.code]
                moved = moving(finding.code, source, _words(state.tree, finding))
                yield Attributed(finding, moved.pop(0) if moved else min(alike or source), frozenset())
                continue
            known = places.get((finding.code, path, source))
            same = known.pop(0) if known else self._on_line(finding.code, path, source)
            causes = state.latest & shown_in(path) or state.latest
            if same is not None:
                yield Attributed(finding, same, frozenset() if self.findings[same].rewrite else causes)
            elif causes:
                yield Attributed(finding, min(causes), causes)

    def _waiting_for(self, state: State, code: str, fixes: Owners, words: str) -> list[int]:
        """The first findings with a code that wait for `fixes`, which may have moved their `words`."""
        return [
            owner
            for owner, blockers in sorted(state.blocked.items())
            if self.findings[owner].code == code
            and blockers & fixes
            and _words(self.tree, self.findings[owner]) == words
        ]

    @cached_property
    def _rewritten(self) -> frozenset[str]:
        """The files in which a rewrite was asked for at first, or withdrawn."""
        return frozenset(one.place.path for one in self.findings if one.rewrite is not None or one.withdrawn)

    @cached_property
    def _spots(self) -> dict[_Spot, list[int]]:
        """The first findings in these files."""
        spots: dict[_Spot, list[int]] = defaultdict(list)
        lines = cache(lambda path: self.tree.source(path).lines)
        for index, finding in enumerate(self.findings):
            path = finding.place.path
            if path in self._rewritten:
                start = lines(path).offset(*finding.place.span[:2])
                spots[finding.code, path, start].append(index)
        return spots

    def _on_line(self, code: str, path: str, offset: int) -> int | None:
        """The first finding with this code that is nearest to an offset, on its line."""
        lines = self.tree.source(path).lines
        start, end = lines.bounds(lines.ast_position(offset)[0])
        near = [
            (abs(spot - offset), found[0])
            for (other, file, spot), found in self._spots.items()
            if (other, file) == (code, path) and start <= spot <= end
        ]
        return min(near)[1] if near else None


def _words(tree: SourceTree, finding: Finding) -> str:
    """What stands at the place of a finding."""
    source = tree.source(finding.place.path)
    start, end = source.lines.offsets(finding.place.span)
    return source.text[start:end]
