"""The rooms are those that docs/architecture.md names, and import each other in one direction only."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "npu_migrate"
INSIDE = PACKAGE / "rehearsal" / "inside"
"""What runs in another Python: it has only itself and the standard library, and a test of its own."""

PAGE = PACKAGE.parent / "docs" / "architecture.md"

ALLOWED = {
    # The intents are named as a type, and not imported when the program runs.
    "findings": {"rewrite.intents"},
    "sources": {"findings"},
    "index": {"findings"},
    "knowledge": set(),
    # What the NPU makes of a run is known without the rules; `commands` joins both.
    "rehearsal": {"findings", "sources", "knowledge"},
    "project": {"findings", "sources", "index", "knowledge", "rewrite.intents"},
    "rewrite": {"findings", "sources", "index"},
    "rules": {"findings", "sources", "index", "knowledge", "project", "rewrite.intents"},
    "cache": set(),
    "settings": {"findings", "sources.ignores"},
    "engine": {"cache", "findings", "settings", "sources", "index", "project", "rewrite", "rules"},
    "review": {"findings", "sources", "engine.run", "engine.diagnosing"},
    "reports": {"findings", "rules.rule", "sources"},
    "lsp": {"cache", "findings", "settings", "sources", "index", "rewrite.edits", "rules", "engine"}
    | {"reports.catalogue"},
    "api": {"findings", "settings", "sources", "engine"},
    "progress_bar": set(),
    "streams": set(),
    "commands": {"cache", "findings", "settings", "sources", "rules.rule", "rules.ALL_RULES", "engine"}
    | {"review", "reports", "rehearsal", "progress_bar", "streams"},
    "start": {"cache", "cli"},
    "cli": {"commands", "engine.installed", "reports", "rules", "streams"},
}


def imported(room: str) -> Iterator[tuple[str, str]]:
    """The modules of other rooms that the files of a room import, with the file."""
    for file in files_of(room):
        if INSIDE in file.parents:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            for name in names_in(node):
                package, _, module = name.partition(".")
                if package == PACKAGE.name and module.partition(".")[0] not in (room, "", "__version__"):
                    yield file.name, module


def files_of(room: str) -> list[Path]:
    folder = PACKAGE / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


def names_in(node: ast.AST) -> list[str]:
    """The names that an import statement asks for; the package imports nothing by relative names."""
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_what_it_may_know(room: str) -> None:
    wrong = [
        (file, module)
        for file, module in imported(room)
        if not any(module == name or module.startswith(f"{name}.") for name in ALLOWED[room])
    ]
    assert wrong == []


def test_every_room_is_held_to_its_imports() -> None:
    rooms = {one.stem for one in PACKAGE.iterdir() if one.suffix == ".py" or (one / "__init__.py").is_file()}
    assert rooms - {"__init__", "__main__"} == ALLOWED.keys()


def test_the_table_of_rooms_names_every_room() -> None:
    table = PAGE.read_text("utf-8").partition("## The rooms")[2].partition("## ")[0]
    rooms = " ".join(row.split("|")[1] for row in table.splitlines() if row.startswith("|"))
    assert set(re.findall(r"`(\w+)/?`", rooms)) == ALLOWED.keys()


def test_the_map_of_the_project_names_every_module() -> None:
    modules = {file.stem for file in (PACKAGE / "project").glob("*.py")} - {"__init__"}
    text = PAGE.read_text("utf-8")
    assert {module for module in modules if f"`{module}`" not in text} == set()


def test_what_runs_in_another_python_has_only_itself_and_the_standard_library() -> None:
    """TensorFlow and NumPy are the user's; the imitations stand for the NPU's packages."""
    others = {"tensorflow", "tensorflow_estimator", "numpy", "npu_rehearsal"}
    imitated = {one.name for one in (INSIDE / "imitations").iterdir()}
    wrong = [
        (file.name, name)
        for file in INSIDE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8"), feature_version=(3, 7)))
        if not (isinstance(node, ast.ImportFrom) and node.level)
        for name in names_in(node)
        if name.partition(".")[0] not in sys.stdlib_module_names | others | imitated
    ]
    assert wrong == []
