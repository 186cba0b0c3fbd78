"""Planned fixes before the judge: which of the safe ones an abstract run of the edited program bears out.

Each fix is judged by itself, as an editor applies it; then all fixes of a program together, as a write does.
A fix that is refuted is not safe, whatever the plan thought: it is planned anew as an unsafe one, and its
finding tells the path that shows it. One with which the program certainly fails is no fix at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple

from npu_migrate.abstract_run.changes import Changed, LineRange, Touched
from npu_migrate.abstract_run.comparing import LOST, REFUTED
from npu_migrate.abstract_run.judging import (
    VERIFIED,
    Originals,
    Verdict,
    is_lost_before,
    judge,
    judge_again,
    worth_a_second_look,
)
from npu_migrate.engine.diagnosing import CompiledFix
from npu_migrate.engine.fixes.disproving import without_disproved
from npu_migrate.engine.fixes.fixing import FixPlan
from npu_migrate.engine.fixes.proposals import Proposals
from npu_migrate.engine.job import Analyse, Analysis, PlanFixes
from npu_migrate.findings import VERIFIABLE, Applicability, Finding, Related
from npu_migrate.intents import AddImport, AddModule, Intent, path_of
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.rewrite.edits import OffsetEdit, apply_edits, by_path
from npu_migrate.rewrite.layers import Layer, Origins, Owned
from npu_migrate.sources.source import SourceError
from npu_migrate.sources.tree import SourceTree

_SAFE, _UNSAFE = Applicability.SAFE, Applicability.UNSAFE
_MOST_LOST = 24
"""After so many lost fixes of the same programs, one after the other, the rest of them are lost as well."""
_MOST_PLACES = 8
Edits = frozenset[OffsetEdit]


def concerned_files(originals: Originals, findings: Iterable[Finding]) -> frozenset[str]:
    """The files of programs with a safe fix that is seen to change anything, and that can be followed.

    No edit of other fixes has to be known: the judge is lost before it comes to any.
    """
    return originals.project.programs.neighbours_of(
        one.place.path
        for one in findings
        if one.code in VERIFIABLE and one.rewrite is not None and _is_safe(one)
        for touched in _touched(originals.project, one.rewrite.intents)
        if not is_lost_before(originals, originals.project.programs_of(one.place.path), touched)
    )


def _touched(project: Project, intents: Iterable[Intent]) -> Iterator[Touched]:
    """The code that intents will change, but for imports, which decide nothing; nothing for those of a first
    use, which the judge leaves alone."""
    changes: dict[str, list[LineRange]] = {}
    for intent in intents:
        if isinstance(intent, AddModule):
            return
        changes.setdefault(path_of(intent), []).extend(_lines_of(intent))
    yield Touched(project, {path: Changed(tuple(lines), ()) for path, lines in changes.items()})


def _lines_of(intent: Intent) -> Iterator[LineRange]:
    if isinstance(intent, AddImport):
        return
    values = (getattr(intent, one.name) for one in fields(intent))
    for place in values:
        if isinstance(place, Place):
            yield place.span[0], place.span[2]


class Planners(NamedTuple):
    """Who plans fixes: `to_the_end` those of the files that are named, as their edits will be judged, and
    `foresee` where nothing can be."""

    to_the_end: Callable[[SourceTree, Analysis, Analyse, frozenset[str]], FixPlan]
    foresee: PlanFixes


class Choice(NamedTuple):
    """What is told of a finding: the first of the proposals that are left, or `planned` at the end.

    `found` is the finding before any verdict. `asked` counts the kinds of proposals that were asked for.
    """

    found: Finding
    planned: Finding
    left: tuple[Finding, ...] = ()
    asked: int = 0

    @property
    def finding(self) -> Finding:
        """The finding with the fix that is chosen."""
        return self.left[0] if self.left else self.planned


def plan_verified(
    proposals: Proposals,
    tree: SourceTree,
    analysis: Analysis,
    analyse: Analyse,
    planners: Planners,
    project_of: Callable[[SourceTree], Project],
    *,
    only_verified: bool,
) -> tuple[tuple[Finding, ...], FixPlan]:
    """Plan the fixes of `analysis` so that no safe one is refuted; the findings, with what was found out.

    Where there is no safe fix, one of the `proposals` takes its place if it is verified. With
    `only_verified`, a fix whose program could not be followed to its end is not safe either. A finding that
    the runs disprove is left out.
    """
    refuting = frozenset({REFUTED, LOST} if only_verified else {REFUTED})
    kept = without_disproved(proposals.originals, analysis.findings)
    if len(kept) < len(analysis.findings):
        analysis = replace(analysis, findings=kept)
        analyse = _analysing_without_disproved(analyse, project_of)
    choices = [_with_proposals(Choice(finding, finding), proposals) for finding in analysis.findings]
    bench = _Bench(tree, project_of, proposals.originals)
    while True:
        findings = tuple(one.finding for one in choices)
        told = replace(analysis, findings=findings)
        concerned = concerned_files(proposals.originals, findings)
        if concerned:
            again = _analysing_with_proposals(analyse, findings, proposals, project_of)
            plan = planners.to_the_end(tree, told, again, concerned)
        else:
            plan = planners.foresee(tree, told, analyse)
        verdicts = bench.verdicts(findings, plan)
        later = [
            _next_choice(one, verdicts.get(index), refuting, proposals) for index, one in enumerate(choices)
        ]
        if later == choices:
            fixes = tuple(_marked(index, fix, findings, verdicts) for index, fix in enumerate(plan.fixes))
            return findings, FixPlan(fixes, plan.refusals)
        choices = later


def _analysing_with_proposals(
    analyse: Analyse,
    findings: Iterable[Finding],
    proposals: Proposals,
    project_of: Callable[[SourceTree], Project],
) -> Analyse:
    """Who tells what is found later, with the proposals of the rules and files of which one is chosen now."""
    chosen = {(one.code, one.place.path) for one in findings if one.rewrite and one.rewrite.proposal}
    if not chosen:
        return analyse

    def again(later: SourceTree) -> Analysis:
        found, project = analyse(later), project_of(later)
        told = (
            proposals.later(project, one) if (one.code, one.place.path) in chosen else one
            for one in found.findings
        )
        return replace(found, findings=tuple(told))

    return again


def _analysing_without_disproved(analyse: Analyse, project_of: Callable[[SourceTree], Project]) -> Analyse:
    """Who tells what is found later, but for what a run of the edited programs disproves."""

    def again(later: SourceTree) -> Analysis:
        found = analyse(later)
        return replace(found, findings=without_disproved(Originals(project_of(later)), found.findings))

    return again


def _with_proposals(choice: Choice, proposals: Proposals) -> Choice:
    """The choice, with the next kind of proposals where no fix is safe and none is left to be tried.

    What is suggested by a run of the program comes last: it costs more.
    """
    kinds = (proposals.planned, proposals.seen)
    while not (choice.left or choice.asked == len(kinds) or _is_safe(choice.planned)):
        if choice.planned.code not in VERIFIABLE or not proposals.can_be_verified(choice.planned):
            return choice
        left = kinds[choice.asked](choice.found)
        choice = choice._replace(left=left, asked=choice.asked + 1)
    return choice


def _next_choice(
    choice: Choice, verdict: Verdict | None, refuting: frozenset[str], proposals: Proposals
) -> Choice:
    """What is chosen after a verdict, or after none where a fix could not be planned."""
    if choice.left:
        if verdict is not None and verdict.kind == VERIFIED:
            return choice
        return _with_proposals(choice._replace(left=choice.left[1:]), proposals)
    if verdict is None or verdict.kind not in refuting:
        return choice
    return _with_proposals(choice._replace(planned=_demoted(choice.planned, verdict)), proposals)


def _is_safe(finding: Finding) -> bool:
    return finding.rewrite is not None and finding.rewrite.applicability is _SAFE


def _marked(
    index: int, fix: CompiledFix | None, findings: Sequence[Finding], verdicts: Mapping[int, Verdict]
) -> CompiledFix | None:
    if fix is None or findings[index].code not in VERIFIABLE:
        return fix
    return replace(fix, verified=index in verdicts and verdicts[index].kind == VERIFIED)


def _demoted(finding: Finding, verdict: Verdict) -> Finding:
    """The finding with an unsafe fix; with none if the program fails with it, whatever is assumed."""
    assert finding.rewrite is not None
    rewrite = replace(finding.rewrite, applicability=_UNSAFE)
    if verdict.kind == LOST:
        return replace(finding, rewrite=rewrite)
    if verdict.breaks:
        return replace(
            finding,
            rewrite=None,
            withdrawn=True,
            message=f"{finding.message}; a fix would break the program: {verdict.reason}",
            related=(*finding.related, *verdict.path),
        )
    return replace(
        finding,
        rewrite=rewrite,
        message=f"{finding.message}; the fix is not safe: {verdict.reason}",
        related=(*finding.related, *verdict.path),
    )


@dataclass
class _Bench:
    """Judges the fixes of one tree, each choice of edits once."""

    tree: SourceTree
    project_of: Callable[[SourceTree], Project]
    originals: Originals
    known: dict[tuple[Edits, tuple[str, ...]], Verdict] = field(default_factory=dict)
    lost: Counter[tuple[str, ...]] = field(default_factory=Counter)

    @cached_property
    def files(self) -> frozenset[str]:
        """The files that are there before any fix is applied."""
        return frozenset((*self.tree.targets, *self.tree.context))

    def verdicts(self, findings: Sequence[Finding], plan: FixPlan) -> dict[int, Verdict]:
        """What is said of each safe fix that can be judged, by the number of its finding."""
        edits = {
            index: frozenset(fix.edits)
            for index, fix in enumerate(plan.fixes)
            if fix is not None
            and fix.edits
            and fix.applicability is _SAFE
            and findings[index].code in VERIFIABLE
        }
        verdicts = {index: self._judged(own, self._entries(own)) for index, own in edits.items()}
        for entry in sorted({entry for own in edits.values() for entry in self._entries(own)}):
            together = [index for index, own in edits.items() if entry in self._entries(own)]
            if len({edits[index] for index in together}) < 2:
                continue
            if any(verdicts[index].kind != VERIFIED for index in together):
                continue
            union = self._judged(frozenset[OffsetEdit]().union(*(edits[one] for one in together)), (entry,))
            if union.kind != VERIFIED:
                # Each of them alone is right.
                verdicts |= dict.fromkeys(together, union._replace(breaks=False))
        return verdicts

    def _entries(self, edits: Edits) -> tuple[str, ...]:
        programs_of = self.originals.project.programs_of
        return tuple(sorted({entry for edit in edits for entry in programs_of(edit.path)}))

    def _judged(self, edits: Edits, entries: tuple[str, ...]) -> Verdict:
        question = (edits, entries)
        if question not in self.known:
            if self.lost[entries] >= _MOST_LOST:
                return Verdict(LOST, "too many fixes of these programs could not be followed")
            verdict = self._judged_anew(edits, entries)
            # What breaks one program of several may be right for the others.
            verdict = verdict._replace(breaks=verdict.breaks and len(entries) == 1)
            self.known[question] = verdict
            self.lost[entries] = self.lost[entries] + 1 if verdict.kind == LOST else 0
        return self.known[question]

    def _judged_anew(self, edits: Edits, entries: tuple[str, ...]) -> Verdict:
        grouped = {path: tuple(own) for path, own in by_path(edits).items()}
        before = {
            path: tuple(_lines_before(own, self.tree.source(path).text))
            for path, own in grouped.items()
            if path in self.files
        }
        if not self.files.issuperset(grouped):
            # The module of a first use: it is right by construction, and runs what no abstract run follows.
            return Verdict(LOST, "the fix adds a module")
        touched = Touched(self.originals.project, {path: Changed(one, ()) for path, one in before.items()})
        unseen = is_lost_before(self.originals, entries, touched)
        again = worth_a_second_look(self.originals.project, entries)
        # What is in sight and does not come to the edit shows nothing of it at a second look either.
        in_sight = frozenset(filter(self.originals.is_in_sight, again)) if unseen else frozenset[str]()
        verdict = Verdict(LOST, "no program can be followed to the edit", in_sight=in_sight)
        if unseen and not again:
            return verdict
        try:
            texts = {path: apply_edits(self.tree.source(path).text, own) for path, own in grouped.items()}
            tree = self.tree.with_texts(texts)
        except SourceError as error:
            return Verdict(LOST, f"the file {error.reason}")
        changes = {
            path: Changed(before[path], tuple(_lines(own, texts[path]))) for path, own in grouped.items()
        }
        after = self.project_of(tree)
        if not unseen:
            verdict = judge(self.originals, after, entries, changes)
        if verdict.kind == LOST and again:
            verdict = judge_again(self.originals, after, again, changes, verdict)
        return verdict._replace(path=_chosen(self.tree, tree, edits, verdict.path))


def _lines_before(edits: Iterable[OffsetEdit], text: str) -> Iterator[LineRange]:
    """The lines of `text` in which `edits` are, as it was before them."""
    for edit in edits:
        first = text.count("\n", 0, edit.start) + 1
        yield first, first + text.count("\n", edit.start, edit.end) + 1


def _lines(edits: Iterable[OffsetEdit], text: str) -> Iterator[LineRange]:
    """The lines of `text`, in which `edits` are, that these have changed or added."""
    shift = 0
    for edit in sorted(edits):
        start = edit.start + shift
        shift += len(edit.text) - (edit.end - edit.start)
        written = edit.text.strip()
        first = start + (edit.text.index(written) if written else 0)
        line = text.count("\n", 0, first) + 1
        yield line, line + written.count("\n")


def _chosen(
    before: SourceTree, after: SourceTree, edits: Edits, path: Sequence[Related]
) -> tuple[Related, ...]:
    """The last places of a path, as places of the files as they were read."""
    layer = Layer(tuple(Owned(edit, frozenset({0})) for edit in sorted(edits)))
    told = [Related(_origin(before, after, layer, one.place), one.message) for one in path]
    return tuple(dict.fromkeys(told))[-_MOST_PLACES:]


def _origin(before: SourceTree, after: SourceTree, layer: Layer, place: Place) -> Place:
    """Where a place of the edited file comes from: a line of the file as it was."""
    changes = [one.edit for one in layer.edits if one.edit.path == place.path]
    if not changes:
        return place
    offset = after.source(place.path).lines.offset(*place.span[:2])
    found = Origins(layer, place.path).of(offset)
    if not isinstance(found, int):
        found = _start_of(changes, offset)
    line, column = before.source(place.path).lines.ast_position(found)
    return Place(place.path, (line, column, line, column))


def _start_of(changes: Iterable[OffsetEdit], offset: int) -> int:
    """Where the edit begins that has written what stands at an offset."""
    shift = 0
    for edit in sorted(changes):
        if edit.start + shift + len(edit.text) > offset:
            return edit.start
        shift += len(edit.text) - (edit.end - edit.start)
    raise AssertionError("no edit has written this place")
