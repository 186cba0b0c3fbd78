"""Notebooks through the whole way: what is found where, what is refused, what cannot be analysed."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import folder_with, tool
from test_fixing import Analyse, Rule, finding, place_of, renaming, tree_of

from npu_migrate import check, check_source, fix_source
from npu_migrate.engine.fixes.fixing import FixPlan, foresee_fixes, plan_fixes
from npu_migrate.findings import Applicability, Diagnostic, Finding
from npu_migrate.intents import ReplaceExpression
from npu_migrate.rewrite.edits import OffsetEdit

NAME = "x.ipynb"
ITERATOR = "it = tf.data.Dataset.range(3).make_one_shot_iterator()\nx = it.get_next()"
SESSION = "sess = tf.Session()\nsess.run(x)"


@pytest.fixture(autouse=True)
def _a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing lies beside the notebook, so nothing else has to be read."""
    monkeypatch.chdir(tmp_path)


def notebook(*cells: str, indent: int | None = 1, **more: Any) -> str:
    """A notebook with a heading and these code cells, the first of which has the number 2."""
    heading = {"cell_type": "markdown", "metadata": {}, "source": ["# make_one_shot_iterator"]}
    code = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": cell.splitlines(keepends=True)}
        for cell in cells
    ]
    return json.dumps({"cells": [heading, *code], "metadata": {}, "nbformat": 4, **more}, indent=indent)


def found(*cells: str, **more: Any) -> list[str]:
    return [line_of(one) for one in check_source(notebook(*cells, **more), filename=NAME)]


def line_of(one: Diagnostic) -> str:
    if one.cell is None:
        return f"{one.range.start.line}:{one.range.start.column} {one.code} {one.message}"
    start = one.cell.range.start
    return f"cell {one.cell.number}:{start.line}:{start.column} {one.code} {one.message}"


