"""The rooms import each other in one direction only, as docs/architecture.md says."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "npu_migrate"

ALLOWED = {
    "sources": {"findings"},
    "index": {"findings"},
    "knowledge": set(),
    "project": {"findings", "sources", "index", "knowledge", "rewrite.intents"},
    "rewrite": {"findings", "sources", "index"},
    "rules": {"findings", "sources", "index", "knowledge", "project", "rewrite.intents"},
    "cache": set(),
    "engine": {"cache", "findings", "settings", "sources", "index", "project", "rewrite", "rules"},
    "review": {"findings", "sources", "engine.run", "engine.diagnosing"},
    "reports": {"findings", "rules.rule", "sources"},
    "lsp": {"cache", "findings", "settings", "sources", "index", "rewrite.edits", "rules", "engine"}
    | {"reports.catalogue"},
}


def imported(room: str) -> Iterator[tuple[str, str]]:
    """The modules of other rooms that the files of a room import, with the file."""
    for file in sorted((PACKAGE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("npu_migrate"):
                for alias in node.names:
                    module = f"{node.module}.{alias.name}".removeprefix("npu_migrate.")
                    if module.partition(".")[0] not in (room, "__version__"):
                        yield file.name, module


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_what_it_may_know(room: str) -> None:
    wrong = [
        (file, module)
        for file, module in imported(room)
        if not any(module == name or module.startswith(f"{name}.") for name in ALLOWED[room])
    ]
    assert wrong == []


def test_the_map_of_the_project_names_every_module() -> None:
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text("utf-8")
    modules = {file.stem for file in (PACKAGE / "project").glob("*.py")} - {"__init__"}
    assert {module for module in modules if f"`{module}`" not in text} == set()
