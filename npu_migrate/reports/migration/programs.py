"""What the findings of a report mean for each program, in the order of the work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from npu_migrate.findings import NOT_ANALYSED, PARTLY_ANALYSED, Applicability, Diagnostic, Report
from npu_migrate.reports.notebooks import place_for_people

GROUP = "NPU7"
"""The codes that speak of moving a program from a GPU."""

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "NPU701": "trains in sessions",
        "NPU702": "trains Estimators",
        "NPU705": "trains Estimators",
        "NPU703": "trains Keras models",
        "NPU707": "trains models of the package keras",
        "NPU704": "only predicts",
        "NPU708": "runs eagerly",
        **dict.fromkeys(
            ("NPU711", "NPU712", "NPU713", "NPU714", "NPU715"), "distributes the training with Horovod"
        ),
        "NPU716": "distributes the training with a strategy of TensorFlow",
        "NPU717": "has a copy of the model for each GPU in one graph",
        "NPU718": "has parameter servers",
    }
)
"""What a program is, by the code of a finding in it; in the order in which it is said."""

_STAGES = (
    ("NPU707", "NPU708", "NPU718", "NPU717", "NPU735"),
    ("NPU734", "NPU724", "NPU723", "NPU733", "NPU732"),
    ("NPU701", "NPU702", "NPU703", "NPU704", "NPU705"),
    ("NPU1", "NPU725"),
    ("NPU4",),
    ("NPU711", "NPU712", "NPU713", "NPU714", "NPU715", "NPU716", "NPU719", "NPU8"),
    ("NPU2", "NPU3", "NPU5", "NPU6"),
)
"""The order of the work: first what decides whether the program can run there at all, last what is advice."""

DEVICE = ("ASCEND_DEVICE_ID", "the NPU that the process takes; 0 if it is not set")
RANKS = (
    ("RANK_TABLE_FILE", "the file that lists the devices which train together"),
    ("RANK_ID", "which of them this process is, from 0"),
    ("RANK_SIZE", "how many they are"),
)
JOB = ("JOB_ID", "a name for the job, the same in all its processes")
_DISTRIBUTED = frozenset({"NPU711", "NPU712", "NPU713", "NPU714", "NPU715", "NPU716", "NPU717", "NPU718"})


_SESSION, _KERAS = "NPU701", "NPU703"
"""A session of which the message names Keras is that of a Keras model."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done for findings with the same words: a title or a message, the rules and the places."""

    codes: tuple[str, ...]
    text: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Migration:
    """The programs that need the same steps.

    `kinds` are what they are. `safe` is done by ``--write``, `unsafe` by ``--unsafe-fixes`` too, `manual`
    by a person. `exports` are the variables that the launcher has to set, with what they mean.
    """

    programs: tuple[str, ...]
    kinds: tuple[str, ...]
    safe: tuple[Step, ...]
    unsafe: tuple[Step, ...]
    manual: tuple[Step, ...]
    exports: tuple[tuple[str, str], ...]


def migrations(report: Report) -> tuple[Migration, ...]:
    """One for each program with findings, those with the same ones together; in order of the programs.

    A file of which nothing is known belongs to none.
    """
    by_program: dict[str, list[Diagnostic]] = {}
    left_out = {*map(id, unanalysed(report))}
    for one in report.counted:
        if id(one) in left_out:
            continue
        for program in one.programs or (one.path,):
            by_program.setdefault(program, []).append(one)
    same: dict[tuple[int, ...], list[str]] = {}
    for program, found in by_program.items():
        same.setdefault(tuple(map(id, found)), []).append(program)
    grouped = [(tuple(sorted(programs)), by_program[programs[0]]) for programs in same.values()]
    return tuple(_migration(programs, found) for programs, found in sorted(grouped, key=lambda one: one[0]))


def unanalysed(report: Report) -> tuple[Diagnostic, ...]:
    """The findings that say why a file could not be analysed at all, so that nobody knows its programs."""
    return tuple(
        one for one in report.counted if one.code in NOT_ANALYSED - {PARTLY_ANALYSED} and not one.programs
    )


def speaks_of_moving(report: Report) -> bool:
    """Whether anything in the report is about moving a program from a GPU."""
    return any(one.code.startswith(GROUP) for one in report.counted)


def _migration(programs: tuple[str, ...], found: list[Diagnostic]) -> Migration:
    codes = {one.code for one in found}
    kinds = {_kind(one) for one in found}
    return Migration(
        programs,
        tuple(dict.fromkeys(words for code, words in _KINDS.items() if code in kinds)),
        _steps(one for one in found if _applicability(one) is Applicability.SAFE),
        _steps(one for one in found if _applicability(one) is Applicability.UNSAFE),
        _steps(one for one in found if one.fix is None),
        _exports(codes),
    )


def _kind(one: Diagnostic) -> str:
    """The code that tells what a program is in which something was found."""
    return _KERAS if one.code == _SESSION and "Keras" in one.message else one.code


def _applicability(one: Diagnostic) -> Applicability | None:
    return None if one.fix is None else one.fix.applicability


def _steps(found: Iterable[Diagnostic]) -> tuple[Step, ...]:
    together: dict[str, list[Diagnostic]] = {}
    for one in sorted(found, key=lambda one: (_stage(one.code), one.code)):
        text = one.message if one.fix is None else one.fix.title
        together.setdefault(text, []).append(one)
    return tuple(
        Step(
            tuple(dict.fromkeys(one.code for one in same)),
            text,
            tuple(dict.fromkeys(place_of(one) for one in _in_order(same))),
        )
        for text, same in together.items()
    )


def _in_order(found: list[Diagnostic]) -> list[Diagnostic]:
    """Those of a file together, in order of their lines; the files in the order in which they come up."""
    files = {path: number for number, path in enumerate(dict.fromkeys(one.path for one in found))}
    return sorted(found, key=lambda one: (files[one.path], one.range))


def place_of(one: Diagnostic) -> str:
    """The path and the line, with the cell of a notebook."""
    line = place_for_people(one).start.line
    return f"{one.path}:{line}" if one.cell is None else f"{one.path}:cell {one.cell.number}:{line}"


def _stage(code: str) -> int:
    """Where in the order of the work a code belongs."""
    return next((number for number, codes in enumerate(_STAGES) if code.startswith(codes)), len(_STAGES))


def _exports(codes: set[str]) -> tuple[tuple[str, str], ...]:
    if codes & _DISTRIBUTED:
        return (DEVICE, *RANKS, JOB)
    return (DEVICE, JOB) if "NPU705" in codes else (DEVICE,)
