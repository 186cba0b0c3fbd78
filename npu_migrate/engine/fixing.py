"""From findings with rewrites to fixes: edits on the files as they were read.

The way is gone in passes. The first pass compiles the rewrites of all findings together. Then the safe
fixes are applied to the files in memory, which are analysed again; the next pass mends what had to wait for
another fix and what a fix has laid open, and so on until nothing new comes up. After that the same is done
with all fixes, the unsafe ones too. Each pass is put together with the earlier ones to edits on the
original texts, so that all fixes can be told, chosen and applied at once.

Every edit is owned by findings of the first analysis. A finding of a later pass counts as the first finding
with the same code at the place that it came from. If there is none, a fix has caused it, and what mends it
becomes part of that fix.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import NamedTuple, Protocol

from npu_migrate.engine.diagnosing import CompiledFix
from npu_migrate.findings import IDLE_COMMENT, Applicability, Finding, Rewrite
from npu_migrate.rewrite.edits import OffsetEdit, apply_edits, by_path
from npu_migrate.rewrite.intents import path_of
from npu_migrate.rewrite.layers import Layer, Origins, Owned, Owners
from npu_migrate.rewrite.planning import CONFLICT, CompiledRewrite, compile_rewrites, worst
from npu_migrate.sources.source import SourceError, UneditableText, is_notebook
from npu_migrate.sources.tree import SourceTree

_PASSES = 10
_SAFE, _UNSAFE = Applicability.SAFE, Applicability.UNSAFE
_Spot = tuple[str, str, int]
"""A code, a file and an offset."""


class Findings(Protocol):
    """What planning needs to know of an analysis."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, in order of precedence."""


@dataclass(frozen=True, slots=True)
class FixPlan:
    """The fixes of an analysis, one entry per finding.

    The edits of any of them are their union: no two start at one place or overlap, and the files still
    compile. `refusals` are messages for the findings whose rewrite could not be carried out.
    """

    fixes: tuple[CompiledFix | None, ...]
    refusals: Mapping[int, str]


def plan_fixes(tree: SourceTree, analysis: Findings, analyse: Callable[[SourceTree], Findings]) -> FixPlan:
    """Plan the fixes of `analysis`, which `analyse` has found in `tree`.

    `analyse` is called for the same tree with other texts, and must leave out what `analysis` leaves out.
    """
    return _attempted(lambda dropped: _Planning(tree, analysis.findings, analyse, dropped).plan())


def foresee_fixes(tree: SourceTree, analysis: Findings, _: Callable[[SourceTree], Findings]) -> FixPlan:
    """Which findings have a fix, for reports that do not show its edits.

    A single pass: a fix that has to wait for another one counts, without its edits.
    """
    return _attempted(
        lambda dropped: _Planning(tree, analysis.findings, lambda _: analysis, dropped).first_pass()
    )


def assume_fixes(tree: SourceTree, analysis: Findings, _: Callable[[SourceTree], Findings]) -> FixPlan:
    """Which findings ask for a fix, for who needs an answer at once; whether it can be done stays open."""
    asked = (finding.rewrite for finding in analysis.findings)
    fixes = (None if one is None else CompiledFix(one.applicability, one.title, ()) for one in asked)
    return FixPlan(tuple(fixes), {})


def _attempted(plan: Callable[[Mapping[int, str]], FixPlan]) -> FixPlan:
    """What `plan` makes without the fixes that make it fail; it is given these with the reasons."""
    dropped: dict[int, str] = {}
    while True:
        try:
            return plan(dropped)
        except _UnsettledError as unsettled:
            dropped |= dict.fromkeys(unsettled.owners, unsettled.reason)


class _UnsettledError(Exception):
    """Some fixes make it impossible to come to an end; all is planned anew without them."""

    def __init__(self, owners: Iterable[int], reason: str) -> None:
        super().__init__(reason)
        self.owners = frozenset(owners)
        self.reason = reason


class _Job(NamedTuple):
    """A rewrite to carry out, the finding that will own its edits, and the fixes that led to it."""

    owner: int
    rewrite: Rewrite
    causes: Owners


