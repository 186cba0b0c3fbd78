"""All rewrites of all files become edits together.

Each rewrite is compiled to parts on its own; rewrites whose parts clash with those of an earlier one are
dropped; the parts of the others are joined into edits, applied and verified, all together first and one
by one only if that fails. A rewrite is carried out in all its files or in none.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from npu_migrate.findings import Applicability, Rewrite
from npu_migrate.index.parsing import UNPARSABLE
from npu_migrate.intents import (
    AddImport,
    AddModule,
    BindExpression,
    DropItems,
    EncloseStatement,
    HoistExpression,
    HoistStatement,
    InsertStatement,
    Intent,
    KeepInner,
    PassToFunction,
    Rename,
    ReplaceComment,
    ReplaceExpression,
    ReplaceStatement,
    SetArgument,
    WrapExpression,
    path_of,
)
from npu_migrate.rewrite.arguments import compile_argument
from npu_migrate.rewrite.binding import compile_binding
from npu_migrate.rewrite.clashes import Taken, clash
from npu_migrate.rewrite.comments import agreed_change, compile_comment
from npu_migrate.rewrite.document import Document, Refused
from npu_migrate.rewrite.dropping import compile_dropping
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.rewrite.expressions import (
    compile_keeping,
    compile_passing,
    compile_replacement,
    compile_wrapping,
)
from npu_migrate.rewrite.hoisting import (
    compile_enclosing,
    compile_expression_hoist,
    compile_statement_hoist,
)
from npu_migrate.rewrite.imports import compile_import
from npu_migrate.rewrite.joining import Joined, join
from npu_migrate.rewrite.layers import connected
from npu_migrate.rewrite.modules import compile_module
from npu_migrate.rewrite.parts import Part, changes
from npu_migrate.rewrite.renames import compile_rename
from npu_migrate.rewrite.statements import compile_insertion, compile_statement_replacement
from npu_migrate.rewrite.verification import defect

CONFLICT = "it conflicts with another fix"


@dataclass(frozen=True, slots=True)
class CompiledRewrite:
    """What became of one rewrite: its edits on the given texts, or the reason why it has none.

    `together` are the indices of all rewrites that share an edit with it, itself included; they only work
    together, so `edits` are those of all of them and `applicability` is the worst of theirs. For a rewrite
    that was refused because it conflicts with others, `blockers` are these.
    """

    applicability: Applicability
    edits: tuple[OffsetEdit, ...] | None
    refusal: str | None
    together: frozenset[int] = frozenset()
    blockers: frozenset[int] = frozenset()


class _Draft(NamedTuple):
    """The parts of one rewrite by file; ``refusal`` says why there are none."""

    parts: Mapping[str, tuple[Part, ...]]
    refusal: str | None
    blockers: frozenset[int] = frozenset()


def compile_rewrites(texts: Mapping[str, str], rewrites: Sequence[Rewrite]) -> tuple[CompiledRewrite, ...]:
    """Compile `rewrites`, in order of precedence, to edits on `texts` (by file key).

    The result has one entry per rewrite, in the same order. The union of the edits of any of them has no
    two edits that start at one place or overlap, and applying it leaves files that compile and have all
    their comments. A rewrite for a file that is not given, or does not parse, is refused.
    """
    documents = _documents(texts, rewrites)
    surroundings = _Surroundings(_uses(rewrites), _taken_away(rewrites))
    drafts = _without_clashes([_draft(documents, rewrite, surroundings) for rewrite in rewrites])
    joiner = _Joiner(documents, _unsafe(rewrites))
    joined = joiner(enumerate(drafts))
    paths = {one.edit.path for one in joined}
    broken = {path for path in paths if _defect_in(documents[path], joined, path, drafts)}
    if broken:
        drafts = _without_defects(joiner, drafts, broken)
        joined = joiner(enumerate(drafts))
    return _results(rewrites, drafts, joined)


def _documents(texts: Mapping[str, str], rewrites: Iterable[Rewrite]) -> dict[str, Document]:
    paths = {path_of(intent) for rewrite in rewrites for intent in rewrite.intents}
    documents = {}
    for path in sorted(paths & texts.keys()):
        with contextlib.suppress(*UNPARSABLE):
            documents[path] = Document(texts[path])
    return documents


class _Surroundings(NamedTuple):
    """What all rewrites make of the lines of files, for who looks for the place of an import.

    `uses` are the lines that rewrites with an import change, and do not take away; `taken_away` the first
    lines of the statements that rewrites take away, by file.
    """

    uses: Mapping[AddImport, Set[int]]
    taken_away: Mapping[str, Set[int]]


def _uses(rewrites: Iterable[Rewrite]) -> dict[AddImport, set[int]]:
    uses: dict[AddImport, set[int]] = defaultdict(set)
    for rewrite in rewrites:
        places = [
            one.place
            for one in rewrite.intents
            if not isinstance(one, AddImport | AddModule) and not _takes_away(one)
        ]
        for intent in rewrite.intents:
            if isinstance(intent, AddImport):
                uses[intent].update(place.span[0] for place in places if place.path == intent.path)
    return uses


def _taken_away(rewrites: Iterable[Rewrite]) -> dict[str, set[int]]:
    lines: dict[str, set[int]] = defaultdict(set)
    for intent in (one for rewrite in rewrites for one in rewrite.intents):
        if isinstance(intent, ReplaceStatement) and _takes_away(intent):
            lines[intent.place.path].add(intent.place.span[0])
    return lines


def _takes_away(intent: Intent) -> bool:
    return isinstance(intent, ReplaceStatement) and not intent.code


def _draft(documents: Mapping[str, Document], rewrite: Rewrite, surroundings: _Surroundings) -> _Draft:
    parts: dict[str, list[Part]] = defaultdict(list)
    for intent in rewrite.intents:
        path = path_of(intent)
        if path not in documents:
            return _Draft({}, "it has to change a file that could not be read")
        try:
            compiled = _compile(documents[path], intent, surroundings)
        except Refused as refused:
            return _Draft({}, str(refused))
        if any(clash(part, other) for part in compiled for other in parts[path]):
            return _Draft({}, "its own changes do not go together")
        parts[path] += compiled
    if not any(changes(part) for owned in parts.values() for part in owned):
        return _Draft({}, "it would change nothing")
    return _Draft({path: tuple(owned) for path, owned in parts.items()}, None)


def _compile(document: Document, intent: Intent, surroundings: _Surroundings) -> list[Part]:
    match intent:
        case Rename():
            return compile_rename(document, intent)
        case SetArgument():
            return compile_argument(document, intent)
        case ReplaceExpression():
            return compile_replacement(document, intent)
        case KeepInner():
            return compile_keeping(document, intent)
        case DropItems():
            return compile_dropping(document, intent)
        case WrapExpression():
            return compile_wrapping(document, intent)
        case PassToFunction():
            return compile_passing(document, intent)
        case BindExpression():
            return compile_binding(document, intent)
        case InsertStatement():
            return compile_insertion(document, intent)
        case ReplaceStatement():
            return compile_statement_replacement(document, intent)
        case HoistStatement():
            return compile_statement_hoist(document, intent)
        case HoistExpression():
            return compile_expression_hoist(document, intent)
        case EncloseStatement():
            return compile_enclosing(document, intent)
        case AddImport():
            taken_away = surroundings.taken_away.get(intent.path, frozenset())
            return compile_import(document, intent, surroundings.uses[intent], taken_away)
        case AddModule():
            return compile_module(document, intent)
        case ReplaceComment():
            return compile_comment(document, intent)


def _without_clashes(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Drop each rewrite that clashes with an earlier one which is still there."""
    taken: dict[str, Taken] = defaultdict(Taken)
    kept = []
    for index, draft in enumerate(drafts):
        blockers = frozenset[int]().union(*(taken[path].blockers(draft.parts[path]) for path in draft.parts))
        if blockers:
            kept.append(_Draft({}, CONFLICT, blockers))
            continue
        kept.append(draft)
        for path, parts in draft.parts.items():
            taken[path].add(parts, index)
    return kept


