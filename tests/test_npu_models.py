"""Small models for the NPU: the findings are those that a reviewer expects, and the runs say the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from npu_models_report import Model, models, report
from runtime.worlds import Job, Outcome, Worlds, available_worlds, chosen_parameters

from npu_migrate.findings import Severity

WORLD = "1.15"
MODELS = models()
RUN = tuple((one.name, WORLD) for one in MODELS if WORLD in available_worlds())
BY_NAME = {one.name: one for one in MODELS}

FEWEST = 60
MISSING_LIBRARY = "No module named 'sklearn'"
OF_TENSORFLOW = frozenset({"NPU207"})
"""Rules of a mistake at which TensorFlow itself stops, as its imitation does."""

STOPPING = OF_TENSORFLOW | {"NPU310", "NPU603", "NPU611", "NPU612", "NPU613", "NPU614", "NPU615"}
"""Rules of mistakes that raise an exception in Python."""

SAME = {"NPU726": "NPU107", "NPU601": "NPU201", "NPU602": "NPU104"}
"""Codes of verdicts for which the text has a rule that says more."""


@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.name)
def test_findings(model: Model) -> None:
    assert (sorted(model.unexpected), sorted(model.missing)) == ([], [])


def test_right_programs_are_at_least_as_many_as_wrong_ones() -> None:
    right = sum(not one.expected for one in MODELS)
    assert len(MODELS) >= FEWEST
    assert right >= len(MODELS) - right


def test_names_of_newer_releases_are_no_errors() -> None:
    unknown = [
        finding
        for one in MODELS
        for finding in one.diagnostics
        if finding.code == "NPU601" or (finding.code == "NPU611" and "does not know" in finding.message)
    ]
    assert unknown
    assert all(finding.severity < Severity.ERROR for finding in unknown)


def test_the_page_has_the_figures() -> None:
    page = (Path(__file__).parents[1] / "docs" / "vendor-restrictions.md").read_text(encoding="utf-8")
    words = " ".join(page.split())
    for line in report(MODELS):
        assert line in words


# -- runs ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def everything_submitted(request: pytest.FixtureRequest, worlds: Worlds) -> None:
    for chosen in chosen_parameters(request, Path(__file__)):
        worlds[WORLD].submit(job(chosen["name"]))


@pytest.mark.parametrize(("name", "world"), RUN)
def test_runs(name: str, world: str, worlds: Worlds) -> None:
    """A right program runs to its end without a verdict; a wrong one stops only where it has to."""
    outcome = worlds[world].run(job(name))
    expected = {spot.code for spot in BY_NAME[name].expected}
    if MISSING_LIBRARY not in outcome.stderr and not expected & STOPPING:
        assert outcome.code == 0, outcome.stderr[-4000:]
    assert codes(outcome) <= expected | {code for code, rule in SAME.items() if rule in expected}


def codes(outcome: Outcome) -> set[str]:
    return {verdict.code for verdict in outcome.verdicts}


def job(name: str) -> Job:
    folder = BY_NAME[name].folder
    return Job(str(folder), entry(folder), mode="judge", take_over=False)


def entry(folder: Path) -> str:
    """The only file that no other one imports."""
    names = {file.stem for file in folder.glob("*.py")}
    imported = {name for file in folder.glob("*.py") for name in imports(file)}
    (found,) = names - imported
    return f"{found}.py"


def imports(file: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
