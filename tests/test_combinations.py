"""Scripts put together from parts: the safe fix leaves no one-shot iterator, and training goes as before.

As everywhere, they are rehearsed with all their sessions on the NPU.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from assembled import Script, scripts
from command import folder_with, tool
from fidelity import Tree, read_tree, write_tree
from rehearsed import ASSEMBLED_WRONG_ON_THE_NPU, in_words
from runtime.worlds import Job, Worlds, available_worlds, chosen_parameters, series

from npu_migrate.findings import Severity

ALL = tuple(zip(scripts(), cycle(available_worlds()), strict=False)) if available_worlds() else ()
"""Each script with the world it runs in; the worlds take turns."""
NAMES = [f"{script.name}, {world}" for script, world in ALL]

Folders = Callable[[Script], tuple[Path, Path]]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Where a script lies as it was, and where it lies migrated."""
    made: dict[str, tuple[Path, Path]] = {}

    def folders_of(script: Script) -> tuple[Path, Path]:
        if script.name not in made:
            before, after = tmp_path_factory.mktemp("before"), tmp_path_factory.mktemp("after")
            write_tree(before, script.files)
            write_tree(after, migrated(script.files))
            made[script.name] = before, after
        return made[script.name]

    return folders_of


@pytest.fixture(scope="module", autouse=True)
def everything_submitted(request: pytest.FixtureRequest, worlds: Worlds, folders: Folders) -> None:
    """Submits at once what the chosen tests need, so that the worlds run abreast."""
    for chosen in chosen_parameters(request, Path(__file__)):
        for folder in folders(chosen["script"]):
            worlds[chosen["world"]].submit(job(chosen["script"], folder))


@pytest.mark.parametrize(("script", "world"), ALL, ids=NAMES)
def test_trains_as_before(script: Script, world: str, worlds: Worlds, folders: Folders) -> None:
    before, after = folders(script)
    assert not any(b"make_one_shot_iterator" in text for text in read_tree(after).values())
    expected = series([worlds[world].run(job(script, before))])
    assert series([worlds[world].run(job(script, after))]) == expected


@pytest.mark.parametrize(("script", "world"), ALL, ids=NAMES)
def test_nothing_is_seen_in_a_run(script: Script, world: str, worlds: Worlds, folders: Folders) -> None:
    outcome = worlds[world].run(job(script, folders(script)[1]))
    verdicts = [one for one in outcome.verdicts if one.severity > Severity.INFO]
    if is_wrong(script):
        assert verdicts, "these parts are mended: take them from the list"
    else:
        assert in_words(verdicts) == []


@pytest.mark.parametrize(("script", "world"), ALL, ids=NAMES)
def test_what_is_seen_is_found(script: Script, world: str, worlds: Worlds, folders: Folders) -> None:
    outcome = worlds[world].run(job(script, folders(script)[0]))
    with folder_with(script.files):
        found = {one["code"] for one in json.loads(tool(".", "--format", "json"))["findings"]}
    assert {one.code for one in outcome.verdicts} <= found


def is_wrong(script: Script) -> bool:
    """Whether `script` has parts that are known to be migrated wrongly together."""
    place, *others = script.name.split(", ")
    return any((place, other) in ASSEMBLED_WRONG_ON_THE_NPU for other in others)


def migrated(files: Tree) -> Tree:
    """The files after the safe fixes."""
    with folder_with(files) as folder:
        tool(".", "--write")
        return read_tree(folder)


def job(script: Script, folder: Path) -> Job:
    return Job(str(folder), "train.py", "judge" if is_wrong(script) else "imitate")