def _without_defects(joiner: _Joiner, drafts: Sequence[_Draft], broken: Set[str]) -> list[_Draft]:
    """Drop each rewrite that breaks a file, alone or together with the earlier ones that are still there.

    Only those that change one of the `broken` files are suspected.
    """
    kept = {index: one for index, one in enumerate(drafts) if broken.isdisjoint(one.parts)}
    for index, draft in enumerate(drafts):
        if index in kept:
            continue
        documents = {path: joiner.documents[path] for path in draft.parts}
        beside = {other: one for other, one in kept.items() if not documents.keys().isdisjoint(one.parts)}
        alone, together = joiner([(index, draft)]), joiner([*beside.items(), (index, draft)])
        defects = [_defect_in(document, alone, path, [draft]) for path, document in documents.items()]
        if reason := next(filter(None, defects), None):
            kept[index] = _Draft({}, reason)
        elif any(
            _defect_in(document, together, path, [*beside.values(), draft])
            for path, document in documents.items()
        ):
            kept[index] = _Draft({}, CONFLICT, frozenset(beside))
        else:
            kept[index] = draft
    return [kept[index] for index in range(len(drafts))]


@dataclass(frozen=True, slots=True)
class _Joiner:
    """Joins drafts to edits."""

    documents: Mapping[str, Document]
    unsafe: frozenset[int]

    def __call__(self, drafts: Iterable[tuple[int, _Draft]]) -> list[Joined]:
        """The edits of some drafts, given with the numbers of their rewrites."""
        parts: dict[str, dict[int, tuple[Part, ...]]] = defaultdict(dict)
        for index, draft in drafts:
            for path, owned in draft.parts.items():
                parts[path][index] = owned
        return [
            edit
            for path in sorted(parts)
            for edit in join(path, self.documents[path], parts[path], self.unsafe)
        ]


