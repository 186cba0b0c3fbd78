"""Jupyter's file format: where the code cells are in the JSON text, and edits of that text.

A notebook is never printed from its values, because no printer gives back every layout. Instead each
character of a code cell is known by its place in the JSON text, and an edit changes nothing beside the
strings that it has to change.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from json import JSONDecodeError
from typing import Any, NamedTuple

from npu_migrate.sources.cells import Cell, CellEdit, JoinedCells, UneditableCells, join_cells
from npu_migrate.sources.json_text import JsonString, JsonText

_UNIT = re.compile(
    r"""
    \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
  | \\u[0-9a-fA-F]{4}
  | \\.
  | [^\\]+
    """,
    re.VERBOSE,
)
"""What stands for one character of a string in JSON, or a run of characters that stand for themselves."""
_ESCAPED_LETTER = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_LINES = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


class NotebookError(Exception):
    """A text is no notebook that can be read; the message completes a sentence."""


class ForeignLanguage(NotebookError):
    """The cells of the notebook are not in Python."""


class CellSource(NamedTuple):
    """The source of one code cell, which begins at `start` of the JSON text.

    `listed`: it is a list of strings; else it is one string.
    """

    start: int
    strings: tuple[JsonString, ...]
    listed: bool

    @property
    def length(self) -> int:
        """The number of characters in the cell."""
        return sum(len(string.value) for string in self.strings)


@dataclass(frozen=True)
class Notebook:
    """A notebook with Python cells: its JSON text, its code cells, and where their sources are."""

    text: str
    joined: JoinedCells
    sources: tuple[CellSource, ...]

    def file_range(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the joined text stands in the JSON text; cut off where its cell ends."""
        index = self.joined.index_at(start)
        source = self.sources[index]
        cell_start, cell_end = self.joined.bounds(index)
        first = self._offset(source, min(start, cell_end) - cell_start)
        end = min(end, cell_end)
        if end <= start:
            return first, first
        return first, self._unit(source, end - 1 - cell_start)[1]

    def file_edit(self, start: int, end: int, text: str) -> tuple[int, int, str]:
        """The edit of the JSON text that an edit of the joined text comes to: offsets and new text.

        Edits of the joined text that start at different places and do not overlap give such edits again.
        Raises `UneditableCells`.
        """
        edit = self.joined.cell_edit(start, end, text)
        source = self.sources[edit.cell]
        if not source.strings:
            raise UneditableCells("it would fill an empty cell")
        first, last = self._offset(source, edit.start), self._offset(source, edit.end)
        new = self._in_list(edit) if source.listed else self._escaped(edit.text)
        return (first - 1, last, f'"{new}') if edit.leads else (first, last, new)

    def _in_list(self, edit: CellEdit) -> str:
        """The new text of an edit in a list of strings, of which each holds one line."""
        strings = self.sources[edit.cell].strings
        at_end = edit.end == len(self.joined.cells[edit.cell].text)
        lines = _LINES.findall(edit.text)
        if at_end and edit.start == edit.end and lines and strings[-1].value.endswith(("\n", "\r")):
            lines.insert(0, "")
        elif not at_end and edit.text.endswith(("\n", "\r")):
            lines.append("")
        return self._gap(edit.cell).join(map(self._escaped, lines))

    def _gap(self, index: int) -> str:
        """What separates two strings in the list of a cell, closing and opening quote included."""
        for source in (self.sources[index], *self.sources):
            if source.listed and len(source.strings) > 1:
                return self.text[source.strings[0].end : source.strings[1].start]
        begin = self.sources[index].strings[0].start - 1
        before = self.text[self.text.rindex("[", 0, begin) + 1 : begin]
        return f'",{before}"'

    @cached_property
    def _escapes_letters(self) -> bool:
        return self.text.isascii() and _ESCAPED_LETTER.search(self.text) is not None

    def _escaped(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=not text.isascii() and self._escapes_letters)[1:-1]

    def _offset(self, source: CellSource, offset: int) -> int:
        """Where the character at `offset` of a cell begins in the JSON text.

        The end of a cell is the end of its last string.
        """
        if offset < source.length:
            return self._unit(source, offset)[0]
        return source.strings[-1].end if source.strings else source.start

    def _unit(self, source: CellSource, offset: int) -> tuple[int, int]:
        """From where to where the character at `offset` of a cell reaches in the JSON text."""
        for string in source.strings:
            if offset < len(string.value):
                break
            offset -= len(string.value)
        for match in _UNIT.finditer(self.text, string.start, string.end):
            if match[0].startswith("\\"):
                if offset == 0:
                    return match.span()
                offset -= 1
            elif offset < len(match[0]):
                return match.start() + offset, match.start() + offset + 1
            else:
                offset -= len(match[0])
        raise AssertionError("a string is shorter in JSON than its value")


