"""Changes inside a comment: a part of it goes, or is said in other words."""

from __future__ import annotations

from npu_migrate.intents import ReplaceComment
from npu_migrate.rewrite.document import Document, Range, Refused
from npu_migrate.rewrite.parts import Claim, Part, Replace

_BLANKS = " \t\f"
_SUBJECT = "comment"


def compile_comment(document: Document, intent: ReplaceComment) -> list[Part]:
    """The parts of a `ReplaceComment`. Raises `Refused`.

    The claim among them tells `agreed_change` what may happen to the comment. Of two changes of one comment
    the second has to wait: what then goes with it depends on the first.
    """
    start, end = document.lines.offsets(intent.place.span)
    line_start, _ = document.lines.bounds(intent.place.span[0])
    around = [one for one in document.tokens.between(line_start, end) if one.kind == "comment"]
    if not around or not around[-1].start <= start < end <= around[-1].end:
        raise Refused("the comment that should change is not there")
    place, comment = Range(start, end), Range(around[-1].start, around[-1].end)
    if not intent.text:
        place = _with_blanks(document, place, comment)
    change = Replace(*place, intent.text)
    return [change, Claim((_SUBJECT, comment.start), (change,))]


def agreed_change(part: Part) -> Replace | None:
    """The change of a comment that a part announces; ``None`` for other parts."""
    if not isinstance(part, Claim) or part.subject[0] != _SUBJECT:
        return None
    (change,) = part.value
    return change if isinstance(change, Replace) else None


def _with_blanks(document: Document, place: Range, comment: Range) -> Range:
    """What goes when `place` goes: the blanks beside it too, and a line on which nothing else stands."""
    rest = document.text[place.end : comment.end]
    if place.start == comment.start and rest.strip():
        return Range(place.start, comment.end - len(rest.lstrip(_BLANKS)))
    line = document.lines.ast_position(place.start)[0]
    line_start, line_end = document.lines.bounds(line)
    before = document.text[line_start : place.start].rstrip(_BLANKS)
    if before:
        return Range(line_start + len(before), place.end if rest.strip() else comment.end)
    return Range(line_start, document.lines.bounds(line + 1)[0] if line < document.lines.count else line_end)