def _defect_in(
    document: Document, joined: Iterable[Joined], path: str, drafts: Iterable[_Draft]
) -> str | None:
    """What is wrong with a file after the edits of `drafts`, joined."""
    edits = [one.edit for one in joined if one.edit.path == path]
    asked = (agreed_change(part) for draft in drafts for part in draft.parts.get(path, ()))
    comments = [OffsetEdit(path, *change) for change in asked if change is not None]
    return defect(document, edits, comments)


def _results(
    rewrites: Sequence[Rewrite], drafts: Sequence[_Draft], joined: Sequence[Joined]
) -> tuple[CompiledRewrite, ...]:
    groups = connected(one.owners for one in joined if one.mixed)
    by_owner: dict[int, list[OffsetEdit]] = defaultdict(list)
    for one in joined:
        for owner in one.owners:
            by_owner[owner].append(one.edit)
    results = []
    for index, (rewrite, draft) in enumerate(zip(rewrites, drafts, strict=True)):
        if draft.refusal is not None:
            results.append(
                CompiledRewrite(rewrite.applicability, None, draft.refusal, blockers=draft.blockers)
            )
            continue
        together = groups.get(index, frozenset({index}))
        edits = tuple(sorted({edit for owner in together for edit in by_owner[owner]}))
        results.append(
            CompiledRewrite(worst(rewrites[one].applicability for one in together), edits, None, together)
        )
    return tuple(results)


def _unsafe(rewrites: Iterable[Rewrite]) -> frozenset[int]:
    return frozenset(index for index, one in enumerate(rewrites) if one.applicability is Applicability.UNSAFE)


def worst(applicabilities: Iterable[Applicability]) -> Applicability:
    """Unsafe if any of them is."""
    return Applicability.UNSAFE if Applicability.UNSAFE in set(applicabilities) else Applicability.SAFE
