"""The proof that a migrated script still trains: both versions run as on the NPU, and print the same series.

Each runnable case runs under every TensorFlow that is installed; `tests/run.py` installs both. Every run is
rehearsed, with all its sessions on the NPU: of a migrated script there must be no verdict.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from fidelity import write_tree
from fixture_cases import Case, runnable_cases
from rehearsed import FIXES_WRONG_ON_THE_NPU, SEEN_ONLY_IN_A_RUN, in_words
from runtime.worlds import Job, Outcome, World, Worlds, available_worlds, chosen_parameters, series

from npu_migrate.findings import Severity

ONE_SHOT = b"make_one_shot_iterator"

RUNS = tuple(
    (case, world) for case in runnable_cases() for world in available_worlds() if world in case.run.worlds
)
MIGRATIONS = tuple((case, stage, world) for case, world in RUNS for stage in case.stages)
RENAMES = tuple(
    {
        case: (case, world)
        for case, world in RUNS
        if case.stages and not case.run.fails and any(ONE_SHOT in text for text in case.before.values())
    }.values()
)
"""Each case with a one-shot iterator that runs before and after, once."""


def ids(values: tuple[object, ...]) -> str:
    return "-".join(value.name if isinstance(value, Case) else str(value) for value in values)


@pytest.fixture(scope="module", autouse=True)
def everything_submitted(request: pytest.FixtureRequest, worlds: Worlds) -> None:
    """Submits at once what the chosen tests need, so that the worlds run abreast."""
    for chosen in chosen_parameters(request, Path(__file__)):
        for stage in ("before", chosen.get("stage", "before")):
            for job in jobs(chosen["case"], chosen["case"].folder / stage):
                worlds[chosen["world"]].submit(job)


@pytest.mark.parametrize(("case", "world"), RUNS, ids=map(ids, RUNS))
def test_before(case: Case, world: str, worlds: Worlds) -> None:
    """The script as the user has it prints something, or dies in the way that the case says.

    What goes wrong on the NPU without an error is seen.
    """
    outcomes = run(case, case.folder / "before", worlds[world])
    assert set(case.run.verdicts) <= {one.code for outcome in outcomes for one in outcome.verdicts}
    if case.run.fails:
        assert outcomes[-1].code != 0
        assert case.run.fails in outcomes[-1].stderr
    else:
        assert series(outcomes)


@pytest.mark.parametrize(("case", "world"), RUNS, ids=map(ids, RUNS))
def test_what_is_seen_in_a_run_is_found_in_the_text(case: Case, world: str, worlds: Worlds) -> None:
    """Whatever the rehearsal says of a script, a rule says of its text, or a table says why it cannot."""
    outcomes = run(case, case.folder / "before", worlds[world])
    seen = {one.code for outcome in outcomes for one in outcome.verdicts}
    found = set(re.findall(r"\bNPU\d{3}\b", "\n".join(case.findings)))
    assert seen - found <= SEEN_ONLY_IN_A_RUN.get(case.name, {}).keys()


@pytest.mark.parametrize(("case", "stage", "world"), MIGRATIONS, ids=map(ids, MIGRATIONS))
def test_migrated_script_prints_the_same(case: Case, stage: str, world: str, worlds: Worlds) -> None:
    if case.run.fails:
        expected = (case.folder / "expected.txt").read_text(encoding="utf-8")
    else:
        expected = series(as_it_is(case, worlds[world]))
    assert series(run(case, case.folder / stage, worlds[world])) == expected


@pytest.mark.parametrize(("case", "stage", "world"), MIGRATIONS, ids=map(ids, MIGRATIONS))
def test_nothing_is_seen_in_a_run_of_a_migrated_script(
    case: Case, stage: str, world: str, worlds: Worlds
) -> None:
    outcomes = run(case, case.folder / stage, worlds[world])
    known = SEEN_ONLY_IN_A_RUN.get(case.name, {})
    verdicts = [
        one
        for outcome in outcomes
        for one in outcome.verdicts
        if one.severity > Severity.INFO and one.code not in known
    ]
    if case.name in FIXES_WRONG_ON_THE_NPU:
        assert verdicts, f"{case.name} is mended: take it from the list"
    else:
        assert in_words(verdicts) == []


@pytest.mark.parametrize(("case", "world"), RENAMES, ids=map(ids, RENAMES))
def test_renaming_alone_fails(case: Case, world: str, worlds: Worlds, tmp_path: Path) -> None:
    """The proof can fail: a renamed iterator that nobody initializes ends every one of these scripts."""
    renamed = {
        path: content.replace(ONE_SHOT, b"make_initializable_iterator")
        for path, content in case.before.items()
    }
    write_tree(tmp_path, renamed)
    outcomes = run(case, tmp_path, worlds[world])
    assert any(outcome.code != 0 and "FailedPreconditionError" in outcome.stderr for outcome in outcomes)


def as_it_is(case: Case, world: World) -> list[Outcome]:
    """The script as the user has it, on plain TensorFlow where the NPU would train something else."""
    outcomes = run(case, case.folder / "before", world)
    if all(one.severity < Severity.ERROR for outcome in outcomes for one in outcome.verdicts):
        return outcomes
    return [world.run(replace(job, mode="plain")) for job in jobs(case, case.folder / "before")]


def jobs(case: Case, folder: Path) -> list[Job]:
    mode = "judge" if case.name in FIXES_WRONG_ON_THE_NPU else "imitate"
    return [Job(str(folder), entry, mode) for entry in case.run.entries]


def run(case: Case, folder: Path, world: World) -> list[Outcome]:
    return [world.run(job) for job in jobs(case, folder)]