@dataclass(frozen=True, slots=True)
class _Progress:
    """Where the passes have come to.

    `layer` are all edits so far, on the original texts; `shown` those of them that are applied in `tree`,
    and `findings` what was found there. `latest` are the fixes that the last pass has worked on or
    that are applied since. `refusals`
    say why a finding has no fix, and `blocked` for which fixes it waits.
    """

    tree: SourceTree
    findings: tuple[Finding, ...]
    layer: Layer = field(default_factory=Layer)
    shown: Layer = field(default_factory=Layer)
    latest: Owners = frozenset()
    titles: Mapping[int, str] = field(default_factory=dict)
    refusals: Mapping[int, str] = field(default_factory=dict)
    blocked: Mapping[int, Owners] = field(default_factory=dict)


@dataclass(frozen=True)
class _Planning:
    """One attempt to plan all fixes but the `dropped` ones."""

    tree: SourceTree
    first: tuple[Finding, ...]
    analyse: Callable[[SourceTree], Findings]
    dropped: Mapping[int, str]

    def plan(self) -> FixPlan:
        """The plan. Raises `_UnsettledError`."""
        progress = self._started()
        for applicability in (_SAFE, _UNSAFE):
            progress = self._settled(progress, applicability)
        return self._result(progress)

    def first_pass(self) -> FixPlan:
        """The plan as far as it goes without looking at what the first edits lead to.

        Unsafe fixes count without being compiled, and so do those that wait for others: nobody sees their
        edits. Raises `_UnsettledError`.
        """
        start = _Progress(self.tree, self.first)
        jobs = [job for job in self._jobs(start) if job.rewrite.applicability is _SAFE]
        progress = self._compiled(start, jobs)
        waiting = {owner for owner, fixes in progress.blocked.items() if fixes}
        refusals = {owner: why for owner, why in progress.refusals.items() if owner not in waiting}
        result = self._result(replace(progress, refusals=refusals))
        fixes = list(result.fixes)
        for owner, finding in enumerate(self.first):
            rewrite = finding.rewrite
            if rewrite is not None and fixes[owner] is None and owner not in result.refusals:
                fixes[owner] = CompiledFix(rewrite.applicability, rewrite.title, ())
        return FixPlan(tuple(fixes), result.refusals)

    def _started(self) -> _Progress:
        start = _Progress(self.tree, self.first)
        jobs = sorted(self._jobs(start), key=lambda job: job.rewrite.applicability is _UNSAFE)
        return self._compiled(start, jobs)

    def _settled(self, progress: _Progress, applicability: Applicability) -> _Progress:
        """Go pass after pass with the fixes up to `applicability`, until one adds nothing.

        Raises `_UnsettledError`.
        """
        for _ in range(_PASSES):
            progress = self._analysed(progress, self._up_to(applicability, progress.layer))
            closed = self._closed(progress, applicability)
            jobs = [
                job
                for job in self._jobs(progress)
                if job.owner not in closed and self._is_up_to(applicability, job)
            ]
            later = self._compiled(progress, jobs)
            if later.layer == progress.layer:
                lasting = progress.shown.owners.intersection(job.owner for job in jobs)
                if lasting:
                    raise _UnsettledError(lasting, "it does not mend what was found")
                return self._without_overtaken(later)
            progress = later
        raise _UnsettledError(progress.latest, f"after {_PASSES} passes there is still something to change")

    def _up_to(self, applicability: Applicability, layer: Layer) -> Owners:
        """The fixes that may be applied without any that is less applicable."""
        if applicability is _UNSAFE:
            return layer.owners
        companions = layer.companions()
        return frozenset(one for one in layer.owners if self._worst(companions[one]) is _SAFE)

    def _worst(self, owners: Iterable[int]) -> Applicability:
        rewrites = (self.first[owner].rewrite for owner in owners)
        return worst(one.applicability for one in rewrites if one is not None)

    def _closed(self, progress: _Progress, applicability: Applicability) -> Owners:
        """The fixes to which nothing may be added now: those that are not applied yet, and in the end the
        safe ones, lest they need unsafe ones."""
        hidden = progress.layer.owners - progress.shown.owners
        return hidden if applicability is _SAFE else self._up_to(_SAFE, progress.layer)

    def _is_up_to(self, applicability: Applicability, job: _Job) -> bool:
        first = self.first[job.owner].rewrite or job.rewrite
        return applicability is worst((applicability, first.applicability, job.rewrite.applicability))

    def _analysed(self, progress: _Progress, owners: Owners) -> _Progress:
        """The progress with the edits of `owners` applied, and what is found then."""
        shown = progress.layer.only(owners)
        if shown.edits == progress.shown.edits:
            return progress
        texts = {
            path: apply_edits(self.tree.source(path).text, edits)
            for path, edits in by_path(one.edit for one in shown.edits).items()
        }
        try:
            tree = self.tree.with_texts(texts)
        except SourceError as error:
            raise _UnsettledError(shown.owners_in(error.key), f"the file {error.reason}") from None
        latest = progress.latest | (shown.owners - progress.shown.owners)
        findings = self.analyse(tree).findings
        return replace(progress, tree=tree, findings=findings, shown=shown, latest=latest)

    def _compiled(self, progress: _Progress, jobs: Sequence[_Job]) -> _Progress:
        """The progress with the edits of `jobs` added to its layer, and the refusals of others noted.

        Raises `_UnsettledError`.
        """
        results = compile_rewrites(_texts(progress.tree, jobs), [job.rewrite for job in jobs])
        refusals, blocked, titles = dict(progress.refusals), dict(progress.blocked), dict(progress.titles)
        for job, result in zip(jobs, results, strict=True):
            refusals.pop(job.owner, None)
            blocked.pop(job.owner, None)
            if result.refusal is None:
                titles.setdefault(job.owner, job.rewrite.title)
            else:
                refusals[job.owner] = result.refusal
                blocked[job.owner] = frozenset(jobs[index].owner for index in result.blockers)
        added = _layer_of(jobs, results, progress.shown)
        hidden = progress.layer.only(progress.layer.owners - progress.shown.owners)
        layer, gone = progress.shown.then(added).beside(hidden)
        spoiling = self._spoiling(self._up_to(_SAFE, progress.layer), layer, added.owners)
        if spoiling:
            kept = [job for job in jobs if job.owner not in spoiling]
            refused = {**progress.refusals, **dict.fromkeys(spoiling, CONFLICT)}
            return self._compiled(replace(progress, refusals=refused), kept)
        self._require_editable(layer)
        refusals |= dict.fromkeys(gone, CONFLICT)
        blocked |= dict.fromkeys(gone, added.owners)
        return _Progress(
            progress.tree,
            progress.findings,
            layer,
            progress.shown,
            added.owners,
            titles,
            refusals,
            blocked,
        )

    def _spoiling(self, safe: Owners, layer: Layer, added: Owners) -> Owners:
        """Of the fixes `added` to a layer, those that some of the `safe` ones would need then, and that are
        not worth making these unsafe: all they do is to remove an idle comment."""
        doubtful = [
            one for one in added if self.first[one].code == IDLE_COMMENT and self._worst({one}) is _UNSAFE
        ]
        if not doubtful:
            return frozenset()
        companions = layer.companions()
        needed = frozenset[int]().union(*(companions[owner] for owner in safe & layer.owners))
        return needed.intersection(doubtful)

    def _require_editable(self, layer: Layer) -> None:
        """Raise `_UnsettledError` for edits that a notebook cannot take."""
        source = cache(self.tree.source)
        for edit, owners in ((one.edit, one.owners) for one in layer.edits if is_notebook(one.edit.path)):
            try:
                source(edit.path).file_edit(edit.start, edit.end, edit.text)
            except UneditableText as error:
                raise _UnsettledError(owners, error.reason) from None

    def _jobs(self, progress: _Progress) -> Iterator[_Job]:
        for finding, owner, causes in self._attributed(progress):
            if finding.rewrite is not None and owner not in self.dropped:
                yield _Job(owner, finding.rewrite, causes)

    def _attributed(self, progress: _Progress) -> Iterator[tuple[Finding, int, Owners]]:
        """The findings of now, which of the first findings each counts as, and the fixes that caused it."""
        places = {spot: list(found) for spot, found in self._spots.items()}
        lines = cache(lambda path: progress.tree.source(path).lines)
        origins = cache(lambda path: Origins(progress.shown, path))
        shown_in = cache(progress.shown.owners_in)
        moving = cache(partial(self._waiting_for, progress))
        for finding in progress.findings:
            path = finding.place.path
            if finding.rewrite is None and path not in self._rewritten:
                continue
            start = lines(path).offset(*finding.place.span[:2])
            source = origins(path).of(start)
            if not isinstance(source, int):
                alike = [one for one in source if self.first[one].code == finding.code]
                moved = moving(finding.code, source, _words(progress.tree, finding))
                yield finding, moved.pop(0) if moved else min(alike or source), frozenset()
                continue
            known = places.get((finding.code, path, source))
            same = known.pop(0) if known else self._on_line(finding.code, path, source)
            causes = progress.latest & shown_in(path) or progress.latest
            if same is not None:
                yield finding, same, frozenset() if self.first[same].rewrite else causes
            elif causes:
                yield finding, min(causes), causes

    def _waiting_for(self, progress: _Progress, code: str, fixes: Owners, words: str) -> list[int]:
        """The first findings with a code that wait for `fixes`, which may have moved their `words`."""
        return [
            owner
            for owner, blockers in sorted(progress.blocked.items())
            if self.first[owner].code == code
            and blockers & fixes
            and _words(self.tree, self.first[owner]) == words
        ]

    @cached_property
    def _rewritten(self) -> frozenset[str]:
        """The files in which a rewrite was asked for at first."""
        return frozenset(one.place.path for one in self.first if one.rewrite is not None)

    @cached_property
    def _spots(self) -> dict[_Spot, list[int]]:
        """The first findings in these files."""
        spots: dict[_Spot, list[int]] = defaultdict(list)
        lines = cache(lambda path: self.tree.source(path).lines)
        for index, finding in enumerate(self.first):
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

    def _without_overtaken(self, progress: _Progress) -> _Progress:
        """Findings that waited for other fixes and are gone now have these as their fix."""
        present = {owner for _, owner, _ in self._attributed(progress)}
        overtaken = {
            owner: fixes & progress.shown.owners
            for owner, fixes in progress.blocked.items()
            if owner not in present and fixes & progress.shown.owners
        }
        layer = replace(progress.layer, needs=(*progress.layer.needs, *overtaken.items()))
        refusals = {owner: why for owner, why in progress.refusals.items() if owner not in overtaken}
        return replace(progress, layer=layer, latest=frozenset(), refusals=refusals, blocked={})

    def _result(self, progress: _Progress) -> FixPlan:
        layer = progress.layer
        companions, owners = layer.companions(), layer.owners
        edits = layer.edits_by_owner()
        fixes: list[CompiledFix | None] = []
        for index, finding in enumerate(self.first):
            together = companions.get(index, frozenset()) & owners
            if not together:
                fixes.append(None)
                continue
            title = finding.rewrite.title if finding.rewrite else progress.titles[index]
            needed = {edit for owner in together for edit in edits[owner]}
            fixes.append(CompiledFix(self._worst(together), title, tuple(sorted(needed))))
        refusals = {
            index: f"the fix of {self.first[index].code} is not applied: {reason}"
            for index, reason in sorted({**progress.refusals, **self.dropped}.items())
            if fixes[index] is None
        }
        return FixPlan(tuple(fixes), refusals)


