"""What a run is told and what comes of it, as values: the job, its parts, their plans, the outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from npu_migrate.engine.diagnosing import Diagnosed, Display, Label, PlannedFinding
from npu_migrate.findings import FileCounts, Finding, Report
from npu_migrate.settings import Settings
from npu_migrate.sources.discovery import Discovery
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.engine.fixes.fixing import FixPlan
    from npu_migrate.index.indexing import Index, Indexed, Sheet
    from npu_migrate.programs.graph import TreeImports
    from npu_migrate.programs.programs import Program, Sketches
    from npu_migrate.project.options import RuleOptions
    from npu_migrate.rules.rule import Rule
    from npu_migrate.run_codes import RunCode

Refine = Callable[["Outcome"], "Outcome"]
"""What is done with a result before anybody sees it: mark, move or leave out diagnostics."""

PlanEach = Callable[[Sequence["Part"], Callable[["Part"], "Plan"]], Iterable["Plan"]]
"""Who has the plans of parts made, or knows them; they come in any order."""

Recall = Callable[["Job", "MakePlan"], "Plan"]
"""Where the plan of a job comes from: from memory, or made anew."""

Analyse = Callable[[SourceTree], "Analysis"]
"""Tells the findings in a tree, and later in the same with other texts."""

PlanFixes = Callable[[SourceTree, "Analysis", Analyse], "FixPlan"]
"""Turns the rewrites of what was found into fixes; it may have edited trees analysed again."""

PlanVerified = Callable[
    ["Job", Analyse, SourceTree, "Analysis", Analyse], tuple[tuple[Finding, ...], "FixPlan"]
]
"""Has the job's fixes planned and judged: gets who has analysed the part, the tree, what was found in it, and
who tells what is found after an edit. What is found out about a fix may change its finding."""

PlanNamed = Callable[["Job", "Plan"], "Plan"]
"""Adds to a plan what is to be said of files that were named one by one."""

_Result = TypeVar("_Result")

Progress = Callable[[int, int], None]
"""Is told how many steps are done, and of how many; the last call has both equal."""


class WorkersError(Exception):
    """The processes that were asked for cannot be used; the text says why."""


def tell_nobody(done: int, steps: int) -> None:
    """The `Progress` of a run that nobody watches."""


def plan_only(
    job: Job, analyse: Analyse, tree: SourceTree, analysis: Analysis, analyse_again: Analyse
) -> tuple[tuple[Finding, ...], FixPlan]:
    """The `PlanVerified` that asks no judge."""
    return analysis.findings, job.plan_fixes(tree, analysis, analyse_again)


def index_here(sheets: Iterable[Sheet]) -> Iterator[tuple[str, Indexed]]:
    """The `Index` that builds facts in this process."""
    from npu_migrate.index import indexing

    return indexing.index_here(sheets)


def one_by_one(parts: Sequence[Part], work: Callable[[Part], _Result]) -> Iterable[_Result]:
    """The `Each` that does everything in this process."""
    return map(work, parts)


def make_anew(job: Job, make: MakePlan) -> Plan:
    """The `Recall` that remembers nothing."""
    return make(job.each, None)


def plan_as_it_is(job: Job, plan: Plan) -> Plan:
    """The `PlanNamed` that says nothing of files that were named."""
    return plan


class Part(Protocol):
    """Files of a tree that can be analysed by themselves."""

    @property
    def programs(self) -> Iterable[Program]:
        """The programs, in order of their entries: what they name may decide what is found, and no others."""

    @property
    def imports(self) -> TreeImports:
        """The imports between the files of the tree."""

    @property
    def weight(self) -> int:
        """How many files will be parsed at least."""

    def sheets(self) -> Iterable[Sheet]:
        """The texts of the files that will be parsed at least, as far as they can be read."""

    def analyser(self) -> Analyse:
        """What tells the findings in this part of a tree, and later in the same with other texts.

        Whoever is done with the part lets go of it: it keeps facts.
        """

    def with_index(self, index: Index) -> Part:
        """The same part, whose facts are built by `index`."""


class Split(Protocol):
    """Divides a tree into parts that can be analysed each by itself."""

    def __call__(self, tree: SourceTree, sketches: Sketches | None, /) -> Sequence[Part]:
        """The parts of `tree`, whose `sketches` may be known before."""


class MakePlan(Protocol):
    """Makes the plan of a job."""

    def __call__(self, each: PlanEach, sketches: Sketches | None, /) -> Plan:
        """The plan, whose parts `each` has planned; the `sketches` of the files may be known before."""


class Each(Protocol):
    """Who does the work on parts."""

    def __call__(self, parts: Sequence[Part], work: Callable[[Part], _Result]) -> Iterable[_Result]:
        """The results of `work` for all `parts`, in any order; it may run in other processes."""


@dataclass(frozen=True, slots=True)
class Machinery:
    """What a run is made of: the catalogue, the search for findings, the planning of fixes.

    `foresee_fixes` is the cheap form of `plan_fixes` for reports that do not show edits.

    `new_splitter` takes the folders, as keys, from which absolute imports start, what rules may know of the
    settings, who wants to know how far an analysis is, and who builds the facts of files. What it returns
    finds the parts of a tree that can be analysed each by itself, and may keep facts from one tree to the
    next.

    `plan_verified` has fixes planned and judged, `plan_named` says more of files that were named.
    `run_codes` are what a rehearsal finds in the same files, if there is one.

    `identity` hashes all of it, so that what one machinery found is never taken for what another one would
    find; without it nothing that was found is kept.
    """

    rules: Sequence[Rule]
    new_splitter: Callable[[tuple[str, ...], RuleOptions, Progress, Index], Split]
    plan_fixes: PlanFixes
    foresee_fixes: PlanFixes
    identity: Callable[[], bytes] | None = None
    plan_verified: PlanVerified = plan_only
    plan_named: PlanNamed = plan_as_it_is
    run_codes: Mapping[str, RunCode] | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to do: which files to look at, under which settings, with what. See `prepare`.

    `refinements` are applied to the result, one after the other. `recall` may know what the same files came
    to in an earlier run. What it knows to be the same when the job is done that this one is to be told
    `apart_from`, it may leave out.
    """

    discovery: Discovery
    settings: Settings
    rules: Sequence[Rule]
    split: Split
    plan_fixes: PlanFixes
    foresee_fixes: PlanFixes
    display: Display
    plan_verified: PlanVerified = plan_only
    plan_named: PlanNamed = plan_as_it_is
    run_codes: Mapping[str, RunCode] | None = None
    refinements: tuple[Refine, ...] = ()
    recall: Recall = make_anew
    each: Each = one_by_one
    apart_from: Job | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the rules found in the targets of a tree, before selection and suppression.

    `analysed` are the targets that were searched, `failed` those that could not be read or parsed,
    `context` counts the files outside the targets that were read for cross-file facts. It is `complete`
    unless one of all these files, or a rule, failed. It is `repeatable` unless that may go better the next
    time: a process that died, memory that ran out, a file that could not be read.
    """

    findings: tuple[Finding, ...]
    analysed: frozenset[str]
    failed: frozenset[str]
    context: int
    complete: bool = True
    repeatable: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """All that reading and analysing the files comes to, before anybody asks how to show it.

    Each finding has the fix that was planned for it, and `labels` what the catalogue says of its code. It is
    `repeatable` if the same files would come to the same again (see `Analysis`). As many findings that count
    are `left_out` (see `Job.apart_from`).
    """

    findings: tuple[PlannedFinding, ...]
    labels: Mapping[str, Label]
    files: FileCounts
    repeatable: bool = True
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    `diagnosed` pairs each diagnostic of `report` with its fix in offsets; `tree` holds in memory the files
    that these fixes would change, as they were when the fixes were planned. It is `repeatable` if its plan
    is. As many findings that count are `left_out` as in its plan.
    """

    report: Report
    diagnosed: tuple[Diagnosed, ...]
    tree: SourceTree
    repeatable: bool = True
    left_out: int = 0