def read_notebook(text: str) -> Notebook:
    """The notebook whose JSON text is `text`. Raises `NotebookError`.

    Costs little more than decoding the JSON, whatever the notebook's outputs hold.
    """
    try:
        found = _read(text)
    except JSONDecodeError as error:
        reason = f"{error.msg}, line {error.lineno} column {error.colno}"
        raise NotebookError(f"is not a complete notebook: its JSON is damaged ({reason})") from None
    except RecursionError:
        raise NotebookError("is not a notebook: its JSON is nested too deeply") from None
    except ValueError as error:
        raise NotebookError(f"is not a notebook: {error}") from None
    _require_python(found)
    cells = found.cells
    if cells is None:
        raise NotebookError("is not a notebook: it has no list of cells")
    for number, source in cells:
        for string in source.strings:
            if "\0" in string.value:
                raise NotebookError(f"contains a NUL character in cell {number}")
            if _LONE_SURROGATE.search(string.value):
                raise NotebookError(f"contains a lone surrogate, which is no character, in cell {number}")
    joined = join_cells(
        Cell(number, "".join(string.value for string in source.strings)) for number, source in cells
    )
    return Notebook(text, joined, tuple(source for _, source in cells))


class _Found(NamedTuple):
    """What the top of a notebook holds; `cells` are the code cells with their numbers."""

    cells: list[tuple[int, CellSource]] | None
    values: dict[str, Any]


def _require_python(found: _Found) -> None:
    version = found.values.get("nbformat")
    if "worksheets" in found.values or (isinstance(version, int) and version < 4):
        old = version if isinstance(version, int) else 3
        raise NotebookError(
            f"is written in the old notebook format {old}; open and save it with a current Jupyter"
        )
    metadata = found.values.get("metadata")
    for section, key in (("language_info", "name"), ("kernelspec", "language")):
        said = metadata.get(section) if isinstance(metadata, dict) else None
        language = said.get(key) if isinstance(said, dict) else None
        if isinstance(language, str) and language:
            if not language.lower().startswith(("python", "ipython")):
                raise ForeignLanguage(f"holds {language} code, not Python")
            return


def _read(text: str) -> _Found:
    """What a notebook holds. Raises what `JsonText` raises, and `NotebookError`."""
    walk = JsonText(text)
    cells: list[tuple[int, CellSource]] | None = None
    values: dict[str, Any] = {}

    def member(key: str, at: int) -> int:
        nonlocal cells
        if key == "cells" and walk.starts("[", at):
            cells, end = _read_cells(walk, at)
            return end
        values[key], end = walk.value(at)
        return end

    def notebook(at: int) -> int:
        if walk.starts("{", at):
            return walk.object(at, member)
        walk.value(at)
        raise NotebookError("is not a notebook: its JSON is no object")

    walk.whole(notebook)
    return _Found(cells, values)


def _read_cells(walk: JsonText, start: int) -> tuple[list[tuple[int, CellSource]], int]:
    cells: list[tuple[int, CellSource]] = []
    number = 0

    def item(at: int) -> int:
        nonlocal number
        number += 1
        source, end = _read_cell(walk, at, number)
        if source is not None:
            cells.append((number, source))
        return end

    end = walk.array(start, item)
    return cells, end


def _read_cell(walk: JsonText, start: int, number: int) -> tuple[CellSource | None, int]:
    """The source of a cell, if it holds code, and where the cell ends."""
    if not walk.starts("{", start):
        walk.value(start)
        raise NotebookError(f"is not a notebook: cell {number} is no object")
    source: CellSource | None = None
    kind: Any = None

    def member(key: str, at: int) -> int:
        nonlocal source, kind
        if key == "source":
            source, end = _read_source(walk, at)
            return end
        value, end = walk.value(at)
        if key == "cell_type":
            kind = value
        return end

    end = walk.object(start, member)
    if kind != "code":
        return None, end
    if source is None:
        raise NotebookError(f"is not a notebook: cell {number} has no source")
    return source, end


def _read_source(walk: JsonText, start: int) -> tuple[CellSource | None, int]:
    """The source at `start`, and where it ends; no source if it is neither text nor a list of texts."""
    if walk.starts('"', start):
        string, end = walk.string(start)
        return CellSource(start, (string,), listed=False), end
    if not walk.starts("[", start):
        return None, walk.value(start)[1]
    strings: list[JsonString] = []
    others = 0

    def item(at: int) -> int:
        nonlocal others
        if not walk.starts('"', at):
            others += 1
            return walk.value(at)[1]
        string, end = walk.string(at)
        strings.append(string)
        return end

    end = walk.array(start, item)
    return None if others else CellSource(start, tuple(strings), listed=True), end