def _words(tree: SourceTree, finding: Finding) -> str:
    """What stands at the place of a finding."""
    source = tree.source(finding.place.path)
    start, end = source.lines.offsets(finding.place.span)
    return source.text[start:end]


def _texts(tree: SourceTree, jobs: Iterable[_Job]) -> dict[str, str]:
    """The texts of the files that the jobs would change, as far as they can be read."""
    texts = {}
    for path in {path_of(intent) for job in jobs for intent in job.rewrite.intents}:
        with contextlib.suppress(SourceError):
            texts[path] = tree.source(path).text
    return texts


def _layer_of(jobs: Sequence[_Job], results: Sequence[CompiledRewrite], shown: Layer) -> Layer:
    """The edits of one pass, on files to which those of `shown` had been applied."""
    owners: dict[OffsetEdit, set[int]] = defaultdict(set)
    links: list[Owners] = []
    needs: list[tuple[int, Owners]] = []
    shown_in = cache(shown.owners_in)
    for job, result in zip(jobs, results, strict=True):
        if result.edits is None:
            continue
        together = frozenset(jobs[index].owner for index in result.together)
        links.append(together | job.causes)
        earlier = frozenset[int]().union(*map(shown_in, {edit.path for edit in result.edits}))
        if earlier:
            needs.append((job.owner, earlier))
        for edit in result.edits:
            owners[edit] |= together
    edits = tuple(Owned(edit, frozenset(owned)) for edit, owned in sorted(owners.items()))
    return Layer(edits, tuple(link for link in links if len(link) > 1), tuple(needs))
