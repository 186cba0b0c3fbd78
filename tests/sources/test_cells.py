from __future__ import annotations

import pytest

from npu_migrate.places import CellPlace, Position, Range
from npu_migrate.sources.cells import Cell, CellEdit, JoinedCells, UneditableCells, join_cells


def joined(*texts: str) -> JoinedCells:
    return join_cells(Cell(number, text) for number, text in enumerate(texts, 1))


def test_cells_stand_behind_each_other_with_their_magics_covered() -> None:
    cells = joined("%who\nx = 1", "", "y = !ls\n")
    assert cells.text == "____\nx = 1\n\ny = ___\n\n"
    assert cells.written == "%who\nx = 1\n\ny = !ls\n\n"
    assert cells.starts == (0, 11, 12)
    assert cells.python == ("____\nx = 1", "", "y = ___\n")
    assert cells.hidden == ((0, 4), (16, 19))


def test_places_count_from_the_start_of_their_cell() -> None:
    cells = join_cells([Cell(2, "a\nb = 3"), Cell(5, "x\n\nyz")])
    second = cells.text.index("yz")
    assert cells.place(second, second + 2) == CellPlace(5, Range(Position(3, 1), Position(3, 3)))
    assert cells.place(2, 7) == CellPlace(2, Range(Position(2, 1), Position(2, 6)))


def test_a_place_that_leaves_its_cell_is_cut_off() -> None:
    cells = joined("ab", "cd")
    assert cells.place(1, 5) == CellPlace(1, Range(Position(1, 2), Position(1, 3)))
    assert cells.place(2, 2) == CellPlace(1, Range(Position(1, 3), Position(1, 3)))


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ((1, 2, "X"), CellEdit(0, 1, 2, "X")),
        ((4, 4, "X"), CellEdit(0, 4, 4, "X")),
        ((5, 5, "X\n"), CellEdit(1, 0, 0, "X\n")),
        # the newline behind a cell with what it separates
        ((4, 5, "\nX\n"), CellEdit(1, 0, 0, "X\n", leads=True)),
        ((4, 6, "\nX"), CellEdit(1, 0, 1, "X", leads=True)),
        ((2, 5, "X\n"), CellEdit(0, 2, 4, "X")),
        ((3, 5, ""), CellEdit(0, 3, 4, "")),
        ((0, 5, ""), CellEdit(0, 0, 4, "")),
        ((9, 10, "\nX\n"), CellEdit(1, 4, 4, "\nX")),
    ],
)
def test_edits_of_one_cell(edit: tuple[int, int, str], expected: CellEdit) -> None:
    assert joined("ab\nc", "de\nf").cell_edit(*edit) == expected


@pytest.mark.parametrize("edit", [(4, 5, ""), (2, 5, ""), (3, 6, "X\n"), (0, 9, ""), (1, 7, "X")])
def test_edits_of_two_cells_are_refused(edit: tuple[int, int, str]) -> None:
    with pytest.raises(UneditableCells, match="two cells"):
        joined("ab\nc", "de\nf").cell_edit(*edit)


def test_a_notebook_without_code_takes_no_edit() -> None:
    with pytest.raises(UneditableCells, match="no cell with code"):
        joined().cell_edit(0, 0, "x = 1\n")


@pytest.mark.parametrize("edit", [(3, 8, ""), (0, 4, "X"), (5, 6, ""), (5, 5, "X"), (6, 9, "")])
def test_edits_of_what_is_not_python_are_refused(edit: tuple[int, int, str]) -> None:
    with pytest.raises(UneditableCells, match="not Python"):
        joined("ab\n%who\nc").cell_edit(*edit)


def test_lines_beside_a_command_can_be_edited() -> None:
    cells = joined("ab\n%who\nc")
    assert cells.cell_edit(3, 3, "X\n") == CellEdit(0, 3, 3, "X\n")
    assert cells.cell_edit(7, 7, "\nX") == CellEdit(0, 7, 7, "\nX")
    assert cells.cell_edit(8, 9, "X") == CellEdit(0, 8, 9, "X")


@pytest.mark.parametrize("edit", [(3, 3, "X\n"), (2, 3, "\nX\n"), (4, 4, "X"), (10, 10, "X\n")])
def test_nothing_gets_above_the_magic_of_a_cell(edit: tuple[int, int, str]) -> None:
    cells = joined("ab", "%%time\nc", "%%bash\nls")
    assert cells.text[edit[0]] in "\n_c"
    if edit[0] == 10:
        assert cells.cell_edit(*edit) == CellEdit(1, 7, 7, "X\n")
    else:
        with pytest.raises(UneditableCells, match="not Python"):
            cells.cell_edit(*edit)


def test_a_notebook_without_code_is_an_empty_text() -> None:
    assert join_cells([]).text == ""
