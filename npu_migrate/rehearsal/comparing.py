"""Two runs of a script compared: what each session run fetched, then what was printed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from npu_migrate.findings import Compared, Difference
from npu_migrate.rehearsal.protocol import SessionRun

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TOLERANCE = 1e-5
"""Relative. Sums over several threads are not always added in the same order."""

_PRINTED = 1e-3
"""The same of numbers as they are printed, if they differ by one in their last digit: they are rounded."""

_SHOWN = 120
_MISSING = "nothing"


class Run(NamedTuple):
    """One run: the session runs, and the lines that it printed. It is not `whole` if it was ended early."""

    fetched: Sequence[SessionRun]
    printed: Sequence[str]
    whole: bool = True


class Comparison(NamedTuple):
    """`compared` is for the report; `only_printed` is a line that differs in its numbers alone.

    Where all that was fetched is equal, such a number is a time or comes from somewhere outside TensorFlow,
    so it is no difference between the two runs. `left_out` is how many runs of the second were called by
    other threads than the main one: nobody knows which of them belongs to which of the first.
    """

    compared: Compared
    only_printed: Difference | None = None
    left_out: int = 0


def compare(expected: Run, found: Run) -> Comparison:
    """The first difference of `found` from `expected`. Session runs that fetch nothing do not take part.

    Of two runs that are not whole, only what both have done is compared.
    """
    left_out = sum(not one.main for one in _with_values(found.fetched))
    return _compare(expected, found)._replace(left_out=left_out)


def _compare(expected: Run, found: Run) -> Comparison:
    wanted, seen = ([one for one in _with_values(run.fetched) if one.main] for run in (expected, found))
    lines, others = expected.printed, found.printed
    if not (expected.whole and found.whole):
        both, printed_by_both = min(len(wanted), len(seen)), min(len(lines), len(others))
        wanted, seen, lines, others = (
            wanted[:both],
            seen[:both],
            lines[:printed_by_both],
            others[:printed_by_both],
        )
    steps = 0
    for step, (one, other) in enumerate(zip_longest(wanted, seen), 1):
        difference = _in_runs(step, one, other)
        if difference is not None:
            return Comparison(Compared(steps, difference))
        steps += 1
    printed = _in_lines(lines, others)
    if printed is None:
        return Comparison(Compared(steps, None))
    numbers_only = _NUMBER.sub("#", printed.expected) == _NUMBER.sub("#", printed.found)
    if numbers_only and steps and _same_but_for_numbers(lines, others):
        return Comparison(Compared(steps, None), printed)
    return Comparison(Compared(steps, printed))


def _with_values(runs: Iterable[SessionRun]) -> list[SessionRun]:
    return [one for one in runs if one.fetches]


def _in_runs(step: int, expected: SessionRun | None, found: SessionRun | None) -> Difference | None:
    if expected is None or found is None:
        more = expected or found
        assert more is not None
        name, value = next(iter(more.fetches.items()))
        values = (_MISSING, _shown(value)) if expected is None else (_shown(value), _MISSING)
        return Difference("runs", step, name, *values, *_place(found))
    # The names of tensors may differ, since a migrated graph has other operations.
    for one, other in zip_longest(expected.fetches.items(), found.fetches.items(), fillvalue=(None, None)):
        if not equal(one[1], other[1]):
            return Difference(
                "fetched", step, one[0] or other[0] or "", *_apart(one[1], other[1]), *_place(found)
            )
    return None


def _place(run: SessionRun | None) -> tuple[str | None, int | None]:
    return (None, None) if run is None or run.place is None else (run.place.path, run.place.line)


def equal(expected: Any, found: Any) -> bool:
    """Whether two fetched values are the same; numbers may differ by what the order of a sum makes."""
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(equal, expected, found))
    if isinstance(expected, float) or isinstance(found, float):
        if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
            return math.isclose(expected, found, rel_tol=_TOLERANCE, abs_tol=1e-12)
        return False
    if isinstance(expected, str) and isinstance(found, str):
        # What is no text, such as the handle of a resource, names operations of its own graph.
        if not (expected.isprintable() and found.isprintable()):
            return True
        return expected == found or _same_file(expected, found)
    return bool(expected == found)


def _same_file(expected: str, found: str) -> bool:
    """Whether two texts are paths of a file that each run has written to a folder of its own."""
    both = PurePosixPath(expected), PurePosixPath(found)
    return all(path.is_absolute() for path in both) and both[0].name == both[1].name


def _apart(expected: Any, found: Any) -> tuple[str, str]:
    """Two values as text; of long ones the part where they differ."""
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        different = [pair for pair in zip(expected, found, strict=True) if not equal(*pair)]
        if different:
            return _apart(*different[0])
    return _shown(expected), _shown(found)


def _shown(value: Any) -> str:
    if value is None:
        return _MISSING
    if isinstance(value, dict):
        shape = "x".join(map(str, value.get("shape") or ())) or "scalar"
        return f"{shape} values, digest {value.get('digest')}"
    text = str(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _in_lines(expected: Sequence[str], found: Sequence[str]) -> Difference | None:
    for number, (one, other) in enumerate(zip_longest(expected, found), 1):
        if one is None or other is None or not _same_line(one, other):
            return Difference("printed", number, "", _shown(one), _shown(other))
    return None


def _same_line(expected: str, found: str) -> bool:
    """Whether two lines are the same, but for what the order of a sum makes of their numbers."""
    if expected == found:
        return True
    if _NUMBER.sub("#", expected) != _NUMBER.sub("#", found):
        return False
    pairs = zip(_NUMBER.findall(expected), _NUMBER.findall(found), strict=True)
    return all(one == other or _same_number(one, other) for one, other in pairs)


def _same_number(expected: str, found: str) -> bool:
    if not ("." in expected and "." in found):
        # Whole numbers are counts or steps.
        return False
    unit = max(map(_last_digit, (expected, found)))
    one, other = float(expected), float(found)
    return equal(one, other) or abs(one - other) <= min(1.01 * unit, _PRINTED * abs(one))


def _last_digit(number: str) -> float:
    """What the last digit that is printed of a number stands for."""
    digits, _, exponent = number.lower().partition("e")
    return float(10.0 ** (int(exponent or 0) - len(digits.partition(".")[2])))


def _same_but_for_numbers(expected: Sequence[str], found: Sequence[str]) -> bool:
    return list(_without_numbers(expected)) == list(_without_numbers(found))


def _without_numbers(lines: Iterable[str]) -> Iterator[str]:
    return (_NUMBER.sub("#", line) for line in lines)
