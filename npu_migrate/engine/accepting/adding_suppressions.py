"""Comments that accept what was found, and the proof that they do this and nothing else."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from npu_migrate.engine.accepting.comment_places import CommentPlaces
from npu_migrate.engine.accepting.suppression import MARKER
from npu_migrate.engine.diagnosing import CompiledFix, Diagnosed
from npu_migrate.engine.fixes.applying import Applied, apply_in_memory
from npu_migrate.engine.job import Job, Outcome
from npu_migrate.engine.run import run
from npu_migrate.findings import IDLE_COMMENT, NOT_ANALYSED, REFUSED_FIX, Applicability
from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.places import Place
from npu_migrate.rewrite.document import same
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.sources.source import SourceError
from npu_migrate.sources.tree import SourceTree

_NO_PLACE = "no comment can stand on its line, or on the first line of its statement"
_OTHER_COMMENT = re.compile(r"(?:^|\s)#(?!\d)")

_Known = tuple[str, Place]
"""A finding, known by its code and place."""


@dataclass(frozen=True, slots=True)
class Additions:
    """The comments to write: the edits of each file, and the findings that they are for.

    `left` tells for the findings without a comment why they have none, in words that complete a sentence.
    """

    edits: tuple[OffsetEdit, ...]
    accepted: frozenset[_Known]
    left: tuple[tuple[Diagnosed, str], ...]

    @property
    def fixes(self) -> tuple[CompiledFix, ...]:
        """The edits as one fix per file: all comments of a file are written, or none."""
        by_path: dict[str, list[OffsetEdit]] = defaultdict(list)
        for edit in self.edits:
            by_path[edit.path].append(edit)
        return tuple(
            CompiledFix(Applicability.SAFE, "Write suppression comments", tuple(edits))
            for edits in by_path.values()
        )

    def accepted_in(self, keys: Iterable[str]) -> int:
        """How many findings the comments in some files are for."""
        files = frozenset(keys)
        return sum(place.path in files for _, place in self.accepted)


def wrong_reason(reason: str) -> str | None:
    """Why a text cannot stand as a reason behind a suppression comment; ``None`` if it can."""
    if not reason.strip():
        return "is empty"
    if not reason.isprintable():
        return "must be one line without control characters"
    if MARKER in reason or _OTHER_COMMENT.search(reason):
        return "would begin another comment; write it without #"
    return None


def additions_for(outcome: Outcome, reason: str | None) -> Additions:
    """Comments for the findings of a result that count.

    `reason` goes behind each comment that has none yet; see `wrong_reason`.
    """
    edits: list[OffsetEdit] = []
    accepted: set[_Known] = set()
    left: list[tuple[Diagnosed, str]] = []
    for key, findings in _by_file(outcome.diagnosed).items():
        places = _places(outcome.tree, key)
        lines: dict[int, set[str]] = defaultdict(set)
        for one in findings:
            code, place = one.diagnostic.code, one.place
            if code == REFUSED_FIX:
                continue
            if places is None or code in NOT_ANALYSED:
                left.append((one, "a comment cannot suppress that a file was not analysed"))
            elif code == IDLE_COMMENT:
                left.append((one, "the comment that it is about has to go"))
            elif (line := places.line_for(place)) is None:
                left.append((one, _NO_PLACE))
            else:
                lines[line].add(code)
                accepted.add((code, place))
        if places is not None:
            words = None if reason is None else reason.strip()
            edits += (OffsetEdit(key, *places.comment(line, codes, words)) for line, codes in lines.items())
    return Additions(tuple(edits), frozenset(accepted), tuple(left))


def applied_if_proven(job: Job, outcome: Outcome, additions: Additions) -> Applied:
    """The files with the comments in them, those left out where the comments would not do what they should.

    The changed program must be the same, and of the findings of before just those must be suppressed that a
    comment is for.
    """
    applied = apply_in_memory(outcome.tree, additions.fixes)
    tree = outcome.tree.with_contents(applied.contents)
    discovery = replace(job.discovery, tree=tree)
    after = run(replace(job, discovery=discovery, plan_fixes=job.foresee_fixes, refinements=()))
    before = {(one.diagnostic.code, one.place) for one in outcome.diagnosed}
    differing = (_suppressed(outcome) | additions.accepted) ^ (_suppressed(after) & before)
    wrong = applied.contents.keys() & {place.path for _, place in differing}
    refused = dict.fromkeys(wrong, "left as it was: the comments would not suppress just what was found")
    for key in applied.contents:
        if not _same_program(outcome.tree, tree, key):
            refused[key] = "left as it was: the comments would change the program"
    kept = tuple(fix for fix in applied.fixes if fix.edits[0].path not in refused)
    return replace(apply_in_memory(outcome.tree, kept), refused={**applied.refused, **refused})


def _by_file(diagnosed: Sequence[Diagnosed]) -> dict[str, list[Diagnosed]]:
    found: dict[str, list[Diagnosed]] = defaultdict(list)
    for one in diagnosed:
        if one.diagnostic.counts:
            found[one.place.path].append(one)
    return dict(found)


def _places(tree: SourceTree, key: str) -> CommentPlaces | None:
    try:
        source = tree.source(key)
        parse(source.text)
    except (SourceError, *UNPARSABLE):
        return None
    return CommentPlaces(source)


def _suppressed(outcome: Outcome) -> frozenset[_Known]:
    return frozenset(
        (one.diagnostic.code, one.place) for one in outcome.diagnosed if one.diagnostic.suppressed
    )


def _same_program(before: SourceTree, after: SourceTree, key: str) -> bool:
    try:
        return same(parse(before.source(key).text), parse(after.source(key).text))
    except (SourceError, *UNPARSABLE):
        return False
