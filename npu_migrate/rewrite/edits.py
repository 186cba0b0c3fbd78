"""Edits on texts: applying them, and turning two passes of edits into one."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class OffsetEdit(NamedTuple):
    """Replace the code points `start` to `end` (exclusive, 0-based) of the text of `path` by `text`."""

    path: str
    start: int
    end: int
    text: str


class Composed(NamedTuple):
    """An edit on the first text, and which edits of the two passes it is made of (their indices)."""

    edit: OffsetEdit
    first: tuple[int, ...]
    second: tuple[int, ...]


def apply_edits(text: str, edits: Iterable[OffsetEdit]) -> str:
    """The text of one file after `edits`, which may come in any order; equal ones are applied once.

    Raises `ValueError` when two different edits start at the same place or overlap, or when an edit does
    not lie inside the text.
    """
    pieces: list[str] = []
    done, last_start = 0, -1
    for edit in sorted(set(edits)):
        if edit.start < done or edit.start == last_start or not edit.start <= edit.end <= len(text):
            raise ValueError(f"edit {edit.start}..{edit.end} overlaps another one or leaves the text")
        pieces += (text[done : edit.start], edit.text)
        done, last_start = edit.end, edit.start
    pieces.append(text[done:])
    return "".join(pieces)


def by_path(edits: Iterable[OffsetEdit]) -> dict[str, list[OffsetEdit]]:
    """The edits of each file, sorted and without duplicates."""
    grouped: dict[str, list[OffsetEdit]] = defaultdict(list)
    for edit in sorted(set(edits)):
        grouped[edit.path].append(edit)
    return dict(grouped)


def compose(first: Sequence[OffsetEdit], second: Sequence[OffsetEdit]) -> tuple[Composed, ...]:
    """Edits that do to the first text what `first` and then `second` (on the result) do, sorted by file.

    An edit of `second` melts together with those of `first` whose new text it changes, or beside which it
    would start at the same place of the first text. All others stay what they are.
    """
    composed: list[Composed] = []
    for path in sorted({edit.path for edit in (*first, *second)}):
        earlier, later = (
            sorted(
                ((index, edit) for index, edit in enumerate(edits) if edit.path == path),
                key=lambda numbered: numbered[1],
            )
            for edits in (first, second)
        )
        composed += _compose_file(path, earlier, later)
    return tuple(composed)


class _Stretch(NamedTuple):
    """An edit of the first pass: the range it replaces, and the range of its text in the middle text."""

    number: int
    old_start: int
    old_end: int
    start: int
    end: int
    text: str


_Numbered = tuple[int, OffsetEdit]


def _compose_file(path: str, first: Sequence[_Numbered], second: Sequence[_Numbered]) -> list[Composed]:
    stretches = _stretches(first)
    ends = [stretch.end for stretch in stretches]
    clusters: list[tuple[set[int], list[_Numbered]]] = []
    for index, change in second:
        met: set[int] = set()
        for position in range(bisect_left(ends, change.start), len(stretches)):
            if stretches[position].start > change.end:
                break
            if _meet(stretches[position], change):
                met.add(position)
        if clusters and not met.isdisjoint(clusters[-1][0]):
            clusters[-1][0].update(met)
            clusters[-1][1].append((index, change))
        else:
            clusters.append((met, [(index, change)]))
    melted = {position for met, _ in clusters for position in met}
    composed = [
        Composed(OffsetEdit(path, one.old_start, one.old_end, one.text), (one.number,), ())
        for position, one in enumerate(stretches)
        if position not in melted
    ]
    composed += (
        _melt(path, stretches, [stretches[position] for position in sorted(met)], changes)
        for met, changes in clusters
    )
    return sorted(composed)


def _stretches(edits: Sequence[_Numbered]) -> list[_Stretch]:
    stretches = []
    shift = 0
    for index, (_, start, end, text) in edits:
        stretches.append(_Stretch(index, start, end, start + shift, start + shift + len(text), text))
        shift += len(text) - (end - start)
    return stretches


def _meet(stretch: _Stretch, change: OffsetEdit) -> bool:
    """Whether `change` alters the text of `stretch`, or would start at the same place of the first text."""
    if change.start < stretch.end and change.end > stretch.start:
        return True
    if change.start == stretch.end and stretch.old_start == stretch.old_end:
        return True
    return change.start == change.end == stretch.start < stretch.end


def _melt(
    path: str, stretches: Sequence[_Stretch], met: Sequence[_Stretch], changes: Sequence[_Numbered]
) -> Composed:
    """One edit for `changes` and the stretches they meet; together they cover one range without a gap."""
    ranges = [_old_range(stretches, change) for _, change in changes]
    ranges += ((one.old_start, one.old_end) for one in met)
    done = min([changes[0][1].start, *(one.start for one in met)])
    pieces: list[str] = []
    for _, change in changes:
        pieces += (_text_between(met, done, change.start), change.text)
        done = change.end
    pieces.append(_text_between(met, done, max([done, *(one.end for one in met)])))
    return Composed(
        OffsetEdit(path, min(start for start, _ in ranges), max(end for _, end in ranges), "".join(pieces)),
        tuple(one.number for one in met),
        tuple(index for index, _ in changes),
    )


def _old_range(stretches: Sequence[_Stretch], change: OffsetEdit) -> tuple[int, int]:
    """The range of the first text that `change` stands for."""
    start = _old_start(stretches, change.start)
    return start, start if change.start == change.end else _old_end(stretches, change.end)


def _old_start(stretches: Sequence[_Stretch], offset: int) -> int:
    shift = 0
    for one in stretches:
        if one.end <= offset:
            shift = one.end - one.old_end
        elif one.start < offset:
            return one.old_start
    return offset - shift


def _old_end(stretches: Sequence[_Stretch], offset: int) -> int:
    shift = 0
    for one in stretches:
        if one.start >= offset:
            break
        if one.end > offset:
            return one.old_end
        shift = one.end - one.old_end
    return offset - shift


def _text_between(stretches: Sequence[_Stretch], start: int, end: int) -> str:
    """What the middle text has between two offsets, where all of it belongs to `stretches`."""
    return "".join(
        one.text[max(start - one.start, 0) : max(end - one.start, 0)] for one in stretches if one.end > start
    )