def cells_of(text: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


# -- what is found -----------------------------------------------------------------------------------------


def test_a_place_is_told_in_the_file_and_in_the_cell() -> None:
    text = notebook("import tensorflow as tf", ITERATOR, SESSION)
    (one,) = check_source(text, filename=NAME)
    line = next(i for i, line in enumerate(text.split("\n"), 1) if "it = " in line)
    assert (one.range.start.line, one.range.end.line) == (line, line)
    assert text.split("\n")[line - 1][one.range.start.column - 1 :].startswith("make_one_shot_iterator()")
    assert line_of(one).startswith("cell 3:1:31 NPU101 ")
    assert one.source_line == ITERATOR.split("\n")[0]


def test_a_script_and_a_notebook_of_the_same_code_have_the_same_fixes() -> None:
    cells = ("import tensorflow as tf", ITERATOR, SESSION)
    fixed = fix_source(notebook(*cells), filename=NAME)
    assert "\n".join(cells_of(fixed)) == fix_source("\n".join(cells))


def test_a_notebook_explains_the_modules_that_it_imports() -> None:
    tree = {
        "train.ipynb": notebook("import estimators", "%who\nSTEPS = 30", "estimators.run(STEPS)").encode(),
        "estimators.py": b"from npu_bridge.npu_init import *\n\n\ndef run(steps):\n"
        b"    return NPURunConfig(iterations_per_loop=40, save_checkpoints_steps=steps)\n",
    }
    with folder_with(tree):
        together, alone = check(["."]).diagnostics, check(["estimators.py"]).diagnostics
    assert together == alone
    (one,) = [one for one in together if one.code == "NPU203"]
    assert one.programs == ("train.ipynb",)
    assert "train.ipynb:cell 3:2" in one.message
    assert [place.cell and place.cell.number for place in one.related] == [4, 3]


def test_cells_may_await() -> None:
    cells = ("import tensorflow as tf", ITERATOR, "await something()", SESSION)
    (one,) = check_source(notebook(*cells), filename=NAME)
    assert one.fix is not None


def test_comments_in_a_cell_suppress() -> None:
    accepted = ITERATOR.replace("\n", "  # npu-migrate: ignore[NPU101]\n", 1)
    (one,) = check_source(notebook("import tensorflow as tf", accepted, SESSION), filename=NAME)
    assert (one.code, one.suppressed) == ("NPU101", True)


def test_comments_are_written_into_cells() -> None:
    with folder_with({NAME: notebook("import tensorflow as tf", ITERATOR, SESSION).encode()}) as folder:
        tool(".", "--add-suppressions", "--suppression-reason", "原因")
        assert "  # npu-migrate: ignore[NPU101] 原因\n" in cells_of((folder / NAME).read_text("utf-8"))[1]
        assert check(["."]).counted == ()


def test_the_text_report_names_the_cell() -> None:
    with folder_with({NAME: notebook("import tensorflow as tf", "%time " + ITERATOR, SESSION).encode()}):
        lines = tool(".").decode().splitlines()
    assert lines[0].startswith("x.ipynb:cell 3:1:37: NPU101[*] info one-shot iterator")
    assert lines[1] == f"1 | %time {ITERATOR.splitlines()[0]}"
    assert lines[2].index("^") == lines[1].index("make_one_shot")


# -- what is written ---------------------------------------------------------------------------------------


def test_a_text_and_a_file_are_fixed_alike() -> None:
    text = notebook("import tensorflow as tf", ITERATOR, SESSION, indent=None)
    with folder_with({NAME: text.encode()}) as folder:
        tool(NAME, "--write")
        written = (folder / NAME).read_text("utf-8")
    assert written == fix_source(text, filename=NAME)
    assert "make_initializable_iterator" in written


def test_a_copy_holds_the_fixed_notebook() -> None:
    text = notebook("import tensorflow as tf", ITERATOR, SESSION)
    with folder_with({"in/x.ipynb": text.encode(), "in/data.bin": b"\0"}) as folder:
        tool("in", "--output", "out")
        assert (folder / "out/x.ipynb").read_text("utf-8") == fix_source(text, filename=NAME)
        assert (folder / "in/x.ipynb").read_text("utf-8") == text
        assert (folder / "out/data.bin").read_bytes() == b"\0"


def replacing(code: str, name: str, new: str) -> Rule:
    """Replaces what an assignment to `name` gets."""

    def rule(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
                place = place_of(path, node.value)
                if ast.unparse(node.value) != new:
                    yield finding(code, place, Applicability.SAFE, ReplaceExpression(place, new))

    return rule


def plan(text: str, *rules: Rule) -> FixPlan:
    tree = tree_of({f"/project/{NAME}": text})
    analyse = Analyse(*rules)
    result = analyse(tree)
    planned = plan_fixes(tree, result, analyse)
    foreseen = foresee_fixes(tree, result, analyse)
    assert foreseen.refusals == planned.refusals
    assert [fix is None for fix in foreseen.fixes] == [fix is None for fix in planned.fixes]
    return planned


def test_a_fix_that_changes_a_command_is_dropped_and_the_others_are_not() -> None:
    planned = plan(
        notebook("files = !ls", "f()"), replacing("NPU101", "files", "[]"), renaming("NPU102", "f", "g")
    )
    assert planned.fixes[0] is None
    assert planned.fixes[1] is not None
    assert planned.fixes[1].edits == (OffsetEdit(f"/project/{NAME}", 12, 13, "g"),)
    reason = "it would change a line that is not Python, such as a magic or a command"
    assert planned.refusals == {0: f"the fix of NPU101 is not applied: {reason}"}


# -- what cannot be analysed -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("x = 1\nprint 'npu_'", "cell 3:2:1 NPU901 not analysed: not valid Python 3: Missing parentheses"),
        (
            "if x:\ny = 'npu_'",
            "cell 3:2:1 NPU901 .* expected an indented block after 'if' statement on line 1",
        ),
        ("f(npu_,", r"cell 3:1:2 NPU901 .*'\(' was never closed"),
        ("x = '''npu_", "cell 3:1:5 NPU901 .*unterminated triple-quoted string literal"),
        ("x = 1 + \\", "cell 3:1:.* NPU901 not analysed: "),
    ],
)
def test_a_cell_that_is_not_python(cell: str, message: str) -> None:
    """The next cell would complete some of them; IPython does not let it."""
    (one,) = found("import tensorflow as tf", cell, "'''npu_''')")
    assert re.match(message, one), one


def test_other_languages_and_formats_are_told() -> None:
    metadata = {"language_info": {"name": "R"}}
    assert found("library(npu_bridge)", metadata=metadata) == [
        "1:1 NPU903 not analysed: holds R code, not Python"
    ]
    (old,) = found("import npu_bridge", nbformat=3)
    assert old.startswith(
        "1:1 NPU902 not analysed: is written in the old notebook format 3; open and save it"
    )


def test_a_truncated_notebook_is_told() -> None:
    text = notebook("from npu_bridge.npu_init import *", "x = 1")
    for length in range(text.index("npu_bridge") + len("npu_bridge.npu"), len(text)):
        (one,) = check_source(text[:length], filename=NAME)
        assert (one.code, one.cell, one.fix) == ("NPU902", None, None)
        assert fix_source(text[:length], filename=NAME) == text[:length]


def test_names_in_escapes_are_seen() -> None:
    """JSON allows to write any letter as a number."""
    text = notebook("import tensorflow as tf", ITERATOR, SESSION)
    hidden = text.replace("one_shot_iterator", "\\u006fne_shot_iterator").replace("Session", "\\u0053ession")
    assert [one.code for one in check_source(hidden, filename=NAME)] == ["NPU101"]
    assert cells_of(fix_source(hidden, filename=NAME)) == cells_of(fix_source(text, filename=NAME))
