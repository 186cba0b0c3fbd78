"""JUnit XML, for services that show test results and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from xml.etree import ElementTree

from npu_migrate.findings import Diagnostic, Report
from npu_migrate.reports.characters import portable
from npu_migrate.reports.notebooks import place_for_people
from npu_migrate.reports.surroundings import Surroundings

_TOOL = "npu-migrate"
_NO_TIME = "0"
_UNREADABLE = frozenset({"NPU901", "NPU902"})


def junit_report(report: Report, _: Surroundings) -> str:
    """A test suite for each file with findings that count, and in it a failed test for each finding.

    A file that could not be read or parsed is a test that ended in an error. Without findings there is one
    test, which passes. Times are zero: readers want one, and a real one would make equal reports differ.
    The text is pure ASCII: other characters are character references.
    """
    counted = report.counted
    suites = tuple(_suites(counted))
    root = ElementTree.Element("testsuites", {"name": _TOOL, **_totals(counted)})
    root.extend(suites)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root).decode("ascii")}\n'


def _suites(counted: Sequence[Diagnostic]) -> Iterator[ElementTree.Element]:
    for path, group in groupby(counted, lambda one: one.path):
        found = tuple(group)
        suite = ElementTree.Element("testsuite", {"name": portable(path), **_totals(found)})
        suite.extend(map(_failed, found))
        yield suite
    if not counted:
        suite = ElementTree.Element("testsuite", {"name": _TOOL, **_totals(())})
        ElementTree.SubElement(
            suite, "testcase", {"name": "no findings", "classname": _TOOL, "time": _NO_TIME}
        )
        yield suite


def _totals(found: Iterable[Diagnostic]) -> dict[str, str]:
    """The counts of a suite; one without findings has the test that passes."""
    errors = [one.code in _UNREADABLE for one in found]
    return {
        "tests": str(len(errors) or 1),
        "failures": str(errors.count(False)),
        "errors": str(errors.count(True)),
        "time": _NO_TIME,
    }


def _failed(one: Diagnostic) -> ElementTree.Element:
    start = place_for_people(one).start
    cell = "" if one.cell is None else f"cell {one.cell.number}, "
    place = f"{cell}line {start.line}, column {start.column}"
    # Services take the dots of a class name for levels of folders.
    classname = one.path.removesuffix(".py").replace("/", ".")
    case = ElementTree.Element(
        "testcase",
        {
            "name": f"{one.code} {one.name} ({place})",
            "classname": portable(classname),
            "file": portable(one.path),
            # In a notebook the place is that in the file, which is what a reader of `file` opens.
            "line": str(one.range.start.line),
            "time": _NO_TIME,
        },
    )
    kind = "error" if one.code in _UNREADABLE else "failure"
    outcome = ElementTree.SubElement(
        case, kind, {"type": one.severity.label, "message": portable(one.message)}
    )
    outcome.text = portable(f"{one.path}, {place}: {one.code} {one.severity.label}: {one.message}")
    return case
