"""Small programs under real TensorFlows: wrong ones get their verdicts, mended ones none.

``tests/rehearsal/programs/<name>/`` has `wrong.py`, where comments ``# << CODE`` mark the lines of verdicts,
and `right.py`; some folders have only the latter.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from runtime.worlds import Job, Outcome, Worlds, available_worlds, chosen_parameters

FOLDER = Path(__file__).resolve().parents[1] / "programs"
MARK = "# <<"

PROGRAMS = tuple(
    (path.relative_to(FOLDER).as_posix(), world)
    for path in sorted(FOLDER.glob("*/*.py"))
    for world in available_worlds()
)


@pytest.fixture(scope="module", autouse=True)
def everything_submitted(request: pytest.FixtureRequest, worlds: Worlds) -> None:
    """Submits at once what the chosen tests need, so that the worlds run abreast."""
    for chosen in chosen_parameters(request, Path(__file__)):
        worlds[chosen["world"]].submit(job(chosen["program"]))


@pytest.mark.parametrize(("program", "world"), PROGRAMS)
def test_verdicts(program: str, world: str, worlds: Worlds) -> None:
    outcome = worlds[world].run(job(program))
    assert outcome.code == 0, outcome.stderr[-4000:]
    assert sorted(seen(outcome)) == sorted(marked((FOLDER / program).read_text(encoding="utf-8")))


def test_every_wrong_program_has_a_right_one() -> None:
    for wrong in FOLDER.glob("*/wrong.py"):
        assert wrong.with_name("right.py").exists()
        assert list(marked(wrong.read_text(encoding="utf-8"))), wrong
        assert not list(marked(wrong.with_name("right.py").read_text(encoding="utf-8")))


def job(program: str) -> Job:
    folder, entry = program.split("/")
    return Job(str(FOLDER / folder), entry, mode="judge", take_over=False)


def seen(outcome: Outcome) -> Iterator[tuple[str, int]]:
    for verdict in outcome.verdicts:
        assert verdict.place is not None
        yield verdict.code, verdict.place.line


def marked(text: str) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(text.splitlines(), 1):
        if MARK in line:
            yield from ((code, number) for code in line.split(MARK)[1].split())
