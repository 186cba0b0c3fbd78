"""The facts of a file in which somebody has typed, from the facts that it had before.

Most keystrokes change one line, and only the statement at the top level that this line belongs to is parsed
again. The facts of the others are taken over as they are, which is why this works only while lines and
statements keep their numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from npu_migrate.index.build import build_part
from npu_migrate.index.facts import NOTHING, Binding, FileFacts, Statement
from npu_migrate.index.parsing import UNPARSABLE, parse

_Numbers = Mapping[str, tuple[int, ...]]


class _Part(NamedTuple):
    """A statement at the top level with all that lies in it.

    `first` is its number and `end` the first number behind it, `first_scope` and `end_scope` the same for
    scopes. It reaches from `first_line` to `last_line`; what stands between it and the one before belongs
    to it.
    """

    first: int
    end: int
    first_scope: int
    end_scope: int
    first_line: int
    last_line: int


def rebuild_facts(facts: FileFacts, text: str, start: int, removed: str, added: str) -> FileFacts | None:
    """The facts of `text`, in which `added` stands at the offset `start` where `removed` was before.

    `facts` are those of the text before. The result is what `build_facts` gives. None where there is no short
    way to it, or where it raises.
    """
    if any(newline in stretch for newline in "\n\r" for stretch in (removed, added)):
        return None
    if text.count("\r") != text.count("\r\n") or text[:start].endswith("\r"):
        return None  # Python ends lines at a lone \r too
    line = text.count("\n", 0, start) + 1
    part = _part_at(facts, line)
    if part is None:
        return None
    first, last = _stretch(text, start, line - part.first_line, part.last_line - line)
    try:
        tree = parse("\n" * (part.first_line - 1) + text[first:last])
    except UNPARSABLE:
        return None
    if len(tree.body) != 1:
        return None
    place = facts.statements[part.first].position
    new = build_part(facts.key, tree, place=place, first_statement=part.first, first_scope=part.first_scope)
    return _joined(facts, part, new)


def _stretch(text: str, offset: int, above: int, below: int) -> tuple[int, int]:
    """The offsets of the line that holds `offset`, together with so many lines above and below it."""
    start = text.rfind("\n", 0, offset) + 1
    for _ in range(above):
        start = text.rfind("\n", 0, start - 1) + 1
    end = offset
    for _ in range(below + 1):
        end = text.find("\n", end) + 1 or len(text)
    return start, end


def _part_at(facts: FileFacts, line: int) -> _Part | None:
    """The statement at the top level that a line belongs to; None if that is none, or several."""
    top = [statement for statement in facts.statements if statement.parent == NOTHING]
    index = bisect_left(top, line, key=lambda statement: statement.span[2])
    if index == len(top):
        return None
    before = top[index - 1].span[2] if index else 0
    after = top[index + 1] if index + 1 < len(top) else None
    own = top[index].span
    if own[0] <= before or (after is not None and after.span[0] <= own[2]):
        return None
    first = top[index].id
    end = len(facts.statements) if after is None else after.id
    scopes = facts.scopes
    first_scope, end_scope = (
        bisect_left(scopes, number, lo=1, key=lambda scope: scope.statement) for number in (first, end)
    )
    return _Part(first, end, first_scope, end_scope, before + 1, own[2])


# -- the facts, joined --------------------------------------------------------------------------------


def _joined(facts: FileFacts, part: _Part, new: FileFacts) -> FileFacts | None:
    """The old facts with those of one part replaced; None where other parts would not stay as they are."""
    old_scopes = facts.scopes[part.first_scope : part.end_scope]
    if len(new.statements) != part.end - part.first or len(new.scopes) - 1 != len(old_scopes):
        return None
    if any(scope.outer_names for scope in chain(facts.scopes[:1], old_scopes, new.scopes)):
        return None
    old_statements = facts.statements[part.first : part.end]
    if new.scopes[0].stars or (facts.scopes[0].stars and _may_import_stars(facts, old_statements)):
        return None
    bindings = _bindings(facts.scopes[0].bindings, part, new.scopes[0].bindings)
    if bindings is None:
        return None
    module = facts.scopes[0]._replace(bindings=bindings)
    first_call, end_call = (
        bisect_left(facts.calls, number, key=lambda site: site.statement) for number in (part.first, part.end)
    )
    return FileFacts(
        facts.key,
        facts.statements[: part.first] + new.statements + facts.statements[part.end :],
        (module, *facts.scopes[1 : part.first_scope], *new.scopes[1:], *facts.scopes[part.end_scope :]),
        facts.calls[:first_call] + new.calls + facts.calls[end_call:],
        _numbers(facts.words, part, new.words),
        facts.globals,
        _merged(facts.yielding, part, new.yielding),
    )


def _may_import_stars(facts: FileFacts, statements: Sequence[Statement]) -> bool:
    """Whether a ``from`` statement among the module's `statements` binds no name, as one with a star does."""
    binding = {one.statement for bindings in facts.scopes[0].bindings.values() for one in bindings}
    return any(
        statement.kind == "ImportFrom" and statement.scope == 0 and statement.id not in binding
        for statement in statements
    )


def _numbers(old: _Numbers, part: _Part, new: _Numbers) -> dict[str, tuple[int, ...]]:
    found = {}
    for word in old.keys() | new.keys():
        numbers = _merged(old.get(word, ()), part, new.get(word, ()))
        if numbers:
            found[word] = numbers
    return found


def _merged(old: tuple[int, ...], part: _Part, new: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers of statements in order, those within the part replaced."""
    if not new and (not old or old[-1] < part.first or old[0] >= part.end):
        return old
    first, end = bisect_left(old, part.first), bisect_left(old, part.end)
    return old[:first] + new + old[end:]


def _bindings(
    old: Mapping[str, tuple[Binding, ...]], part: _Part, new: Mapping[str, tuple[Binding, ...]]
) -> dict[str, tuple[Binding, ...]] | None:
    """The bindings of the module, names in the order in which they are first bound.

    None where a name was bound in the part first, and now is further below: its place among the others that
    are would have to be found.
    """
    before, behind = {}, {}
    for name, bindings in old.items():
        kept = tuple(one for one in bindings if not part.first <= one.statement < part.end)
        if not kept and name not in new:
            continue
        if bindings[0].statement < part.first:
            early = tuple(one for one in kept if one.statement < part.first)
            before[name] = early + new.get(name, ()) + kept[len(early) :]
        elif name not in new:
            if kept != bindings:
                return None
            behind[name] = kept
    own = {
        name: bindings + tuple(one for one in old.get(name, ()) if one.statement >= part.end)
        for name, bindings in new.items()
        if name not in before
    }
    return {**before, **own, **behind}
