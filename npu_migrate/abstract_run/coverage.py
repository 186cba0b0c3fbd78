"""What has to run on some path, lest an edit counts as verified that nobody has seen at work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from npu_migrate.abstract_run.changes import LineRange
from npu_migrate.abstract_run.log import Path
from npu_migrate.abstract_run.machine.loops import end_of
from npu_migrate.index.facts import Call, Expr, FileFacts, Lambda, last_name, walk
from npu_migrate.places import Place
from npu_migrate.project.project import Project

_OF_DATASETS = frozenset({"map", "filter", "flat_map", "interleave", "map_and_batch", "parallel_interleave"})


class Coverage:
    """Every edited statement ran on some path, and so did every call in a loop that was cut short."""

    def __init__(self, project: Project, edited: Mapping[str, Sequence[LineRange]]) -> None:
        self.project = project
        self.edited = edited
        self.statements: set[tuple[str, int]] = set()
        self.calls: set[Call] = set()
        self.cut: set[tuple[str, int]] = set()
        self.made: set[Place] = set()
        self.taken: set[Place] = set()

    def add(self, path: Path) -> None:
        """Note what has run on a path."""
        self.statements |= path.statements
        self.calls |= path.calls
        self.cut |= path.cut
        self.made |= path.log.made_at
        self.taken |= path.log.taken_at

    def missing(self) -> str | None:
        """What did not run although it has to, in words; None if there is nothing."""
        for key, ranges in self.edited.items():
            facts = self.project.facts(key)
            if facts is None:
                return "an edited file cannot be read"
            for number in _own_statements(facts, ranges):
                if (key, number) not in self.statements:
                    return "no path was seen that reaches the edit"
            spared = _given_to_datasets(facts)
            for site in facts.calls:
                if site.call in self.calls or site.call in spared:
                    continue
                if _overlaps(site.call.span[0], site.call.span[2], ranges):
                    return "no path was seen that reaches the edit"
        for place in self.made - self.taken:
            if _overlaps(place.span[0], place.span[2], self.edited.get(place.path, ())):
                return "no path was seen that takes an element of the iterator"
        for key, number in self.cut:
            facts = self.project.facts(key)
            assert facts is not None
            end = end_of(facts, number)
            for site in facts.calls:
                inside = number < site.statement < end and not _lies_deeper(facts, number, site.statement)
                if inside and site.call not in self.calls:
                    return "no path was seen that reaches every call of a loop"
        return None


def _given_to_datasets(facts: FileFacts) -> set[Expr]:
    """The calls in lambdas that datasets get: they run in graphs of their own, which no edit concerns."""
    return {
        inner
        for site in facts.calls
        if last_name(site.call.func) in _OF_DATASETS
        for arg in site.call.args
        if isinstance(arg, Lambda)
        for inner in walk(arg.body)
    }


def _own_statements(facts: FileFacts, ranges: Sequence[LineRange]) -> Iterator[int]:
    for statement in facts.statements:
        last = statement.span[2]
        behind = statement.id + 1
        if behind < len(facts.statements) and facts.statements[behind].parent == statement.id:
            last = max(statement.span[0], facts.statements[behind].span[0] - 1)
        if statement.kind not in ("Global", "Nonlocal") and _overlaps(statement.span[0], last, ranges):
            yield statement.id


def _overlaps(first: int, last: int, ranges: Sequence[LineRange]) -> bool:
    return any(first <= end and start <= last for start, end in ranges)


def _lies_deeper(facts: FileFacts, loop: int, number: int) -> bool:
    """Whether a statement in a loop belongs to a function that the loop only defines."""
    return facts.statements[number].scope != facts.statements[loop].scope
