"""What the light bulb offers: fixes, comments that accept a finding, pages of rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from lsprotocol import types

from npu_migrate.engine.accepting.comment_places import CommentPlaces
from npu_migrate.engine.diagnosing import CompiledFix, Diagnosed
from npu_migrate.engine.fixes.applying import chosen_fixes
from npu_migrate.findings import IDLE_COMMENT, NOT_ANALYSED, REFUSED_FIX, Applicability
from npu_migrate.languages.saying import Say, english
from npu_migrate.lsp.judging.judged import Judged
from npu_migrate.lsp.showing.diagnostics import Shown
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.sources.source import SourceError

FIX_ALL = "source.fixAll.npuMigrate"
EXPLAIN = "npuMigrate.explainRule"
"""The command that shows the page of a rule; its argument is the code."""
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)

_NO_COMMENT = frozenset({*NOT_ANALYSED, IDLE_COMMENT, REFUSED_FIX})


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that changes texts: for one finding, or for all if it has none.

    `what` is the word by which it is found again when its edits are asked for.
    """

    what: str
    title: str
    kind: str
    finding: Shown | None = None
    preferred: bool = False

    @property
    def fingerprint(self) -> str | None:
        """By what the finding is known."""
        diagnosed = None if self.finding is None else self.finding.diagnosed
        return None if diagnosed is None else diagnosed.diagnostic.fingerprint


def offers(
    judged: Judged, shown: Sequence[Shown], *, unsafe: bool, creates: bool, say: Say = english
) -> Iterator[Offer]:
    """What can be done about the findings `shown`, and in the whole file.

    `unsafe` fixes, and such that need an editor which `creates` files, are offered only if that is said.
    """
    places = cache(lambda: comment_places(judged))
    for one in shown:
        found = one.diagnosed
        if found is None:
            continue
        fix = found.fix
        possible = fix is not None and is_possible(fix, judged, creates=creates)
        if fix is not None and possible and (unsafe or fix.applicability is Applicability.SAFE):
            safe = fix.applicability is Applicability.SAFE
            title = say(fix.title if safe else f"{fix.title} (unsafe)")
            yield Offer("fix", title, types.CodeActionKind.QuickFix, one, preferred=safe)
        code = found.diagnostic.code
        if code not in _NO_COMMENT:
            comments = places()
            if comments is not None and comments.line_for(found.place) is not None:
                title = say(f"Disable {code} for this line")
                yield Offer("disable", title, types.CodeActionKind.QuickFix, one)
    if all_safe_fixes(judged, creates=creates):
        yield Offer("all", say("Fix all safe npu-migrate problems"), FIX_ALL)


def comment_places(judged: Judged) -> CommentPlaces | None:
    """Where in the judged text comments can stand; None where it cannot be read."""
    try:
        return CommentPlaces(judged.tree.source(judged.key))
    except SourceError:
        return None


def is_possible(fix: CompiledFix, judged: Judged, *, creates: bool) -> bool:
    """Whether an editor that `creates` new files, or does not, can carry out a fix."""
    return creates or not any(judged.tree.is_new(edit.path) for edit in fix.edits)


def all_safe_fixes(judged: Judged, *, creates: bool) -> list[CompiledFix]:
    """The safe fixes that such an editor can carry out."""
    chosen = chosen_fixes(judged.diagnosed, Applicability.SAFE)
    return [fix for fix in chosen if is_possible(fix, judged, creates=creates)]


def edits_of(
    what: str, fingerprint: str | None, judged: Judged, *, creates: bool
) -> tuple[OffsetEdit, ...] | None:
    """The edits of an offer; None where there is no such offer any more."""
    if what == "all":
        return tuple(edit for fix in all_safe_fixes(judged, creates=creates) for edit in fix.edits)
    for one in judged.diagnosed:
        if one.diagnostic.counts and one.diagnostic.fingerprint == fingerprint:
            if what == "fix":
                possible = one.fix is not None and is_possible(one.fix, judged, creates=creates)
                return one.fix.edits if one.fix is not None and possible else None
            return _comment(one, judged)
    return None


def _comment(one: Diagnosed, judged: Judged) -> tuple[OffsetEdit, ...] | None:
    places = comment_places(judged)
    line = None if places is None else places.line_for(one.place)
    if places is None or line is None:
        return None
    return (OffsetEdit(judged.key, *places.comment(line, [one.diagnostic.code], None)),)


def explanations(shown: Sequence[Shown], say: Say = english) -> Iterator[types.CodeAction]:
    """The actions that show the pages of the rules."""
    for code in dict.fromkeys(str(one.diagnostic.code) for one in shown):
        title = say(f"Explain {code}")
        command = types.Command(title=title, command=EXPLAIN, arguments=[code])
        diagnostics = [one.diagnostic for one in shown if one.diagnostic.code == code]
        yield types.CodeAction(
            title, kind=types.CodeActionKind.QuickFix, diagnostics=diagnostics, command=command
        )


def is_asked_for(kind: str, only: Sequence[str] | None) -> bool:
    """Whether an editor that wants actions of the kinds `only` wants those of `kind`."""
    return only is None or any(kind == one or kind.startswith(f"{one}.") or not one for one in only)


def overlapping(shown: Iterable[Shown], uri: str, place: types.Range) -> tuple[Shown, ...]:
    """The findings in a document that a range touches."""
    return tuple(
        one
        for one in shown
        if one.uri == uri
        and one.diagnostic.range.start <= place.end
        and place.start <= one.diagnostic.range.end
    )
