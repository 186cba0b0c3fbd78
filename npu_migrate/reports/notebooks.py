"""How findings in notebooks are told: readers know cells, most formats know files only."""

from __future__ import annotations

from npu_migrate.findings import Diagnostic, RelatedRange
from npu_migrate.languages.saying import Say, english
from npu_migrate.places import Range


def message_with_cell(one: Diagnostic | RelatedRange, say: Say = english) -> str:
    """The message, behind the number of the cell if there is one, for formats that place it in the file."""
    return one.message if one.cell is None else say.headed(say(f"cell {one.cell.number}"), one.message)


def place_for_people(one: Diagnostic | RelatedRange) -> Range:
    """The place as people count it: in the cell, if there is one."""
    return one.range if one.cell is None else one.cell.range


def short_place(one: Diagnostic | RelatedRange) -> str:
    """Where it begins, to stand behind a path: ``3:5``, or ``cell 2:3:5`` in a notebook."""
    start = place_for_people(one).start
    cell = "" if one.cell is None else f"cell {one.cell.number}:"
    return f"{cell}{start.line}:{start.column}"
