"""The rooms are those that docs/architecture.md names, and import each other in one direction only."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from import_graph import INSIDE, NOT_OURS, PACKAGE, Graph, circles, import_graph, names_in

PAGE = PACKAGE.parent / "docs" / "architecture.md"

MOST_MODULES = 20

VALUE_KNOT = ("arguments", "call_values", "containers", "evaluation", "fields", "flags")
"""The value of one expression needs those of others: these call each other by nature."""

ALLOWED = {
    "version": set(),
    "run_codes": set(),
    "languages": set(),
    "places": set(),
    "intents": {"places"},
    "findings": {"places", "intents"},
    "sources": {"places"},
    "index": {"places"},
    "knowledge": set(),
    # What the NPU makes of a run is known without the rules; `commands` joins both.
    "rehearsal": {"places", "findings", "run_codes", "sources", "knowledge"},
    "programs": {"sources", "index"},
    "project": {"places", "sources", "index", "programs"},
    "semantics": {"places", "intents", "findings", "sources", "index", "project"},
    "training": {"places", "intents", "findings", "sources", "index", "knowledge", "project", "semantics"}
    | {"programs.modules"},
    "abstract_run": {"places", "findings", "index", "knowledge", "project", "programs"},
    "rewrite": {"places", "intents", "findings", "sources", "index"},
    "rules": {"places", "intents", "findings", "sources", "index", "knowledge", "programs", "project"}
    | {"semantics", "training", "run_codes"},
    "cache": {"version"},
    "settings": {"findings", "languages.choosing", "sources.ignores"},
    "engine": {
        "abstract_run",
        "cache",
        "places",
        "intents",
        "findings",
        "settings",
        "sources",
        "index",
        "programs",
        "project",
    }
    | {
        "training.libraries",
        "training.pipelines",
        "abstract_run",
        "rewrite",
        "rules",
        "run_codes",
        "version",
    },
    "review": {"places", "findings", "sources", "engine.job", "engine.run", "engine.diagnosing"},
    "reports": {"languages", "places", "findings", "rules.rule", "sources", "version"},
    "posting": {"languages", "reports.reviews", "reports.wording", "streams", "version"},
    "lsp": {"cache", "places", "findings", "settings", "sources", "index", "rewrite.edits", "rules", "engine"}
    | {"languages", "reports.catalogue", "reports.translating", "version"},
    "api": {"findings", "settings", "sources", "engine"},
    "codemods": {"api", "findings", "index.gate", "rules", "settings", "sources"},
    "progress_bar": set(),
    "help_page": set(),
    "streams": set(),
    "commands": {"cache", "findings", "settings", "sources", "rules.rule", "rules.ALL_RULES", "engine"}
    | {"rules.seen_in_runs", "languages"}
    | {"review", "reports", "rehearsal", "progress_bar", "streams", "version", "help_page"},
    "start": {"cache", "cli"},
    "cli": {
        "commands",
        "engine.installed",
        "help_page",
        "languages.choosing",
        "reports",
        "rules",
        "streams",
        "version",
    },
}

ROOMS_WITHIN = {
    "lsp": ("texts", "judging", "showing", "session", "protocol", "command"),
    "training": (
        "libraries",
        "listed_names",
        "pipelines",
        "reading",
        "npu",
        "porting",
        "distributed",
        "loss_scaling",
        "rec",
    ),
}
"""Rooms of a room, the lowest first: each may import those before it."""

KNOTS = {frozenset(f"semantics.values.{name}" for name in VALUE_KNOT)}


@cache
def imports_of_all() -> Graph:
    """The package as it is while the tests run; all of it has to be parsed for this."""
    return import_graph()


def imported(room: str) -> Iterator[tuple[str, str]]:
    """The modules of other rooms that the files of a room import, with the file."""
    for file in files_of(room):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            for name in names_in(node, file):
                package, _, module = name.partition(".")
                if package == PACKAGE.name and module.partition(".")[0] != room:
                    yield file.name, module


def files_of(room: str) -> list[Path]:
    folder = PACKAGE / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_what_it_may_know(room: str) -> None:
    wrong = [
        (file, module)
        for file, module in imported(room)
        if not any(module == name or module.startswith(f"{name}.") for name in ALLOWED[room])
    ]
    assert wrong == []


def test_rooms_make_no_circle() -> None:
    below = {room: {name.partition(".")[0] for name in names} for room, names in ALLOWED.items()}
    assert len([*TopologicalSorter(below).static_order()]) == len(ALLOWED)


def test_every_room_is_held_to_its_imports() -> None:
    rooms = {one.stem for one in PACKAGE.iterdir() if one.suffix == ".py" or (one / "__init__.py").is_file()}
    assert rooms - {"__init__", "__main__"} == ALLOWED.keys()


def test_the_table_of_rooms_names_every_room() -> None:
    table = PAGE.read_text("utf-8").partition("## The rooms")[2].partition("## ")[0]
    rooms = " ".join(row.split("|")[1] for row in table.splitlines() if row.startswith("|"))
    assert set(re.findall(r"`(\w+)/?`", rooms)) == ALLOWED.keys()


@pytest.mark.parametrize("room", ROOMS_WITHIN)
def test_rooms_within_a_room_are_in_one_order(room: str) -> None:
    order = ROOMS_WITHIN[room]
    graph = imports_of_all()
    assert {one.stem for one in (PACKAGE / room).iterdir()} - {"__init__", "__main__", "__pycache__"} == {
        *order
    }
    wrong = [
        (module, other)
        for number, one in enumerate(order)
        for module in graph
        if module.startswith((f"{room}.{one}.", f"{room}.{one}"))
        for other in graph[module]
        if other.startswith(tuple(f"{room}.{above}" for above in order[number + 1 :]))
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert {*circles(imports_of_all())} == KNOTS


def test_every_room_says_what_it_is() -> None:
    """The page of a room is the docstring of its package."""
    silent = [
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("__init__.py")
        if not {*file.parts} & {*NOT_OURS} and not ast.get_docstring(ast.parse(file.read_text("utf-8")))
    ]
    assert silent == []


def test_no_folder_has_more_modules_than_a_reader_can_hold() -> None:
    """The rules are exempt: one module for each, found by its code."""
    folders = {file.parent for file in PACKAGE.rglob("*.py") if not {*file.parts} & {*NOT_OURS}}
    crowded = {
        str(folder.relative_to(PACKAGE)): count
        for folder in folders - {PACKAGE / "rules"}
        if (count := sum(file.stem != "__init__" for file in folder.glob("*.py"))) > MOST_MODULES
    }
    assert crowded == {}


def test_what_runs_in_another_python_has_only_itself_and_the_standard_library() -> None:
    """TensorFlow and NumPy are the user's; the imitations stand for the NPU's packages."""
    others = {"tensorflow", "tensorflow_estimator", "numpy", "npu_rehearsal"}
    imitated = {one.name for one in (INSIDE / "imitations").iterdir()}
    wrong = [
        (file.name, name)
        for file in INSIDE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8"), feature_version=(3, 7)))
        if not (isinstance(node, ast.ImportFrom) and node.level)
        for name in names_in(node, file)
        if name.partition(".")[0] not in sys.stdlib_module_names | others | imitated
    ]
    assert wrong == []


def test_no_two_test_modules_have_the_same_name() -> None:
    """They are imported by their bare names, also by the processes that a test starts."""
    found = Counter(
        one.name for one in Path(__file__).parent.rglob("test_*.py") if "fixtures" not in one.parts
    )
    assert [name for name, times in found.items() if times > 1] == []
