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
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple, Protocol

from npu_migrate.engine.diagnosing import CompiledFix
from npu_migrate.engine.fixes.attribution import FirstFindings, State
from npu_migrate.findings import IDLE_COMMENT, Applicability, Finding, Rewrite
from npu_migrate.intents import AddModule, path_of
from npu_migrate.rewrite.edits import OffsetEdit, apply_edits, by_path
from npu_migrate.rewrite.layers import Layer, Owned, Owners
from npu_migrate.rewrite.planning import CONFLICT, CompiledRewrite, compile_rewrites, worst
from npu_migrate.sources.source import SourceError, UneditableText, is_notebook
from npu_migrate.sources.tree import SourceTree

_PASSES = 10
_SAFE, _UNSAFE = Applicability.SAFE, Applicability.UNSAFE


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


def foresee_judged_fixes(
    tree: SourceTree,
    analysis: Findings,
    analyse: Callable[[SourceTree], Findings],
    concerned: frozenset[str],
) -> FixPlan:
    """Which findings have a fix; the safe ones of the `concerned` files are planned to their end, so that
    they can be judged."""

    def analyse_concerned(later: SourceTree) -> Findings:
        return analyse(later.focused(concerned))

    return _attempted(
        lambda dropped: _Planning(tree, analysis.findings, analyse_concerned, dropped).safe_passes()
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


class _Task(NamedTuple):
    """A rewrite to carry out, the finding that will own its edits, and the fixes that led to it."""

    owner: int
    rewrite: Rewrite
    causes: Owners


@dataclass(frozen=True)
class _Planning:
    """One attempt to plan all fixes but the `dropped` ones."""

    tree: SourceTree
    first: tuple[Finding, ...]
    analyse: Callable[[SourceTree], Findings]
    dropped: Mapping[int, str]

    @cached_property
    def _firsts(self) -> FirstFindings:
        return FirstFindings(self.tree, self.first)

    def plan(self) -> FixPlan:
        """The plan. Raises `_UnsettledError`."""
        state = self._started()
        for applicability in (_SAFE, _UNSAFE):
            state = self._settled(state, applicability)
        return self._result(state)

    def first_pass(self) -> FixPlan:
        """The plan as far as it goes without looking at what the first edits lead to.

        Unsafe fixes count without being compiled, and so do those that wait for others: nobody sees their
        edits. Raises `_UnsettledError`.
        """
        start = State(self.tree, self.first)
        tasks = [task for task in self._tasks(start) if task.rewrite.applicability is _SAFE]
        return self._foreseen(self._compiled(start, tasks))

    def safe_passes(self) -> FixPlan:
        """The plan of the safe fixes; unsafe ones count without being compiled. Raises `_UnsettledError`."""
        return self._foreseen(self._settled(self._started(), _SAFE))

    def _foreseen(self, state: State) -> FixPlan:
        waiting = {owner for owner, fixes in state.blocked.items() if fixes}
        refusals = {owner: why for owner, why in state.refusals.items() if owner not in waiting}
        result = self._result(replace(state, refusals=refusals))
        fixes = list(result.fixes)
        for owner, finding in enumerate(self.first):
            rewrite = finding.rewrite
            if rewrite is not None and fixes[owner] is None and owner not in result.refusals:
                fixes[owner] = CompiledFix(rewrite.applicability, rewrite.title, ())
        return FixPlan(tuple(fixes), result.refusals)

    def _started(self) -> State:
        start = State(self.tree, self.first)
        tasks = sorted(self._tasks(start), key=lambda task: task.rewrite.applicability is _UNSAFE)
        return self._compiled(start, tasks)

    def _settled(self, state: State, applicability: Applicability) -> State:
        """Go pass after pass with the fixes up to `applicability`, until one adds nothing.

        Raises `_UnsettledError`.
        """
        for _ in range(_PASSES):
            state = self._analysed(state, self._up_to(applicability, state.layer))
            closed = self._closed(state, applicability)
            tasks = [
                task
                for task in self._tasks(state)
                if task.owner not in closed and self._is_up_to(applicability, task)
            ]
            later = self._compiled(state, tasks)
            if later.layer == state.layer:
                lasting = state.shown.owners.intersection(task.owner for task in tasks)
                if lasting:
                    raise _UnsettledError(lasting, "it does not mend what was found")
                return self._without_overtaken(later)
            state = later
        raise _UnsettledError(state.latest, f"after {_PASSES} passes there is still something to change")

    def _up_to(self, applicability: Applicability, layer: Layer) -> Owners:
        """The fixes that may be applied without any that is less applicable."""
        if applicability is _UNSAFE:
            return layer.owners
        companions = layer.companions()
        return frozenset(one for one in layer.owners if self._worst(companions[one]) is _SAFE)

    def _worst(self, owners: Iterable[int]) -> Applicability:
        rewrites = (self.first[owner].rewrite for owner in owners)
        return worst(one.applicability for one in rewrites if one is not None)

    def _closed(self, state: State, applicability: Applicability) -> Owners:
        """The fixes to which nothing may be added now: those that are not applied yet, and in the end the
        safe ones, lest they need unsafe ones."""
        hidden = state.layer.owners - state.shown.owners
        return hidden if applicability is _SAFE else self._up_to(_SAFE, state.layer)

    def _is_up_to(self, applicability: Applicability, task: _Task) -> bool:
        first = self.first[task.owner].rewrite or task.rewrite
        return applicability is worst((applicability, first.applicability, task.rewrite.applicability))

    def _analysed(self, state: State, owners: Owners) -> State:
        """The state with the edits of `owners` applied, and what is found then."""
        shown = state.layer.only(owners)
        if shown.edits == state.shown.edits:
            return state
        texts = {
            path: apply_edits(self.tree.source_to_edit(path).text, edits)
            for path, edits in by_path(one.edit for one in shown.edits).items()
        }
        try:
            tree = self.tree.with_texts(texts)
        except SourceError as error:
            raise _UnsettledError(shown.owners_in(error.key), f"the file {error.reason}") from None
        latest = state.latest | (shown.owners - state.shown.owners)
        findings = self.analyse(tree).findings
        return replace(state, tree=tree, findings=findings, shown=shown, latest=latest)

    def _compiled(self, state: State, tasks: Sequence[_Task]) -> State:
        """The state with the edits of `tasks` added to its layer, and the refusals of others noted.

        Raises `_UnsettledError`.
        """
        results = compile_rewrites(_texts(state.tree, tasks), [task.rewrite for task in tasks])
        refusals, blocked, titles = dict(state.refusals), dict(state.blocked), dict(state.titles)
        for task, result in zip(tasks, results, strict=True):
            refusals.pop(task.owner, None)
            blocked.pop(task.owner, None)
            if result.refusal is None:
                titles.setdefault(task.owner, task.rewrite.title)
            else:
                refusals[task.owner] = result.refusal
                blocked[task.owner] = frozenset(tasks[index].owner for index in result.blockers)
        added = _layer_of(tasks, results, state.shown)
        hidden = state.layer.only(state.layer.owners - state.shown.owners)
        layer, gone = state.shown.then(added).beside(hidden)
        late = frozenset(task.owner for task in tasks if self._is_late(task))
        spoiling = self._spoiling(self._up_to(_SAFE, state.layer), layer, added.owners, late)
        if spoiling:
            kept = [task for task in tasks if task.owner not in spoiling]
            refused = {**state.refusals, **dict.fromkeys(spoiling - late, CONFLICT)}
            return self._compiled(replace(state, refusals=refused), kept)
        self._require_editable(layer)
        refusals |= dict.fromkeys(gone, CONFLICT)
        blocked |= dict.fromkeys(gone, added.owners)
        return replace(
            state, layer=layer, latest=added.owners, titles=titles, refusals=refusals, blocked=blocked
        )

    def _spoiling(self, safe: Owners, layer: Layer, added: Owners, late: Owners) -> Owners:
        """Of the fixes `added` to a layer, those that some of the `safe` ones would need then, and that are
        not worth making these unsafe: all they do is to remove an idle comment, or they are `late` and can
        be had when the safe ones are applied."""
        doubtful = [
            one
            for one in added
            if one in late or (self.first[one].code == IDLE_COMMENT and self._worst({one}) is _UNSAFE)
        ]
        if not doubtful:
            return frozenset()
        companions = layer.companions()
        needed = frozenset[int]().union(*(companions[owner] for owner in safe & layer.owners))
        return needed.intersection(doubtful)

    def _is_late(self, task: _Task) -> bool:
        """Whether a finding has got an unsafe fix only since others were applied."""
        return self.first[task.owner].rewrite is None and task.rewrite.applicability is _UNSAFE

    def _require_editable(self, layer: Layer) -> None:
        """Raise `_UnsettledError` for edits that a notebook cannot take."""
        source = cache(self.tree.source)
        for edit, owners in ((one.edit, one.owners) for one in layer.edits if is_notebook(one.edit.path)):
            try:
                source(edit.path).file_edit(edit.start, edit.end, edit.text)
            except UneditableText as error:
                raise _UnsettledError(owners, error.reason) from None

    def _tasks(self, state: State) -> Iterator[_Task]:
        for finding, owner, causes in self._firsts.attributed(state):
            rewrite = finding.rewrite if causes else _same_attempt(finding, self.first[owner])
            if rewrite is not None and owner not in self.dropped and not self.first[owner].withdrawn:
                yield _Task(owner, rewrite, causes)

    def _without_overtaken(self, state: State) -> State:
        """Findings that waited for other fixes and are gone now have these as their fix."""
        present = {owner for _, owner, _ in self._firsts.attributed(state)}
        overtaken = {
            owner: fixes & state.shown.owners
            for owner, fixes in state.blocked.items()
            if owner not in present and fixes & state.shown.owners
        }
        layer = replace(state.layer, needs=(*state.layer.needs, *overtaken.items()))
        refusals = {owner: why for owner, why in state.refusals.items() if owner not in overtaken}
        return replace(state, layer=layer, latest=frozenset(), refusals=refusals, blocked={})

    def _result(self, state: State) -> FixPlan:
        layer = state.layer
        companions, owners = layer.companions(), layer.owners
        edits = layer.edits_by_owner()
        fixes: list[CompiledFix | None] = []
        for index, finding in enumerate(self.first):
            together = companions.get(index, frozenset()) & owners
            if not together:
                fixes.append(None)
                continue
            title = finding.rewrite.title if finding.rewrite else state.titles[index]
            needed = {edit for owner in together for edit in edits[owner]}
            fixes.append(CompiledFix(self._worst(together), title, tuple(sorted(needed))))
        refusals = {
            index: f"the fix of {self.first[index].code} is not applied: {reason}"
            for index, reason in sorted({**state.refusals, **self.dropped}.items())
            if fixes[index] is None
        }
        return FixPlan(tuple(fixes), refusals)


def _same_attempt(finding: Finding, first: Finding) -> Rewrite | None:
    """The rewrite of a finding of any pass that is the one which its first one has come to; None if it is not
    there any more."""
    number = first.rewrite.proposal if first.rewrite is not None else 0
    tried = (finding.rewrite, *finding.proposals)
    return next((one for one in tried if one is not None and one.proposal == number), None)


def _texts(tree: SourceTree, tasks: Iterable[_Task]) -> dict[str, str]:
    """The texts of the files that the tasks would change, as far as they can be read; empty for new ones."""
    texts = {}
    for path in {path_of(intent) for task in tasks for intent in task.rewrite.intents}:
        with contextlib.suppress(SourceError):
            texts[path] = tree.source_to_edit(path).text
    return texts


def _layer_of(tasks: Sequence[_Task], results: Sequence[CompiledRewrite], shown: Layer) -> Layer:
    """The edits of one pass, on files to which those of `shown` had been applied."""
    owners: dict[OffsetEdit, set[int]] = defaultdict(set)
    links: list[Owners] = []
    needs: list[tuple[int, Owners]] = []
    shown_in = cache(shown.owners_in)
    for task, result in zip(tasks, results, strict=True):
        if result.edits is None:
            continue
        together = frozenset(tasks[index].owner for index in result.together)
        links.append(together | task.causes)
        # A file that is added may be there since an earlier pass, so that this one has no edit of it.
        added = {one.path for one in task.rewrite.intents if isinstance(one, AddModule)}
        changed = added.union(edit.path for edit in result.edits)
        earlier = frozenset[int]().union(*map(shown_in, changed))
        if earlier:
            needs.append((task.owner, earlier))
        for edit in result.edits:
            owners[edit] |= together
    edits = tuple(Owned(edit, frozenset(owned)) for edit, owned in sorted(owners.items()))
    return Layer(edits, tuple(link for link in links if len(link) > 1), tuple(needs))
